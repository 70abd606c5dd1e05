//! The languages that agents are spoken to.

/// A language of the texts that agents are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// Returns the one of these that is nearest to a language tag such as `zh-Hans`.
    pub fn of_tag(tag: &str) -> Self {
        let is_chinese = tag.split('-').next().is_some_and(|language| language.eq_ignore_ascii_case("zh"));
        if is_chinese { Self::Chinese } else { Self::English }
    }
}
