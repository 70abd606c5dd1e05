use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, Severity, rule};

use super::{Check, shorten, tools};
use crate::kind::Kind;

rule! {
    pub(crate) static RULE {
        code: "client/unknown-skill",
        summary: "an agent names a skill that the workspace does not have",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_skill.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let mut names = BTreeSet::new();
    for skill in family.files.iter().filter(|file| file.kind == Kind::Skill) {
        names.extend(skill.get("name").and_then(|name| name.text()));
        names.extend(skill.path.as_str().rsplit('/').nth(1));
    }
    let candidates = Candidates::new(names.iter().copied());
    for file in family.files.iter().filter(|file| file.kind.is_agent() && file.client.id == "claude-code") {
        let Some(skills) = file.get("skills") else { continue };
        for (name, place) in tools::read_tool_list(skills, &file.source) {
            // A skill of a plugin has the name of the plugin in front.
            let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
            if names.contains(own) {
                continue;
            }
            let near = candidates.did_you_mean(own);
            check.report(&RULE, file, place, |label| {
                let found = Diagnostic::new(&RULE, format!("unknown skill `{}`", shorten(name)))
                    .primary(label.message("not in a directory `skills` of the workspace"));
                match near {
                    Some(help) => found.help(help),
                    // It may be a skill of the user.
                    None => found
                        .severity(Severity::Info)
                        .note("the skills of the user are not checked")
                        .help(format!("add `.claude/skills/{}/SKILL.md`, or correct the name", shorten(own))),
                }
            });
        }
    }
}
