//! A change that the page asks for.

use minds_diagnostics::emit::JSON_VERSION;
use minds_document::ContentHash;
use minds_operations::task::{Edit, Request};
use minds_taskdoc::{Section, TaskCode, TaskError};
use serde::{Deserialize, Serialize};

use crate::document::{Part, Trouble};
use crate::view::View;

/// What the page sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    /// The whole new content.
    content: Option<String>,
    /// To empty it.
    #[serde(default)]
    clear: bool,
    /// The hash of what the page showed; `null` if the section was not there. It must be said.
    #[serde(deserialize_with = "said")]
    hash: Option<String>,
}

/// What is answered to it.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    version: u32,
    status: &'static str,
    /// Whether there was anything to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    #[serde(flatten)]
    trouble: Option<Trouble>,
    /// What the section is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Part>,
    #[serde(skip)]
    refusal: Option<TaskCode>,
}

impl Outcome {
    /// Says that something was refused.
    pub(crate) fn refused(error: &TaskError, section: Option<Part>) -> Self {
        let trouble = Some(Trouble::of(error));
        let refusal = Some(error.code);
        Self { version: JSON_VERSION, status: "error", changed: None, trouble, section, refusal }
    }

    /// Returns why it was refused, if it was.
    pub(crate) fn refusal(&self) -> Option<TaskCode> {
        self.refusal
    }
}

impl Wish {
    /// Reads what the page sends.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it, in words.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| format!("the body is no change: {error}"))
    }

    fn into_request(self, section: Section) -> Result<Request, TaskError> {
        let expected: Option<ContentHash> = match self.hash.as_deref().map(str::parse).transpose() {
            Ok(expected) => expected,
            Err(error) => {
                let error: minds_document::ContentHashError = error;
                return Err(TaskError::new(TaskCode::InvalidHash, error.to_string()));
            }
        };
        let edit = match (self.clear, self.content, expected) {
            (true, None, Some(_)) => Edit::Clear,
            (false, Some(content), Some(_)) => Edit::Set(content),
            // What was not there must not be there now.
            (false, Some(content), None) => Edit::Create(content),
            (true, ..) | (false, None, _) => {
                let message = "either `content` is needed, or `clear` and the hash of what is cleared";
                return Err(TaskError::new(TaskCode::ContentRequired, message).next("give one of them"));
            }
        };
        Ok(Request { section, edit, expected })
    }
}

impl View {
    /// Changes a section if it is still what the page showed, and says what it is then.
    pub(crate) fn change(&self, section: &Section, wish: Wish) -> Outcome {
        let request = wish.into_request(section.clone());
        let done = self.package().and_then(|package| package.change(&self.author(), &request?));
        let now = self.part(section).ok();
        match done {
            Ok(changed) => Outcome {
                version: JSON_VERSION,
                status: "ok",
                changed: Some(changed.entry.is_some()),
                trouble: None,
                section: now,
                refusal: None,
            },
            Err(error) => Outcome::refused(&error, now),
        }
    }
}

/// Reads a value that may be `null` and must be there.
fn said<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &str) {
        let read = Wish::read(body.as_bytes());
        let shown = match read.map(|wish| wish.into_request(Section::GOALS)) {
            Err(_) => "no change".to_owned(),
            Ok(Err(error)) => error.code.to_string(),
            Ok(Ok(request)) => format!("{:?} {}", request.edit, request.expected.is_some()),
        };
        assert_eq!(shown, expected, "{body}");
    }

    #[test]
    fn a_change_says_what_and_on_which_content() {
        let hash = ContentHash::of(b"").to_string();
        check(&format!(r#"{{"content": "a", "hash": "{hash}"}}"#), r#"Set("a") true"#);
        check(&format!(r#"{{"clear": true, "hash": "{hash}"}}"#), "Clear true");
        check(r#"{"content": "a", "hash": null}"#, r#"Create("a") false"#);
        check(r#"{"content": "a"}"#, "no change");
        check(r#"{"content": "a", "hash": 1}"#, "no change");
        check(r#"{"content": "a", "hash": null, "force": true}"#, "no change");
        check(r#"{"content": "a", "content": "b", "hash": null}"#, "no change");
        check("[]", "no change");
        check("", "no change");
        check(r#"{"content": "a", "hash": "sha256:0"}"#, "INVALID_HASH");
        check(&format!(r#"{{"content": "a", "clear": true, "hash": "{hash}"}}"#), "CONTENT_REQUIRED");
        check(&format!(r#"{{"hash": "{hash}"}}"#), "CONTENT_REQUIRED");
        check(r#"{"clear": true, "hash": null}"#, "CONTENT_REQUIRED");
    }
}
