use std::collections::BTreeMap;

use minds_access_control::Pattern;
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::Spanned;
use minds_paths::portable::{fold, skeleton};

use super::Check;

pub(crate) static RULE: Rule = Rule {
    code: "access/confusable-entry",
    summary: "an entry is easily taken for another one that means something else",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("confusable_entry.md"),
};

pub(super) fn check(check: &mut Check<'_>) {
    // Nothing is taken for another small letter but itself, so most teams are done here.
    if check.patterns().all(|(_, entry)| is_plain(entry.value.written())) {
        return;
    }
    let mut same: BTreeMap<String, &Spanned<Pattern>> = BTreeMap::new();
    let mut alike: BTreeMap<String, &Spanned<Pattern>> = BTreeMap::new();
    let entries: Vec<&Spanned<Pattern>> = check.patterns().map(|(_, entry)| entry).collect();
    let mut told = std::collections::BTreeSet::new();
    for entry in entries {
        let text = entry.value.to_string();
        let folded = fold(&text);
        let looks = skeleton(&folded);
        let (is_same, first) = match (same.get(&folded), alike.get(&looks)) {
            (Some(first), _) => (true, *first),
            // Some letters and digits of ASCII look alike as well; who writes only those has no other at hand.
            (None, Some(first)) if !(text.is_ascii() && first.value.written().is_ascii()) => (false, *first),
            _ => {
                same.insert(folded, entry);
                alike.entry(looks).or_insert(entry);
                continue;
            }
        };
        if first.value == entry.value || !told.insert(entry.node) {
            continue;
        }
        let other = first.value.written();
        check.report(&RULE, entry, |document, label| {
            let written = entry.value.written();
            let (message, note) = if is_same {
                (
                    format!(
                        "`{written}` and `{other}` are the same place on some systems, and two on others"
                    ),
                    "entries are compared in the same letter case and the same form of characters",
                )
            } else {
                (
                    format!("`{written}` looks like `{other}`, and names another place"),
                    "some of their letters look alike and are different characters",
                )
            };
            Diagnostic::new(&RULE, message)
                .primary(label.message("this one"))
                .secondary(document.source().label(first.span).message("taken for this one"))
                .note(note)
                .help("write both alike if they are to mean the same place")
        });
    }
}

/// Returns whether a text has no character that is taken for another one.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}
