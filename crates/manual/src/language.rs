//! The languages of the manual.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language of the manual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// `en`
    #[default]
    #[serde(rename = "en")]
    English,
    /// `zh`
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// The codes of the languages.
    pub const CODES: &[&str] = &["en", "zh"];

    /// Returns the language with a code.
    pub fn parse(code: &str) -> Option<Self> {
        [Self::English, Self::Chinese].into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the code of the language.
    pub fn as_str(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// Returns the value for this language.
    pub(crate) fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
