use minds_diagnostics::{Diagnostic, Severity, find_nearest, rule};

use super::permissions::{List, Permission};
use super::{Check, shorten, version_note};

rule! {
    pub(crate) static RULE {
        code: "client/dead-permission",
        summary: "a rule of permissions never matches",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "dead_permission.md",
    }
}

/// Why a rule has no effect, and what to do.
pub(super) struct Flaw {
    pub(super) why: String,
    pub(super) help: String,
}

impl Flaw {
    pub(super) fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into() }
    }
}

pub(super) fn check(check: &mut Check<'_>, rule: &Permission<'_>) {
    if let Some(flaw) = flaw(rule) {
        report(check, rule, flaw);
    }
}

pub(super) fn report(check: &mut Check<'_>, rule: &Permission<'_>, Flaw { why, help }: Flaw) {
    check.report(&RULE, rule.file, rule.span, |label| {
        let found = Diagnostic::new(&RULE, format!("`{}` never matches: {why}", shorten(rule.text)))
            .primary(label)
            .note(version_note(rule.file))
            .help(help);
        // An allowed tool that is asked about is seen; a denied one that is not denied is not.
        if rule.list == List::Deny { found.severity(Severity::Error) } else { found }
    });
}

/// Returns what is wrong with the notation of a rule.
pub(super) fn syntax_flaw(rule: &Permission<'_>) -> Option<Flaw> {
    let Permission { text, tool, .. } = *rule;
    if text.is_empty() {
        return Some(Flaw::new("it is empty", "remove it"));
    }
    if text.contains('(') && !text.ends_with(')') {
        let help = format!("write `{}(…)`", tool.trim());
        return Some(Flaw::new("the parenthesis is not closed at the end", help));
    }
    (tool.trim() != tool).then(|| {
        let help = format!("write `{}` without blanks", tool.trim());
        Flaw::new("there are blanks around the name of the tool", help)
    })
}

fn flaw(rule: &Permission<'_>) -> Option<Flaw> {
    let Permission { tool, specifier, .. } = *rule;
    let flaw = |why: &str, help: String| Some(Flaw { why: why.to_owned(), help });
    if let Some(flaw) = syntax_flaw(rule) {
        return Some(flaw);
    }
    if let Some(tool) = find_meant_tool(rule) {
        let whole = specifier.map_or_else(|| tool.to_owned(), |specifier| format!("{tool}({specifier})"));
        return Some(Flaw {
            why: "there is no such tool".to_owned(),
            help: format!("did you mean `{whole}`?"),
        });
    }
    let specifier = specifier?;
    match tool {
        "Write" | "NotebookEdit" if !specifier.is_empty() => flaw(
            "rules with a path are only asked for `Edit` and `Read`",
            format!("write `Edit({specifier})`, which governs every tool that writes"),
        ),
        "Read" | "Edit" => path_flaw(tool, specifier),
        _ => None,
    }
}

fn path_flaw(tool: &str, path: &str) -> Option<Flaw> {
    let flaw = |why: &str, help: String| Some(Flaw { why: why.to_owned(), help });
    if path.trim() != path {
        return flaw("there are blanks inside the parentheses", format!("write `{tool}({})`", path.trim()));
    }
    match path {
        "" => flaw("the path is empty", format!("write `{tool}` for all files")),
        "." | "./" | "/" => {
            flaw("it is not a pattern for files", format!("write `{tool}(/**)` for the whole project"))
        }
        _ if path.starts_with("../") => flaw(
            "`..` escapes the directory of the settings",
            "write an absolute path as `//home/…`".to_owned(),
        ),
        _ if path.starts_with('!') => flaw(
            "`!` does not negate",
            "write the files that are meant, in the list for the opposite".to_owned(),
        ),
        _ if path.contains("\\?") => {
            flaw("`\\?` matches nothing", "write `?`, which matches any one character".to_owned())
        }
        _ if path.contains(", ") => flaw("a rule has one path", "write one rule for each path".to_owned()),
        _ => None,
    }
}

/// Returns the tool that is meant, if the name of a tool is another one. Unknown names that are not similar may be tools of a
/// later version.
fn find_meant_tool<'r>(rule: &'r Permission<'_>) -> Option<&'r str> {
    let known = rule.file.client.tools.as_ref()?;
    if rule.tool.is_empty() || known.accepts(rule.tool) || known.retired.iter().any(|name| name == rule.tool)
    {
        return None;
    }
    find_nearest(rule.tool, known.names.iter().map(String::as_str), 1).first().copied()
}
