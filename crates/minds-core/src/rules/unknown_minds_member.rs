use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Problems, Rule, Severity, SourceFile, Span, did_you_mean};
use minds_paths::{Location, portable};

use crate::family::{TEAM_FILE, TeamFamily};

pub(crate) static RULE: Rule = Rule {
    code: "minds/unknown-member",
    summary: "a directory of minds files is named after nobody on the team",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("unknown_minds_member.md"),
};

/// For how many directories the nearest id is looked for: of very many none is a slip.
const MAX_SUGGESTIONS: usize = 100;

pub(super) fn check(family: &TeamFamily, problems: &mut Problems) {
    if family.minds.members.is_empty() {
        return;
    }
    let Some(ids) = family.member_ids() else { return };
    // What folds to the same has the same directory on some systems.
    let folded: BTreeMap<String, &str> = ids.iter().map(|id| (portable::fold(id), *id)).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let mut suggestions = 0;
    for (name, folder) in &family.minds.members {
        // Names that begin with `x-` belong to the user, here as in files.
        if name.starts_with("x-") || known.contains(name.as_str()) {
            continue;
        }
        suggestions += 1;
        let found = match folded.get(&portable::fold(name)) {
            Some(id) => differs_in_case(name, id),
            None => unknown(name, if suggestions <= MAX_SUGGESTIONS { &ids } else { &[] }),
        };
        problems.push(found.primary(label(folder)));
    }
}

/// Returns a label at a directory, which has no text.
fn label(folder: &Location) -> minds_diagnostics::Label {
    SourceFile::new(folder.to_string(), "").label(Span::at(0))
}

fn differs_in_case(name: &str, id: &str) -> Diagnostic {
    Diagnostic::new(&RULE, format!("the directory `{name}` is not named like the member `{id}`"))
        .note("where letter case counts, the member's minds files are not found")
        .help(format!("rename the directory to `{id}`"))
}

fn unknown(name: &str, ids: &[&str]) -> Diagnostic {
    let help = did_you_mean(name, ids.iter().copied());
    Diagnostic::new(&RULE, format!("there is no member `{name}` to whom the minds files could belong"))
        .note("nobody is told what stands in them")
        .help(help.unwrap_or_else(|| {
            format!("add `{name}` to `members` in `{TEAM_FILE}`, or remove the directory")
        }))
}
