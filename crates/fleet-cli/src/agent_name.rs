//! The names of agents on the command line.

use std::str::FromStr;

/// An agent as users name it: `NAME`, in the project of the workspace, or `PROJECT/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentName {
    pub(crate) project: Option<String>,
    pub(crate) name: String,
}

impl FromStr for AgentName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (project, name) = match text.split_once('/') {
            Some((project, name)) => (Some(project), name),
            None => (None, text),
        };
        if project.is_some_and(|project| !is_name(project)) || !is_name(name) {
            return Err("expected NAME or PROJECT/NAME, each 1 to 64 characters of `A-Za-z0-9_-`");
        }
        Ok(Self { project: project.map(str::to_owned), name: name.to_owned() })
    }
}

/// Returns whether a string can be a part of the id of an agent.
pub(crate) fn is_name(text: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_has_a_name_and_perhaps_a_project() {
        for (text, expected) in [
            ("zeus", Some((None, "zeus"))),
            ("shop/zeus", Some((Some("shop"), "zeus"))),
            ("a_B-9", Some((None, "a_B-9"))),
            ("", None),
            ("/zeus", None),
            ("shop/", None),
            ("a/b/c", None),
            ("../zeus", None),
            ("zeu s", None),
            ("zeüs", None),
        ] {
            let parsed: Option<AgentName> = text.parse().ok();
            let found = parsed.as_ref().map(|agent| (agent.project.as_deref(), agent.name.as_str()));
            assert_eq!(found, expected, "{text}");
        }
        assert!("x".repeat(64).parse::<AgentName>().is_ok() && "x".repeat(65).parse::<AgentName>().is_err());
    }
}
