use minds_diagnostics::{Diagnostic, rule};
use minds_vfs::portable;

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "team/unsafe-id",
        summary: "a member id cannot be used as a directory name or a mention on every system",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unsafe_id.md",
    }
}

/// Names that JavaScript runtimes cannot use as keys of an object.
const PROTOTYPE: [&str; 3] = ["__proto__", "constructor", "prototype"];

pub(super) fn check(check: &mut Check<'_>) {
    for member in &check.team.members {
        let Some(reason) = reason(&member.id.value) else { continue };
        check.report(&RULE, &member.id, |_, label| {
            Diagnostic::new(&RULE, format!("`{}` cannot be the id of a member: {reason}", member.id.value))
                .primary(label.message("this id"))
                .note("a member's id is also the name of its directory in `.minds/team/`")
                .help("use letters, digits, `-`, `_` and `.`; put the display name into `name`")
        });
    }
}

/// Returns why an id cannot be that of a member; `None` if it can.
pub fn reason(id: &str) -> Option<String> {
    if let Err(problem) = portable::check(id) {
        return Some(problem.to_string());
    }
    let reason = if id.chars().any(char::is_whitespace) {
        "it contains white space, so it cannot be mentioned"
    } else if id.starts_with('-') {
        "it begins with `-`, so commands would read it as an option"
    } else if portable::is_encapsulated(id) {
        "it ends in `.tsk`, so its directory would be a task package"
    } else if PROTOTYPE.contains(&id) {
        "JavaScript runtimes reserve it"
    } else {
        return None;
    };
    Some(reason.to_owned())
}
