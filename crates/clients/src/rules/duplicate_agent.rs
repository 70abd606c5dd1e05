use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Span, rule};

use super::{Check, shorten};
use crate::client::Format;
use crate::family::ClientFile;
use crate::kind::Kind;

rule! {
    pub(crate) static RULE {
        code: "client/duplicate-agent",
        summary: "two agents of a client have the same name",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "duplicate_agent.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let mut first: BTreeMap<(&str, &str, String), (&ClientFile, Span)> = BTreeMap::new();
    for file in family.files.iter().filter(|file| file.kind.is_agent() && file.content.data.is_some()) {
        let (name, span) = match file.get("name").filter(|_| !file.known.is_named_by_file) {
            Some(item) => (item.text().unwrap_or_default(), item.span),
            None if file.known.required.iter().any(|key| key == "name") => continue,
            // The path is the name.
            None => continue,
        };
        if name.is_empty() || file.client.id == "copilot" {
            continue;
        }
        let key = (file.client.id, folder(file), name.to_owned());
        let Some((other, place)) = first.get(&key) else {
            first.insert(key, (file, span));
            continue;
        };
        check.report(&RULE, file, span, |label| {
            let help = match file.known.format {
                Format::Toml => "rename one of them, or remove it",
                _ => "rename one of them in `name`, or remove it",
            };
            Diagnostic::new(&RULE, format!("the agent `{}` is defined twice", shorten(name)))
                .primary(label)
                .secondary(other.source.label(*place).message("the other agent with this name"))
                .note(format!("{} loads only one of them", file.client.name))
                .help(help)
        });
    }
}

/// Returns the directory in which the names of agents must differ: that of all agents.
fn folder(file: &ClientFile) -> &str {
    let path = file.path.as_str();
    // The name of an agent of a plugin includes its directory.
    if file.kind == Kind::PluginAgent {
        return path.rsplit_once('/').map_or("", |(folder, _)| folder);
    }
    path.find("agents/").map_or(path, |at| path.get(..at).unwrap_or_default())
}
