//! The files with recorded decisions.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::clients) enum Operation {
    Read,
    Write,
    /// Writing with the tool that edits, where it is judged apart.
    Edit,
    /// Searching a directory for a part of all files.
    Search,
    /// Reading with a command.
    CommandRead,
    /// Writing with a command.
    CommandWrite,
}

impl Operation {
    const ALL: [Self; 6] =
        [Self::Read, Self::Write, Self::Edit, Self::Search, Self::CommandRead, Self::CommandWrite];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::CommandRead => "command-read",
            Self::CommandWrite => "command-write",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::clients) enum Decision {
    Allowed,
    /// Refused, also because there is no user who could be asked.
    Refused,
}

pub(in crate::clients) struct Question {
    pub(in crate::clients) operation: Operation,
    /// The path as the model writes it; `@WORK@` stands for the workspace.
    pub(in crate::clients) path: String,
    /// The recorded decision.
    pub(in crate::clients) decision: Option<Decision>,
}

/// Questions with the same permissions.
pub(in crate::clients) struct Session {
    pub(in crate::clients) name: String,
    /// The permissions in the form of the client; none if the files of a team were rendered.
    pub(in crate::clients) permissions: Option<Value>,
    /// The lists of a team of which the permissions were rendered, if they were.
    pub(in crate::clients) lists: Option<Value>,
    pub(in crate::clients) questions: Vec<Question>,
}

pub(in crate::clients) struct Record {
    pub(in crate::clients) version: String,
    pub(in crate::clients) sessions: Vec<Session>,
}

impl Record {
    pub(in crate::clients) fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let sessions = value["sessions"].as_array().ok_or("no sessions")?;
        let version = value["version"].as_str().unwrap_or_default().to_owned();
        Ok(Self { version, sessions: sessions.iter().map(Session::parse).collect::<Result<_, _>>()? })
    }

    /// Prints the file with a line for each question.
    pub(in crate::clients) fn print(&self, client: &str) -> String {
        let sessions: Vec<String> = self.sessions.iter().map(Session::print).collect();
        format!(
            "{{\n\"client\": {},\n\"version\": {},\n\"sessions\": [\n{}\n]\n}}\n",
            json!(client),
            json!(self.version),
            sessions.join(",\n")
        )
    }
}

impl Session {
    fn parse(value: &Value) -> Result<Self, String> {
        let name = value["name"].as_str().ok_or("a session has no name")?.to_owned();
        let questions = value["questions"].as_array().ok_or("a session has no questions")?;
        let questions = questions.iter().map(Question::parse).collect::<Result<_, _>>()?;
        Ok(Self {
            name,
            permissions: value.get("permissions").cloned(),
            lists: value.get("lists").cloned(),
            questions,
        })
    }

    fn print(&self) -> String {
        let member = |key: &str, value: Option<&Value>| {
            value.map_or_else(String::new, |value| format!("\n  \"{key}\": {value},"))
        };
        let questions: Vec<String> =
            self.questions.iter().map(|question| format!("\n    {}", question.print())).collect();
        let end = if questions.is_empty() { "" } else { "\n  " };
        format!(
            "{{\n  \"name\": {},{}{}\n  \"questions\": [{}{end}]\n}}",
            json!(self.name),
            member("lists", self.lists.as_ref()),
            member("permissions", self.permissions.as_ref()),
            questions.join(",")
        )
    }
}

impl Question {
    fn parse(value: &Value) -> Result<Self, String> {
        let operation = Operation::ALL.into_iter().find(|operation| value[0] == operation.as_str());
        let operation = operation.ok_or_else(|| format!("no operation: {value}"))?;
        let path = value[1].as_str().ok_or_else(|| format!("no path: {value}"))?.to_owned();
        let decision = match value[2].as_str() {
            Some("allowed") => Some(Decision::Allowed),
            Some("refused") => Some(Decision::Refused),
            _ => None,
        };
        Ok(Self { operation, path, decision })
    }

    pub(in crate::clients) fn print(&self) -> String {
        let decision = self.decision.map(|decision| match decision {
            Decision::Allowed => "allowed",
            Decision::Refused => "refused",
        });
        json!([self.operation.as_str(), self.path, decision]).to_string()
    }
}
