//! Keys and tokens with a prefix of their issuer.
//!
//! The prefixes, alphabets and lengths are those that the issuers, or their secret scanning partners, document; a
//! length that was changed once is a range.

use super::alphabet::Alphabet;
use super::placeholder::is_placeholder;
use super::{Secret, SecretKind};

/// The format of the keys of one issuer.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// The prefix of every key.
    pub prefix: &'static str,
    /// The name for messages: "a GitHub token".
    pub name: &'static str,
    /// The environment variable that programs usually read it from.
    pub variable: &'static str,
    alphabet: Alphabet,
    /// The minimum and maximum number of characters after the prefix.
    length: (usize, usize),
}

const fn format(
    prefix: &'static str,
    name: &'static str,
    variable: &'static str,
    alphabet: Alphabet,
    length: (usize, usize),
) -> Format {
    Format { prefix, name, variable, alphabet, length }
}

const ANY: usize = usize::MAX;
use Alphabet::{Capitals, Hex, Letters, Name, Url};

/// All formats, sorted by prefix.
pub(super) static FORMATS: &[Format] = &[
    format("AIza", "a Google API key", "GEMINI_API_KEY", Url, (35, 35)),
    format("AKIA", "an AWS access key", "AWS_ACCESS_KEY_ID", Capitals, (16, 16)),
    format("ASIA", "a temporary AWS access key", "AWS_ACCESS_KEY_ID", Capitals, (16, 16)),
    format("ATATT3", "an Atlassian API token", "ATLASSIAN_API_TOKEN", Url, (50, ANY)),
    format("GOCSPX-", "a Google client secret", "GOOGLE_CLIENT_SECRET", Url, (28, 28)),
    format("csk-", "a Cerebras API key", "CEREBRAS_API_KEY", Letters, (40, ANY)),
    format("dapi", "a Databricks token", "DATABRICKS_TOKEN", Hex, (32, 32)),
    format("dckr_pat_", "a Docker access token", "DOCKER_TOKEN", Url, (27, ANY)),
    format("doo_v1_", "a DigitalOcean token", "DIGITALOCEAN_ACCESS_TOKEN", Hex, (64, 64)),
    format("dop_v1_", "a DigitalOcean token", "DIGITALOCEAN_ACCESS_TOKEN", Hex, (64, 64)),
    format("dor_v1_", "a DigitalOcean token", "DIGITALOCEAN_ACCESS_TOKEN", Hex, (64, 64)),
    format("fc-", "a Firecrawl API key", "FIRECRAWL_API_KEY", Hex, (32, 32)),
    format("figd_", "a Figma access token", "FIGMA_API_KEY", Url, (36, ANY)),
    format("gho_", "a GitHub token", "GITHUB_TOKEN", Letters, (36, ANY)),
    format("ghp_", "a GitHub token", "GITHUB_TOKEN", Letters, (36, ANY)),
    format("ghr_", "a GitHub token", "GITHUB_TOKEN", Letters, (36, ANY)),
    format("ghs_", "a GitHub token", "GITHUB_TOKEN", Letters, (36, ANY)),
    format("ghu_", "a GitHub token", "GITHUB_TOKEN", Letters, (36, ANY)),
    format("github_pat_", "a GitHub token", "GITHUB_TOKEN", Name, (50, ANY)),
    format("gldt-", "a GitLab token", "GITLAB_TOKEN", Url, (20, ANY)),
    format("glpat-", "a GitLab token", "GITLAB_TOKEN", Url, (20, ANY)),
    format("glrt-", "a GitLab token", "GITLAB_TOKEN", Url, (20, ANY)),
    format("gsk_", "a Groq API key", "GROQ_API_KEY", Letters, (40, ANY)),
    format("hf_", "a Hugging Face token", "HF_TOKEN", Letters, (30, ANY)),
    format("hvs.", "a Vault token", "VAULT_TOKEN", Url, (24, ANY)),
    format("lin_api_", "a Linear API key", "LINEAR_API_KEY", Letters, (32, ANY)),
    format("lsv2_pt_", "a LangSmith API key", "LANGSMITH_API_KEY", Name, (32, ANY)),
    format("lsv2_sk_", "a LangSmith API key", "LANGSMITH_API_KEY", Name, (32, ANY)),
    format("npm_", "an npm access token", "NPM_TOKEN", Letters, (36, 36)),
    format("ntn_", "a Notion token", "NOTION_TOKEN", Letters, (40, ANY)),
    format("nvapi-", "an NVIDIA API key", "NVIDIA_API_KEY", Url, (50, ANY)),
    format("pplx-", "a Perplexity API key", "PERPLEXITY_API_KEY", Letters, (40, ANY)),
    format("pypi-", "a PyPI token", "PYPI_TOKEN", Url, (50, ANY)),
    format("r8_", "a Replicate API token", "REPLICATE_API_TOKEN", Letters, (37, ANY)),
    format("rk_live_", "a Stripe key", "STRIPE_API_KEY", Letters, (20, ANY)),
    format("sbp_", "a Supabase access token", "SUPABASE_ACCESS_TOKEN", Hex, (40, 40)),
    format("shpat_", "a Shopify access token", "SHOPIFY_ACCESS_TOKEN", Hex, (32, 32)),
    format("sk-", "an API key in the form of OpenAI's", "OPENAI_API_KEY", Letters, (20, ANY)),
    format("sk-admin-", "an OpenAI API key", "OPENAI_API_KEY", Url, (20, ANY)),
    format("sk-ant-", "an Anthropic API key", "ANTHROPIC_API_KEY", Url, (24, ANY)),
    format("sk-lf-", "a Langfuse API key", "LANGFUSE_SECRET_KEY", Url, (32, ANY)),
    format("sk-or-v1-", "an OpenRouter API key", "OPENROUTER_API_KEY", Hex, (64, 64)),
    format("sk-proj-", "an OpenAI API key", "OPENAI_API_KEY", Url, (20, ANY)),
    format("sk-svcacct-", "an OpenAI API key", "OPENAI_API_KEY", Url, (20, ANY)),
    format("sk_live_", "a Stripe key", "STRIPE_API_KEY", Letters, (20, ANY)),
    format("sntrys_", "a Sentry token", "SENTRY_AUTH_TOKEN", Url, (40, ANY)),
    format("tvly-", "a Tavily API key", "TAVILY_API_KEY", Url, (24, ANY)),
    format("whsec_", "a webhook secret", "STRIPE_WEBHOOK_SECRET", Letters, (32, ANY)),
    format("xai-", "an xAI API key", "XAI_API_KEY", Letters, (60, ANY)),
    format("xapp-", "a Slack token", "SLACK_APP_TOKEN", Url, (20, ANY)),
    format("xoxa-", "a Slack token", "SLACK_TOKEN", Url, (20, ANY)),
    format("xoxb-", "a Slack token", "SLACK_BOT_TOKEN", Url, (20, ANY)),
    format("xoxp-", "a Slack token", "SLACK_TOKEN", Url, (20, ANY)),
    format("xoxr-", "a Slack token", "SLACK_TOKEN", Url, (20, ANY)),
    format("xoxs-", "a Slack token", "SLACK_TOKEN", Url, (20, ANY)),
];

