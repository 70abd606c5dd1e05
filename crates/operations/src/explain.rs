//! Explaining rules.

use minds_diagnostics::{Rule, find_closest, find_nearest};
use minds_workspace::{find_rule, rules};

use crate::OperationError;

/// Returns the rule with the given code.
///
/// # Errors
///
/// Fails if there is no such rule; the error contains the nearest codes.
pub fn explain(code: &str) -> Result<&'static Rule, OperationError> {
    let code = without_severity(code);
    find_rule(code).ok_or_else(|| {
        let rules = rules();
        let codes = || rules.iter().map(|rule| rule.code);
        let mut near = find_nearest(code, codes(), 3);
        if near.is_empty() {
            // The code may have been given without its area.
            let named = find_nearest(code, rules.iter().map(|rule| rule.name()), 3);
            let is_near = |rule: &&&Rule| rule.name() == code || named.contains(&rule.name());
            near = rules.iter().filter(is_near).map(|rule| rule.code).take(3).collect();
        }
        if near.is_empty() {
            // Suggest the codes that contain the input.
            near = codes().filter(|known| !code.is_empty() && known.contains(code)).take(6).collect();
        }
        if near.is_empty() {
            near = find_closest(code, codes(), 3);
        }
        OperationError::UnknownCode { code: code.chars().take(80).collect(), near }
    })
}

/// Returns the code in a heading such as `error[team/unsafe-id]`, or the whole input.
fn without_severity(code: &str) -> &str {
    let inside = code.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(code, |(code, _)| code)
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
        assert_eq!(
            near("unknown-member"),
            ["team/unknown-member", "fleet/unknown-member", "minds/unknown-member"]
        );
        assert_eq!(near("quite something else").len(), 3);
        assert_eq!(near("team").len(), 6);
        assert_eq!(explain("error[yaml/tab]").unwrap().code, "yaml/tab");
        assert_eq!(explain("yaml/tab").unwrap().code, "yaml/tab");
    }
}
