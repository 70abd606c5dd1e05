//! Who may change tasks.

use crate::section::listed;
use crate::{TaskCode, TaskError};

/// How the name of an operator begins, where it is written down who did something; no member has such an id.
pub const OPERATOR: &str = "user:";

/// Who may change tasks. Everybody may read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Maintainers {
    /// Everybody.
    #[default]
    Everybody,
    /// These members of the team, and the operator.
    Members(Vec<String>),
    /// It is said in a way that could not be read, so nobody but the operator.
    Unreadable,
}

impl Maintainers {
    /// Makes sure that somebody, who is named as in the journal, may change the task `task`.
    ///
    /// # Errors
    ///
    /// Refuses a member that is no maintainer, and names those that are.
    pub fn permit(&self, actor: &str, task: &str) -> Result<(), TaskError> {
        let members = match self {
            _ if actor.starts_with(OPERATOR) => return Ok(()),
            Self::Everybody => return Ok(()),
            Self::Members(members) if members.iter().any(|member| member == actor) => return Ok(()),
            Self::Members(members) => members.as_slice(),
            Self::Unreadable => &[],
        };
        let who = listed(members.iter().map(String::as_str));
        let who = match self {
            Self::Unreadable => {
                "`task_maintainers` in `.minds/minds.toml` cannot be read, so nobody does".to_owned()
            }
            _ if members.is_empty() => "no member does".to_owned(),
            _ => format!("its maintainers are {who}").replace(" or ", " and "),
        };
        let actor = actor.escape_debug();
        let message = format!(
            "`{actor}` does not maintain the task `{task}` and may recall it but not change it: {who}"
        );
        let next = match members.first() {
            Some(_) => format!(
                "tell a maintainer what should be changed, and why: {}",
                listed(members.iter().map(String::as_str))
            ),
            None => "ask whoever runs the team".to_owned(),
        };
        Err(TaskError::new(TaskCode::NotMaintainer, message).next(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(maintainers: &Maintainers, actor: &str, refused: Option<&str>) {
        match (maintainers.permit(actor, "ship-it"), refused) {
            (Ok(()), None) => {}
            (Err(error), Some(said)) => {
                assert_eq!(error.code, TaskCode::NotMaintainer);
                assert!(error.message.contains(said), "{}", error.message);
            }
            (result, _) => panic!("{actor}: {result:?}"),
        }
    }

    #[test]
    fn maintainers_and_the_operator_change_what_others_only_read() {
        let two = Maintainers::Members(vec!["lead".to_owned(), "ops".to_owned()]);
        check(&Maintainers::Everybody, "coder", None);
        check(&two, "lead", None);
        check(&two, "ops", None);
        check(&two, "coder", Some("its maintainers are `lead` and `ops`"));
        check(&two, "Lead", Some("`lead`"));
        check(&two, "", Some("`lead`"));
        check(&Maintainers::Members(Vec::new()), "lead", Some("no member does"));
        check(&Maintainers::Unreadable, "lead", Some("cannot be read"));
        for maintainers in [Maintainers::Everybody, two, Maintainers::Unreadable] {
            check(&maintainers, "user:alice", None);
        }
    }
}
