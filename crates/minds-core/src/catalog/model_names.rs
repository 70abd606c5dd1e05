//! The names under which clients and providers accept a model.

use super::{BuiltinModel, BuiltinProvider};

impl BuiltinProvider {
    /// Returns the model with a key, or with another spelling of it that the provider accepts: with a date, `-latest` or a
    /// length of the context in brackets, and with `-` for a dot where the provider writes it so.
    pub fn find_model(&self, name: &str) -> Option<&'static BuiltinModel> {
        let exact = self.models.iter().find(|model| model.key == name);
        exact.or_else(|| {
            let plain = self.plain_name(name);
            self.models.iter().find(|model| self.plain_name(model.key) == plain)
        })
    }

    /// Returns whether a name is one of a model of the provider, or one that clients accept in its place.
    pub fn accepts(&self, name: &str) -> bool {
        self.aliases.contains(&without_context(name)) || self.find_model(name).is_some()
    }

    /// Returns a name without what does not select another model.
    fn plain_name(&self, name: &str) -> String {
        let name = without_date(without_context(name));
        if self.is_dashed { name.replace('.', "-") } else { name.to_owned() }
    }
}

/// Returns whether two names differ only in their numbers, so that one may be a later version of the other.
pub fn is_other_version(name: &str, other: &str) -> bool {
    let words = |name: &'_ str| -> Vec<String> {
        let words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    name != other && words(name) == words(other)
}

/// Returns a name without a length of the context, as in `sonnet[1m]`.
fn without_context(name: &str) -> &str {
    name.strip_suffix(']').and_then(|name| name.split_once('[')).map_or(name, |(name, _)| name)
}

/// Returns a name without `-latest` or the date of a version: `-20250929`, `@20250929` or `-2025-09-29`.
fn without_date(name: &str) -> &str {
    let is_number =
        |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(name) = name.strip_suffix("-latest") {
        return name;
    }
    if let Some((name, date)) = name.rsplit_once(['-', '@'])
        && is_number(date, 8)
    {
        return name;
    }
    let mut parts = name.rsplitn(4, '-');
    if let (Some(day), Some(month), Some(year), Some(name)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
        && is_number(day, 2)
        && is_number(month, 2)
        && is_number(year, 4)
    {
        return name;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::find_provider;
    use super::*;

    #[test]
    fn names_of_clients_and_providers_are_accepted() {
        for (provider, name, model) in [
            ("anthropic", "claude-sonnet-4.5", Some("claude-sonnet-4.5")),
            ("anthropic", "claude-sonnet-4-5", Some("claude-sonnet-4.5")),
            ("anthropic", "claude-sonnet-4-5-20250929", Some("claude-sonnet-4.5")),
            ("anthropic", "claude-sonnet-4-5@20250929", Some("claude-sonnet-4.5")),
            ("anthropic", "claude-sonnet-4-5[1m]", Some("claude-sonnet-4.5")),
            ("anthropic", "claude-opus-4-20250514", Some("claude-opus-4-20250514")),
            ("anthropic", "claude-sonnet-4-9", None),
            ("anthropic", "claude-sonet-4.5", None),
            ("openai", "gpt-5.2-2025-12-11", Some("gpt-5.2")),
            ("openai", "gpt-5-2", None),
            ("google", "gemini-2-5-pro", None),
            ("google", "gemini-2.5-pro-latest", Some("gemini-2.5-pro")),
            ("minimax.io", "minimax-m2", None),
        ] {
            let provider = find_provider(provider).unwrap();
            assert_eq!(provider.find_model(name).map(|model| model.key), model, "{name}");
            assert_eq!(provider.accepts(name), model.is_some(), "{name}");
        }
        let anthropic = find_provider("anthropic").unwrap();
        assert!(anthropic.accepts("sonnet") && anthropic.accepts("opus[1m]") && !anthropic.accepts("sonet"));
    }

    #[test]
    fn versions_are_compared_without_numbers() {
        for (name, other, expected) in [
            ("claude-sonnet-9", "claude-sonnet-4.5", true),
            ("gpt-5.7", "gpt-5.5", true),
            ("gpt-5.2-codx", "gpt-5.2-codex", false),
            ("gpt-5.2", "gpt-5.2", false),
            ("ä", "gpt", false),
        ] {
            assert_eq!(is_other_version(name, other), expected, "{name} {other}");
        }
    }
}
