//! What the agents of all clients have: a description and a persona.

use minds_clients::{ClientFile, Item, Value};
use minds_diagnostics::Label;
use minds_text::secrets::{self, TextKind};
use minds_text::{HiddenKind, hidden_text};

use crate::context::Context;
use crate::description;
use crate::fields::Fields;
use crate::findings::{place, shorten};
use crate::ids::member_id;
use crate::rules;
use crate::team::{ImportedMember, ModelParam, ParamKind};
use crate::tools::Granted;

/// Returns a member with a name, description and persona, and with the tools of a list.
pub(crate) fn member(
    cx: &mut Context<'_>,
    place: Label,
    (name, description, persona): (&str, &str, &str),
    granted: &Granted,
) -> ImportedMember {
    let description = clean(cx, &place, description, TextKind::Settings);
    let persona = clean(cx, &place, persona, TextKind::Prose);
    ImportedMember {
        id: member_id(name),
        agent: name.to_owned(),
        client: cx.client,
        place,
        name: None,
        description: description::split(&description),
        model: None,
        params: Vec::new(),
        abilities: granted.abilities.clone(),
        servers: granted.servers.clone(),
        server_tools: granted.server_tools.clone(),
        access: crate::access::Access::default(),
        is_hidden: false,
        persona: tidy(&persona),
    }
}

/// Returns text without secrets and without hidden characters, both of which are reported.
fn clean(cx: &mut Context<'_>, place: &Label, text: &str, kind: TextKind) -> String {
    let mut clean = text.to_owned();
    let found = secrets::find(text, kind);
    if !found.is_empty() {
        cx.findings.report(
            &rules::LITERAL_SECRET,
            place,
            "the text of the agent contains a secret, which was not copied".to_owned(),
            "revoke it where it was issued, and remove it from the file",
        );
        let hidden: Vec<_> = found.into_iter().map(|secret| secret.span).collect();
        clean = secrets::mask_ranges(text, &hidden).into_owned();
    }
    let hidden: Vec<_> = hidden_text(&clean).filter(|found| found.kind != HiddenKind::Invisible).collect();
    if hidden.is_empty() {
        return clean;
    }
    cx.findings.report_lost_limit(
        place,
        "the text of the agent contains hidden characters, which were not copied",
        "compare the text of the member with the file; `minds check` shows the places",
    );
    for found in hidden.iter().rev() {
        clean.replace_range(found.start..found.end, "");
    }
    clean
}

/// Returns a persona without blank lines at its start, and with a line break at its end; empty if it is blank.
fn tidy(persona: &str) -> String {
    if persona.trim().is_empty() {
        return String::new();
    }
    let mut text = persona;
    while let Some((_, rest)) = text.split_once('\n').filter(|(line, _)| line.trim().is_empty()) {
        text = rest;
    }
    format!("{}\n", text.trim_end())
}

/// Reads the model that an agent names.
pub(crate) fn read_model(
    cx: &mut Context<'_>,
    file: &ClientFile,
    fields: &mut Fields<'_>,
    member: &mut ImportedMember,
) {
    let Some(item) = fields.get("model") else { return };
    // A list names models in order of preference.
    let first = item.items().first().unwrap_or(item);
    let Some(text) = first.text() else { return };
    // VS Code writes the vendor in parentheses after the name.
    let name = text.split(" (").next().unwrap_or(text);
    member.model = cx.providers.resolve(cx.client, name, &place(file, first.span), &mut cx.findings);
}

/// Reads a parameter of the model.
pub(crate) fn read_param(
    file: &ClientFile,
    fields: &mut Fields<'_>,
    key: &str,
    kind: ParamKind,
    member: &mut ImportedMember,
) {
    let Some(item) = fields.get(key) else { return };
    if let Some(value) = scalar(item) {
        member.params.push(ModelParam { kind, value, place: place(file, item.span) });
    }
}

/// Returns a string, number or boolean as text.
fn scalar(item: &Item) -> Option<String> {
    match &item.value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Reports that an agent does not become a member, because its client does not load it.
pub(crate) fn report_incomplete(cx: &mut Context<'_>, file: &ClientFile, key: &str) {
    let client = cx.client.name.clone();
    cx.findings.report_lost_limit(
        &place(file, file.content.place),
        format!(
            "`{}` does not become a member: it has no `{key}`, so {client} does not load it",
            shorten(file.path.as_str())
        ),
        format!("add `{key}`, and import again"),
    );
}
