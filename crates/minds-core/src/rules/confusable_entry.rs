use std::collections::BTreeMap;

use minds_access_control::Pattern;
use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;
use minds_vfs::portable::{fold, skeleton};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "access/confusable-entry",
        summary: "an entry can be confused with another one that has a different meaning",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "confusable_entry.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    // Lowercase ASCII text cannot be confused with anything else, so the check ends here for most teams.
    if check.patterns().all(|(_, entry)| is_plain(entry.value.as_written())) {
        return;
    }
    let mut same: BTreeMap<String, &Spanned<Pattern>> = BTreeMap::new();
    let mut similar: BTreeMap<String, &Spanned<Pattern>> = BTreeMap::new();
    let entries: Vec<&Spanned<Pattern>> = check.patterns().map(|(_, entry)| entry).collect();
    let mut reported = std::collections::BTreeSet::new();
    for entry in entries {
        let text = entry.value.to_string();
        let folded = fold(&text);
        let shape = skeleton(&folded);
        let (is_same, first) = match (same.get(&folded), similar.get(&shape)) {
            (Some(first), _) => (true, *first),
            // Similar characters within ASCII, such as `l` and `1`, are not reported: users can see and type both.
            (None, Some(first)) if !(text.is_ascii() && first.value.as_written().is_ascii()) => {
                (false, *first)
            }
            _ => {
                same.insert(folded, entry);
                similar.entry(shape).or_insert(entry);
                continue;
            }
        };
        if first.value == entry.value || !reported.insert(entry.node) {
            continue;
        }
        let other = first.value.as_written();
        check.report(&RULE, entry, |document, label| {
            let written = entry.value.as_written();
            let (message, note) = if is_same {
                (
                    format!(
                        "`{written}` and `{other}` are the same path on some systems, and different paths on other systems"
                    ),
                    "allow lists match exactly; deny lists ignore letter case and Unicode normalization",
                )
            } else {
                (
                    format!("`{written}` looks like `{other}`, but is a different path"),
                    "some of their characters look similar but are different",
                )
            };
            Diagnostic::new(&RULE, message)
                .primary(label.message("this entry"))
                .secondary(document.source().label(first.span).message("confusable with this entry"))
                .note(note)
                .help("write both the same way if they are intended to be the same path")
        });
    }
}

/// Returns whether a string contains no character that can be confused with another one.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}
