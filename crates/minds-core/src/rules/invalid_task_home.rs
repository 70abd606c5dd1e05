use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use crate::settings::TaskHomeError;

rule! {
    pub(crate) static RULE {
        code: "settings/invalid-task-home",
        summary: "the directory for task packages is not valid",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_task_home.md",
    }
}

/// Reports a path that `task_home` cannot have.
pub(crate) fn report(node: Node<'_>, path: &str, error: &TaskHomeError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        let message = if path.is_empty() {
            "`task_home` cannot be empty".to_owned()
        } else {
            format!("`task_home` cannot be `{path}`: {}", error.reason())
        };
        Diagnostic::new(&RULE, message)
            .primary(node.label().message("this path"))
            .help("write the path of a directory below the workspace, such as `tasks` or `work/tasks`")
    });
}
