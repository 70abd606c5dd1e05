//! The files with recorded decisions.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Read,
    Write,
    /// Writing with the tool that edits, where it is judged apart.
    Edit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Allowed,
    /// Refused, also because there is no user who could be asked.
    Refused,
}

pub(super) struct Question {
    pub(super) operation: Operation,
    /// The path as the model writes it; `@WORK@` stands for the workspace.
    pub(super) path: String,
    /// The recorded decision.
    pub(super) decision: Option<Decision>,
}

/// Questions with the same permissions.
pub(super) struct Session {
    pub(super) name: String,
    /// The permissions in the form of the client.
    pub(super) permissions: Value,
    /// The lists of a team of which the permissions were rendered, if they were.
    lists: Option<Value>,
    pub(super) questions: Vec<Question>,
}

pub(super) struct Record {
    pub(super) version: String,
    pub(super) sessions: Vec<Session>,
}

impl Record {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let sessions = value["sessions"].as_array().ok_or("no sessions")?;
        let version = value["version"].as_str().unwrap_or_default().to_owned();
        Ok(Self { version, sessions: sessions.iter().map(Session::parse).collect::<Result<_, _>>()? })
    }

    /// Prints the file with a line for each question.
    pub(super) fn print(&self, client: &str) -> String {
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
            permissions: value["permissions"].clone(),
            lists: value.get("lists").cloned(),
            questions,
        })
    }

    fn print(&self) -> String {
        let questions: Vec<String> = self.questions.iter().map(Question::print).collect();
        let lists = self.lists.as_ref().map_or_else(String::new, |lists| format!("\n  \"lists\": {lists},"));
        format!(
            "{{\n  \"name\": {},{lists}\n  \"permissions\": {},\n  \"questions\": [\n    {}\n  ]\n}}",
            json!(self.name),
            self.permissions,
            questions.join(",\n    ")
        )
    }
}

impl Question {
    fn parse(value: &Value) -> Result<Self, String> {
        let operation = match value[0].as_str() {
            Some("read") => Operation::Read,
            Some("write") => Operation::Write,
            Some("edit") => Operation::Edit,
            _ => return Err(format!("no operation: {value}")),
        };
        let path = value[1].as_str().ok_or_else(|| format!("no path: {value}"))?.to_owned();
        let decision = match value[2].as_str() {
            Some("allowed") => Some(Decision::Allowed),
            Some("refused") => Some(Decision::Refused),
            _ => None,
        };
        Ok(Self { operation, path, decision })
    }

    fn print(&self) -> String {
        let operation = match self.operation {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Edit => "edit",
        };
        let decision = self.decision.map(|decision| match decision {
            Decision::Allowed => "allowed",
            Decision::Refused => "refused",
        });
        json!([operation, self.path, decision]).to_string()
    }
}
