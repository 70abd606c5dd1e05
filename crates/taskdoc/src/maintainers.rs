//! Who may change tasks.

use crate::section::join_names;
use crate::{TaskCode, TaskError};

/// The prefix of the name of an operator in journals; the id of a member never has it.
pub const OPERATOR: &str = "user:";

/// Who may change tasks. Everyone may read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Maintainers {
    /// Everyone.
    #[default]
    Everybody,
    /// These members of the team, and operators.
    Members(Vec<String>),
    /// The setting could not be read, so only operators.
    Unreadable,
}

impl Maintainers {
    /// Checks that an actor, named as in the journal, may change the task `task`.
    ///
    /// # Errors
    ///
    /// Refuses members that are not maintainers; the error names the maintainers.
    pub fn permit(&self, actor: &str, task: &str) -> Result<(), TaskError> {
        let members = match self {
            _ if actor.starts_with(OPERATOR) => return Ok(()),
            Self::Everybody => return Ok(()),
            Self::Members(members) if members.iter().any(|member| member == actor) => return Ok(()),
            Self::Members(members) => members.as_slice(),
            Self::Unreadable => &[],
        };
        let who = join_names(members.iter().map(String::as_str));
        let who = match self {
            Self::Unreadable => {
                "`task_maintainers` in `.minds/minds.toml` cannot be read, so no member may change it"
                    .to_owned()
            }
            _ if members.is_empty() => "no member may change it".to_owned(),
            _ => format!("its maintainers are {who}").replace(" or ", " and "),
        };
        let actor = actor.escape_debug();
        let message = format!(
            "`{actor}` is not a maintainer of the task `{task}` and may recall it but not change it: {who}"
        );
        let next = match members.first() {
            Some(_) => format!(
                "report the required change and its reason to a maintainer: {}",
                join_names(members.iter().map(String::as_str))
            ),
            None => "ask the operator of the team".to_owned(),
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
            (Err(error), Some(expected)) => {
                assert_eq!(error.code, TaskCode::NotMaintainer);
                assert!(error.message.contains(expected), "{}", error.message);
            }
            (result, _) => panic!("{actor}: {result:?}"),
        }
    }

    #[test]
    fn only_maintainers_and_operators_may_change_tasks() {
        let two = Maintainers::Members(vec!["lead".to_owned(), "ops".to_owned()]);
        check(&Maintainers::Everybody, "coder", None);
        check(&two, "lead", None);
        check(&two, "ops", None);
        check(&two, "coder", Some("its maintainers are `lead` and `ops`"));
        check(&two, "Lead", Some("`lead`"));
        check(&two, "", Some("`lead`"));
        check(&Maintainers::Members(Vec::new()), "lead", Some("no member may change it"));
        check(&Maintainers::Unreadable, "lead", Some("cannot be read"));
        for maintainers in [Maintainers::Everybody, two, Maintainers::Unreadable] {
            check(&maintainers, "user:alice", None);
        }
    }
}
