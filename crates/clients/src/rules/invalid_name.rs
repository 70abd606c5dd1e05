use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, shorten, version_note};
use crate::family::ClientFile;
use crate::shape::Type;

rule! {
    pub(crate) static RULE {
        code: "client/invalid-name",
        summary: "the name of an agent or a skill is one that its client does not accept",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_name.md",
    }
}

const MAX_SKILL_NAME: usize = 64;

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(item) = file.get("name") else { return };
    let Some(name) = item.text().filter(|name| !name.trim().is_empty()) else { return };
    let types = file.known.shape.keys.get("name").map(|shape| shape.types.as_slice()).unwrap_or_default();
    let folder = file.path.parent();
    let folder = folder.as_ref().and_then(|folder| folder.file_name()).unwrap_or_default();
    let problem = match types {
        [Type::AgentName] if name.starts_with('-') => Some("it must not begin with `-`".to_owned()),
        [Type::AgentName] if name.contains(':') => Some("it must not contain `:`".to_owned()),
        [Type::PlainName] if !name.chars().all(is_plain) => {
            Some("it may only have `a` to `z`, `0` to `9`, `-` and `_`".to_owned())
        }
        [Type::SkillName] => skill_problem(name, folder),
        _ => None,
    };
    let Some(problem) = problem else { return };
    let is_skill = types == [Type::SkillName];
    check.report(&RULE, file, item.span, |label| {
        let found =
            Diagnostic::new(&RULE, format!("invalid name `{}`: {problem}", shorten(name))).primary(label);
        if is_skill {
            let help = if skill_problem(folder, folder).is_none() {
                format!("write `name: {folder}`")
            } else {
                "rename the directory, and write its name: `a` to `z`, `0` to `9`, single `-` in between"
                    .to_owned()
            };
            return found
                .severity(Severity::Warning)
                .note(
                    "opencode, VS Code and the validator of the Agent Skills specification refuse the skill",
                )
                .help(help);
        }
        let effect = file.known.on_missing.clone().unwrap_or_default();
        found.note(effect).note(version_note(file)).help("use letters, digits and `-`")
    });
}

fn is_plain(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_')
}

fn skill_problem(name: &str, folder: &str) -> Option<String> {
    if name.chars().count() > MAX_SKILL_NAME {
        Some(format!("it has more than {MAX_SKILL_NAME} characters"))
    } else if !name.chars().all(|c| is_plain(c) && c != '_') {
        Some("it may only have `a` to `z`, `0` to `9` and `-`".to_owned())
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        Some("it must not begin or end with `-`, or contain `--`".to_owned())
    } else if name != folder {
        Some(format!("it must be the name of its directory, `{}`", shorten(folder)))
    } else {
        None
    }
}
