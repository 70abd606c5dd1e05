//! The languages of text for agents.

use schemars::JsonSchema;
use serde::Serialize;

/// A language of text for agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// Returns the language that matches a language tag such as `zh-Hans`; English for all other languages.
    pub fn of_tag(tag: &str) -> Self {
        let is_chinese = tag.split('-').next().is_some_and(|language| language.eq_ignore_ascii_case("zh"));
        if is_chinese { Self::Chinese } else { Self::English }
    }
}
