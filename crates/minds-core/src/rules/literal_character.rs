use minds_access_control::Remark;
use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ListedPattern};

rule! {
    pub(crate) static RULE {
        code: "access/literal-character",
        summary: "a pattern contains a character that looks like an operator but is literal",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "literal_character.md",
    }
}

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
                format!(
                    "`{character}` in `{}` is a literal character, not an operator",
                    entry.value.as_written()
                ),
            )
            .primary(label.message(format!("only names with `{character}` match")))
            .note("the only wildcards are `*` and `**`; everything else is literal");
            if at == 0 && character == '!' {
                found.help("to exclude a directory, add it to the opposite list, with or without `no_`")
            } else {
                found.help("use `*`, or write one entry for each case")
            }
        });
    }
}
