//! A change of a section that the page requests.

use minds_diagnostics::JSON_VERSION;
use minds_task_store::{Edit, Request};
use minds_taskdoc::{Section, TaskCode, TaskError};
use minds_vfs::ContentHash;
use serde::{Deserialize, Serialize};

use crate::view::View;
use crate::view::document::{Part, Problem, Status};

/// The body of a request to change a section.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SectionChange {
    /// The new content.
    content: Option<String>,
    /// Whether to empty the section.
    #[serde(default)]
    clear: bool,
    /// The hash of the content that the page displayed; `null` if the section did not exist. Required.
    #[serde(deserialize_with = "deserialize_required")]
    hash: Option<String>,
}

/// The body of the reply.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    version: u32,
    status: Status,
    /// Whether the content has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    #[serde(flatten)]
    problem: Option<Problem>,
    /// The current state of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Part>,
    #[serde(skip)]
    refusal: Option<TaskCode>,
}

impl Outcome {
    /// Creates the reply to a change that was refused.
    pub(crate) fn from_error(error: &TaskError, section: Option<Part>) -> Self {
        let problem = Some(Problem::of(error));
        let refusal = Some(error.code);
        Self { version: JSON_VERSION, status: Status::Error, changed: None, problem, section, refusal }
    }

    /// Returns the code of the refusal.
    pub(crate) fn refusal(&self) -> Option<TaskCode> {
        self.refusal
    }
}

impl SectionChange {
    /// Parses the body of a request.
    ///
    /// # Errors
    ///
    /// Returns a message that describes the error.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| format!("the body is not a valid change: {error}"))
    }

    fn into_request(self, section: Section) -> Result<Request, TaskError> {
        let expected: Option<ContentHash> = match self.hash.as_deref().map(str::parse).transpose() {
            Ok(expected) => expected,
            Err(error) => {
                let error: minds_vfs::ContentHashError = error;
                return Err(TaskError::new(TaskCode::InvalidHash, error.to_string()));
            }
        };
        let edit = match (self.clear, self.content, expected) {
            (true, None, Some(_)) => Edit::Clear,
            (false, Some(content), Some(_)) => Edit::Set(content),
            // A section that did not exist must still not exist.
            (false, Some(content), None) => Edit::Create(content),
            (true, ..) | (false, None, _) => {
                let message = "either `content`, or `clear` and `hash`, is required";
                return Err(TaskError::new(TaskCode::ContentRequired, message).next("send one of them"));
            }
        };
        Ok(Request { section, edit, expected })
    }
}

impl View {
    /// Changes a section, unless it differs from the content that the page displayed. The result has its current state.
    pub(crate) fn change(&self, section: &Section, change: SectionChange) -> Outcome {
        let request = change.into_request(section.clone());
        let result = self.package().and_then(|package| package.change(&self.author(), &request?));
        let current = self.part(section).ok();
        match result {
            Ok(changed) => Outcome {
                version: JSON_VERSION,
                status: Status::Ok,
                changed: Some(changed.entry.is_some()),
                problem: None,
                section: current,
                refusal: None,
            },
            Err(error) => Outcome::from_error(&error, current),
        }
    }
}

/// Deserializes a required value, which may be `null`.
fn deserialize_required<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &str) {
        let read = SectionChange::parse(body.as_bytes());
        let result = match read.map(|change| change.into_request(Section::GOALS)) {
            Err(_) => "not valid".to_owned(),
            Ok(Err(error)) => error.code.to_string(),
            Ok(Ok(request)) => format!("{:?} {}", request.edit, request.expected.is_some()),
        };
        assert_eq!(result, expected, "{body}");
    }

    #[test]
    fn a_change_needs_content_and_the_expected_hash() {
        let hash = ContentHash::of(b"").to_string();
        check(&format!(r#"{{"content": "a", "hash": "{hash}"}}"#), r#"Set("a") true"#);
        check(&format!(r#"{{"clear": true, "hash": "{hash}"}}"#), "Clear true");
        check(r#"{"content": "a", "hash": null}"#, r#"Create("a") false"#);
        check(r#"{"content": "a"}"#, "not valid");
        check(r#"{"content": "a", "hash": 1}"#, "not valid");
        check(r#"{"content": "a", "hash": null, "force": true}"#, "not valid");
        check(r#"{"content": "a", "content": "b", "hash": null}"#, "not valid");
        check("[]", "not valid");
        check("", "not valid");
        check(r#"{"content": "a", "hash": "sha256:0"}"#, "INVALID_HASH");
        check(&format!(r#"{{"content": "a", "clear": true, "hash": "{hash}"}}"#), "CONTENT_REQUIRED");
        check(&format!(r#"{{"hash": "{hash}"}}"#), "CONTENT_REQUIRED");
        check(r#"{"clear": true, "hash": null}"#, "CONTENT_REQUIRED");
    }
}
