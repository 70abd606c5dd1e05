use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};
use minds_vfs::PathErrorKind;

use super::escape;

rule! {
    pub(crate) static RULE {
        code: "source/invalid-path",
        summary: "a path is not valid, or escapes its root",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_path.md",
    }
}

pub(crate) fn report(node: Node<'_>, path: &str, kind: PathErrorKind, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let why = match kind {
            PathErrorKind::Absolute => "it must be relative".to_owned(),
            PathErrorKind::LeavesRoot => "`..` escapes its root".to_owned(),
            PathErrorKind::EmptySegment if path.is_empty() => "it is empty".to_owned(),
            PathErrorKind::DotSegment => "it names the folder itself".to_owned(),
            other => other.to_string(),
        };
        Diagnostic::new(&RULE, format!("invalid path `{}`: {why}", escape(path))).primary(node.label()).help(
            "write a relative path with `/` between names and without `.` and `..`, such as `skills/review`",
        )
    });
}
