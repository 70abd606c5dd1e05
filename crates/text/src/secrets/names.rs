//! Classification of keys by whether their value is a secret.

use super::name_words::{
    FILLERS, OWNERS, PROPERTY_WORDS, PUBLIC_KEYS, PUBLIC_TOKENS, STRONG, STRONG_ENDS, VARIABLES,
};

/// How a value is treated because of the name of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyClass {
    /// The name indicates nothing: only the form of the value can make it a secret.
    Ordinary,
    /// The name is ambiguous, as `key` and `auth` are: a value that looks random is a secret.
    Weak,
    /// A single value of the key is a secret, but the key may also have a mapping of settings, as `secret-keeper`
    /// does.
    Scalar,
    /// Everything inside the value is a secret.
    Secret,
    /// The name is that of an environment variable with a secret: only a value that cannot be such a name is a
    /// secret.
    Variable,
}

/// The maximum length of a name; of a longer one, only the end counts.
const MAX_NAME: usize = 128;

/// Returns whether the value of a key of this name, inside of a secret, may be shown: it states the place or the
/// usage of the secret.
pub(super) fn is_metadata_key(name: &str) -> bool {
    let words = words(name);
    words
        .last()
        .is_some_and(|last| PROPERTY_WORDS.contains(&last.as_str()) || VARIABLES.contains(&last.as_str()))
}

/// Returns whether the value of a key with this name is a secret, independent of its form. Letter case and how words
/// are joined (`apiKey`, `api-key`, `API_KEY`, `--api-key`) make no difference.
///
/// ```
/// use minds_text::secrets::{KeyClass, classify_key};
///
/// assert_eq!(classify_key("X-Api-Key"), KeyClass::Secret);
/// assert_eq!(classify_key("max_tokens"), KeyClass::Ordinary);
/// assert_eq!(classify_key("apiKeyEnvVar"), KeyClass::Variable);
/// ```
pub fn classify_key(name: &str) -> KeyClass {
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while words.len() > 1 && words.last().is_some_and(|last| FILLERS.contains(last)) {
        words.pop();
    }
    let Some((last, before)) = words.split_last() else { return KeyClass::Ordinary };
    // A name with a `/` is a path, or the code of a rule, such as `secret/token`.
    if name.contains('/') {
        return KeyClass::Ordinary;
    }
    if VARIABLES.contains(last) {
        let is_secret = before.iter().any(|word| is_strong(word) || ["key", "token"].contains(word));
        return if is_secret { KeyClass::Variable } else { KeyClass::Ordinary };
    }
    if PROPERTY_WORDS.contains(last) {
        return KeyClass::Ordinary;
    }
    let previous = before.last().copied();
    let by_last = match *last {
        "key" => match previous {
            None => KeyClass::Weak,
            Some(word) if PUBLIC_KEYS.contains(&word) => KeyClass::Ordinary,
            Some(_) => KeyClass::Secret,
        },
        "token" => match previous {
            Some(word) if PUBLIC_TOKENS.contains(&word) => KeyClass::Ordinary,
            _ => KeyClass::Secret,
        },
        "keys" | "tokens" if previous.is_some_and(|word| OWNERS.contains(&word)) => KeyClass::Secret,
        "auth" | "bearer" | "pass" | "pin" | "sig" | "signature" | "session" => KeyClass::Weak,
        // `PWD` is the current directory.
        "pwd" if previous.is_some_and(|word| word != "old") => KeyClass::Secret,
        "cookie" | "cookies" => KeyClass::Secret,
        word if is_strong(word) => KeyClass::Secret,
        word if word.strip_suffix("token").is_some_and(|owner| !PUBLIC_TOKENS.contains(&owner)) => {
            KeyClass::Secret
        }
        _ => KeyClass::Ordinary,
    };
    if by_last == KeyClass::Ordinary && before.iter().any(|word| is_strong(word)) {
        return KeyClass::Scalar;
    }
    by_last
}

fn is_strong(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    [word, singular]
        .iter()
        .any(|word| STRONG.contains(word) || STRONG_ENDS.iter().any(|end| word.ends_with(end)))
}

