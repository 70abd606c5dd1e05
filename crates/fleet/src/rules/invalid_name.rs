use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span, rule};
use minds_document::{Context, Node};
use minds_vfs::Location;

use super::shorten;
use crate::model::is_name;

rule! {
    pub(crate) static RULE {
        code: "fleet/invalid-name",
        summary: "the name of a project or an agent has an invalid character",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_name.md",
    }
}

/// Reports the name of `what`: "a project", "an agent".
pub(crate) fn report(node: Node<'_>, name: &str, what: &str, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let message = format!("`{}` cannot be the name of {what}", shorten(name));
        let found = Diagnostic::new(&RULE, message)
            .primary(node.label().message("letters, digits, `_` and `-` are allowed"))
            .note("the name is part of keys, channels and paths");
        let replaced: String = name
            .trim()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
            .collect();
        let suggestion = replaced.trim_matches('-');
        if is_name(suggestion) && suggestion.len() <= 60 {
            return found.help(format!("write for example `{suggestion}`"));
        }
        found
    });
}

/// Reports a directory in `folder` that would be that of an agent, if an agent could have its name.
pub(crate) fn report_directory(folder: &Location, name: &str, problems: &mut Problems) {
    let source = SourceFile::new(folder.to_string(), "");
    problems.report(&source, Span::at(0), &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` cannot be the name of an agent", shorten(name)))
            .primary(source.label(Span::at(0)))
            .note("the name is part of keys, channels and paths; the contents of the directory are not read")
            .help("rename the directory with letters, digits, `_` and `-`, or move it elsewhere")
    });
}
