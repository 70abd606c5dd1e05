//! The estimate of tokens.

/// A rough estimate for text in English. Tokenizers are not public for all models.
pub const BYTES_PER_TOKEN: usize = 4;

/// How tokens are estimated, for people.
pub const TOKEN_ESTIMATE: &str = "estimated with 4 bytes for each token";

/// Returns about how many tokens text with this number of bytes has.
pub fn estimate_tokens(bytes: usize) -> usize {
    bytes / BYTES_PER_TOKEN
}