/// Returns the words of a name in lower case and without trailing digits: `X-Api-Key` and `xAPIKey2` have the words
/// `x`, `api` and `key`.
fn words(name: &str) -> Vec<String> {
    let start = name.len().saturating_sub(MAX_NAME);
    let start = (start..=name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut previous = ' ';
    let mut characters = name.get(start..).unwrap_or_default().chars().peekable();
    while let Some(c) = characters.next() {
        let is_hump = c.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_ascii_digit()
                || (previous.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase())));
        if c.is_alphabetic() || (c.is_ascii_digit() && is_open) {
            if !is_open || is_hump {
                words.push(String::new());
            }
            is_open = true;
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        } else {
            is_open = false;
        }
        previous = c;
    }
    for word in &mut words {
        word.truncate(word.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: KeyClass, names: &[&str]) {
        for name in names {
            assert_eq!(classify_key(name), expected, "{name}: {:?}", words(name));
        }
    }

    #[test]
    fn keys_that_name_secrets_are_recognized_in_every_spelling() {
        check(
            KeyClass::Secret,
            &[
                "apiKey",
                "api_key",
                "api-key",
                "API_KEY",
                "apikey",
                "APIKEY",
                "ApiKey",
                "--api-key",
                "X-Api-Key",
                "x-api-key",
                "OPENAI_API_KEY",
                "openaiApiKey",
                "APIKey",
                "XAPIKey",
                "api key",
                "apiKeyValue",
                "password",
                "Password",
                "DB_PASSWORD",
                "dbPassword",
                "dbpassword",
                "PGPASSWORD",
                "--password",
                "password2",
                "PASSWORD_2",
                "passwd",
                "passphrase",
                "sshPassphrase",
                "MYSQL_PWD",
                "db-pwd",
                "secret",
                "client_secret",
                "clientSecret",
                "SECRET_KEY_BASE",
                "AWS_SECRET_ACCESS_KEY",
                "secrets",
                "token",
                "access_token",
                "accessToken",
                "GITHUB_TOKEN",
                "GH_TOKEN",
                "auth-token",
                "authtoken",
                "token_value",
                "refreshToken",
                "bearerToken",
                "apiTokens",
                "api_keys",
                "ssh_keys",
                "authorization",
                "Authorization",
                "Proxy-Authorization",
                "credential",
                "credentials",
                "cookie",
                "Set-Cookie",
                "private_key",
                "privateKey",
                "signing_key",
                "encryption.key",
                "hmac-key",
                "auth.password",
                "oauth2Token",
                "githubtoken",
                "api_key_base64",
            ],
        );
        check(KeyClass::Weak, &["key", "KEY", "key_value", "auth", "pass", "sig", "signature", "REDIS_AUTH"]);
        check(
            KeyClass::Variable,
            &["apiKeyEnvVar", "api_key_env_var", "apiKeyEnv", "token-variable", "secretEnv"],
        );
        check(KeyClass::Scalar, &["secret-keeper", "password_hash"]);
    }

    #[test]
    fn ordinary_keys_do_not_name_secrets() {
        check(
            KeyClass::Ordinary,
            &[
                "max_tokens",
                "maxTokens",
                "output_tokens",
                "tokens",
                "max-completion-tokens",
                "token_limit",
                "token_budget",
                "tokenCount",
                "tokenizer",
                "page_token",
                "nextToken",
                "eos_token",
                "stop_token",
                "key_order",
                "keyOrder",
                "keyboard",
                "monkey",
                "turkey",
                "keys",
                "keynote",
                "public_key",
                "publicKey",
                "primary_key",
                "sort_key",
                "cache_key",
                "hotkey",
                "cacheKey",
                "keymap",
                "secret/token",
                "token_url",
                "tokenEndpoint",
                "password_file",
                "passwordFile",
                "key_file",
                "key-path",
                "secret_name",
                "secretRef",
                "key_id",
                "password_min_length",
                "authorization_url",
                "author",
                "authority",
                "authors",
                "PWD",
                "OLDPWD",
                "compass",
                "bypass",
                "model",
                "name",
                "value",
                "url",
                "env",
                "prefix",
                "",
                "-",
                "42",
                "secretary",
                "tokenize",
            ],
        );
    }
}
