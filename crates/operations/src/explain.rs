//! What a rule is about.

use minds_diagnostics::{Rule, nearest};
use minds_workspace::{find_rule, rules};

use crate::OperationError;

/// Returns the rule with a code.
///
/// # Errors
///
/// Fails if there is none, with the codes that are nearest.
pub fn explain(code: &str) -> Result<&'static Rule, OperationError> {
    find_rule(code).ok_or_else(|| {
        let rules = rules();
        let mut near = nearest(code, rules.iter().map(|rule| rule.code), 3);
        if near.is_empty() {
            // The part behind the slash may have been given alone.
            let named = nearest(code, rules.iter().map(|rule| rule.name()), 3);
            near = rules
                .iter()
                .filter(|rule| rule.name() == code || named.contains(&rule.name()))
                .map(|rule| rule.code)
                .take(3)
                .collect();
        }
        OperationError::UnknownCode { code: code.to_owned(), near }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_code_gives_the_nearest_ones() {
        let near = |code: &str| match explain(code) {
            Err(OperationError::UnknownCode { near, .. }) => near,
            other => panic!("{other:?}"),
        };
        assert_eq!(near("team/unknwon-member")[0], "team/unknown-member");
        assert_eq!(near("unknown-member"), ["team/unknown-member"]);
        assert!(near("quite something else").is_empty());
        assert_eq!(explain("yaml/tab").unwrap().code, "yaml/tab");
    }
}
