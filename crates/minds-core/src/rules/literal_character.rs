use minds_access_control::Remark;
use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::{Check, ListedPattern};

pub(crate) static RULE: Rule = Rule {
    code: "access/literal-character",
    summary: "a pattern has a character that looks like an operator and is none",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("literal_character.md"),
};

pub(super) fn check(check: &mut Check<'_>, remarkable: &[ListedPattern<'_>]) {
    for (_, entry) in remarkable {
        let literal = entry.value.remarks().iter().find_map(|remark| match remark {
            Remark::Literal { at, character } => Some((*at, *character)),
            _ => None,
        });
        let Some((at, character)) = literal else { continue };
        check.report(&RULE, entry, |_, label| {
            let found = Diagnostic::new(
                &RULE,
                format!("`{character}` in `{}` is only itself, not an operator", entry.value.written()),
            )
            .primary(label.message(format!("only names with `{character}` match")))
            .note("patterns know `*` and `**`; everything else is literal");
            if at == 0 && character == '!' {
                found.help("to except something, put it into the list with or without `no_`")
            } else {
                found.help("use `*`, or write one entry for each case")
            }
        });
    }
}