/// Formats without a distinctive prefix; [`super::structured`] recognizes their parts.
pub(super) static JWT: Format = format("eyJ", "a JSON web token", "API_TOKEN", Url, (0, ANY));
pub(super) static SENDGRID: Format = format("SG.", "a SendGrid API key", "SENDGRID_API_KEY", Url, (0, ANY));
pub(super) static TELEGRAM: Format = format("", "a Telegram bot token", "TELEGRAM_BOT_TOKEN", Url, (0, ANY));
pub(super) static ZHIPU: Format = format("", "a Zhipu API key", "ZHIPUAI_API_KEY", Hex, (0, ANY));

/// The first two bytes of all formats and scheme names as a bit set, which few words match.
static BEGINNINGS: [u64; 1024] = beginnings();

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates this, and finds a wrong index")]
const fn beginnings() -> [u64; 1024] {
    let schemes = [*b"be", *b"Be", *b"bE", *b"BE", *b"ba", *b"Ba", *b"bA", *b"BA"];
    let mut set = [0; 1024];
    let mut at = 0;
    while at < FORMATS.len() + schemes.len() {
        let [first, second] = if at < FORMATS.len() {
            let prefix = FORMATS[at].prefix.as_bytes();
            [prefix[0], prefix[1]]
        } else {
            schemes[at - FORMATS.len()]
        };
        let bit = (first as usize) << 8 | second as usize;
        set[bit >> 6] |= 1 << (bit & 63);
        at += 1;
    }
    set
}

/// Returns whether a string may begin with a prefix or a scheme name.
pub(super) fn may_begin(text: &[u8]) -> bool {
    let [first, second, ..] = text else { return false };
    let bit = usize::from(*first) << 8 | usize::from(*second);
    BEGINNINGS.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 == 1)
}

/// Returns the key that begins at `at`.
pub(super) fn at(text: &str, at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    let first = *rest.as_bytes().first()?;
    let begins = |format: &&Format| format.prefix.as_bytes().first() == Some(&first);
    let start = FORMATS.partition_point(|format| format.prefix.as_bytes().first() < Some(&first));
    FORMATS.iter().skip(start).take_while(begins).find_map(|format| {
        let length = format.key(rest)?.len();
        let hidden = at + format.prefix.len()..at + format.prefix.len() + length;
        Some(Secret { kind: SecretKind::Token(format), span: at..hidden.end, hidden })
    })
}

impl Format {
    /// Returns the part after the prefix, if the text begins with a key.
    fn key<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.strip_prefix(self.prefix)?;
        let key = self.alphabet.run(rest);
        let next = rest.as_bytes().get(key.len());
        let ends = next.is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_');
        let (least, most) = self.length;
        (ends && (least..=most).contains(&key.len()) && self.is_random(key)).then_some(key)
    }

    fn is_random(&self, key: &str) -> bool {
        // Words after such a short prefix have no digits.
        let has_digit = self.prefix != "sk-" || key.bytes().any(|byte| byte.is_ascii_digit());
        has_digit && !is_placeholder(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_sorted_by_prefix() {
        assert!(FORMATS.is_sorted_by(|a, b| a.prefix < b.prefix));
        for format in FORMATS {
            assert!(may_begin(format.prefix.as_bytes()), "{}", format.prefix);
        }
        assert!(may_begin(b"Bearer") && may_begin(b"basic") && !may_begin(b"members"));
    }
}
