//! All formats of keys are detected, similar text is not, and no report contains a key.

use minds_diagnostics::{Report, emit};
use minds_text::secrets::{TextKind, find, mask_secrets};
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

/// Returns random-looking text, so that the tests contain no key that a repository scanner would report.
fn random(alphabet: &str, length: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        alphabet[(state >> 16) as usize % alphabet.len()]
    };
    (0..length).map(|_| next()).collect()
}

const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// Prefix, alphabet, length of the rest, and description.
const FORMATS: &[(&str, &str, usize, &str)] = &[
    ("AIza", URL, 35, "a Google API key"),
    ("AKIA", CAPITALS, 16, "an AWS access key"),
    ("ASIA", CAPITALS, 16, "a temporary AWS access key"),
    ("ATATT3", URL, 180, "an Atlassian API token"),
    ("GOCSPX-", URL, 28, "a Google client secret"),
    ("csk-", LETTERS, 48, "a Cerebras API key"),
    ("dapi", HEX, 32, "a Databricks token"),
    ("dckr_pat_", URL, 27, "a Docker access token"),
    ("doo_v1_", HEX, 64, "a DigitalOcean token"),
    ("dop_v1_", HEX, 64, "a DigitalOcean token"),
    ("dor_v1_", HEX, 64, "a DigitalOcean token"),
    ("fc-", HEX, 32, "a Firecrawl API key"),
    ("figd_", URL, 40, "a Figma access token"),
    ("gho_", LETTERS, 36, "a GitHub token"),
    ("ghp_", LETTERS, 36, "a GitHub token"),
    ("ghr_", LETTERS, 76, "a GitHub token"),
    ("ghs_", LETTERS, 36, "a GitHub token"),
    ("ghu_", LETTERS, 36, "a GitHub token"),
    ("github_pat_", LETTERS, 82, "a GitHub token"),
    ("gldt-", URL, 20, "a GitLab token"),
    ("glpat-", URL, 20, "a GitLab token"),
    ("glrt-", URL, 20, "a GitLab token"),
    ("gsk_", LETTERS, 52, "a Groq API key"),
    ("hf_", LETTERS, 34, "a Hugging Face token"),
    ("hvs.", URL, 90, "a Vault token"),
    ("lin_api_", LETTERS, 40, "a Linear API key"),
    ("lsv2_pt_", HEX, 43, "a LangSmith API key"),
    ("lsv2_sk_", HEX, 43, "a LangSmith API key"),
    ("npm_", LETTERS, 36, "an npm access token"),
    ("ntn_", LETTERS, 46, "a Notion token"),
    ("nvapi-", URL, 64, "an NVIDIA API key"),
    ("pplx-", LETTERS, 48, "a Perplexity API key"),
    ("pypi-", URL, 160, "a PyPI token"),
    ("r8_", LETTERS, 37, "a Replicate API token"),
    ("rk_live_", LETTERS, 24, "a Stripe key"),
    ("sbp_", HEX, 40, "a Supabase access token"),
    ("shpat_", HEX, 32, "a Shopify access token"),
    ("sk-", LETTERS, 48, "an API key in the form of OpenAI's"),
    ("sk-admin-", URL, 120, "an OpenAI API key"),
    ("sk-ant-", URL, 101, "an Anthropic API key"),
    ("sk-lf-", HEX, 36, "a Langfuse API key"),
    ("sk-or-v1-", HEX, 64, "an OpenRouter API key"),
    ("sk-proj-", URL, 156, "an OpenAI API key"),
    ("sk-svcacct-", URL, 156, "an OpenAI API key"),
    ("sk_live_", LETTERS, 24, "a Stripe key"),
    ("sntrys_", URL, 100, "a Sentry token"),
    ("tvly-", LETTERS, 32, "a Tavily API key"),
    ("whsec_", LETTERS, 32, "a webhook secret"),
    ("xai-", LETTERS, 80, "an xAI API key"),
    ("xapp-", URL, 60, "a Slack token"),
    ("xoxa-", URL, 50, "a Slack token"),
    ("xoxb-", URL, 50, "a Slack token"),
    ("xoxp-", URL, 70, "a Slack token"),
    ("xoxr-", URL, 50, "a Slack token"),
    ("xoxs-", URL, 50, "a Slack token"),
];

/// Returns one key of each structured format, with its description.
fn structured_keys() -> [(String, &'static str); 4] {
    [
        (format!("eyJ{}.eyJ{}.{}", random(URL, 33), random(URL, 60), random(URL, 43)), "a JSON web token"),
        (format!("SG.{}.{}", random(URL, 22), random(URL, 43)), "a SendGrid API key"),
        (format!("{}:{}", random("123456789", 10), random(URL, 35)), "a Telegram bot token"),
        (format!("{}.{}", random(HEX, 32), random(LETTERS, 16)), "a Zhipu API key"),
    ]
}

#[track_caller]
fn expect_secrets(text: &str, reading: TextKind, expected: &[&str]) {
    let found: Vec<&str> = find(text, reading).iter().map(|secret| secret.kind.name()).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn every_format_is_detected_at_any_place() {
    for (prefix, alphabet, length, name) in FORMATS {
        let key = format!("{prefix}{}", random(alphabet, *length));
        for (before, after) in [
            ("", ""),
            ("key: ", " # mine"),
            ("\"", "\""),
            ("KEY=", "\n"),
            ("“", "”"),
            ("密钥", "。"),
            ("\\n", "\\n"),
        ] {
            let text = format!("{before}{key}{after}");
            let found = find(&text, TextKind::Prose);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((found[0].kind.name(), &text[found[0].span.clone()]), (*name, key.as_str()));
            assert_eq!(
                mask_secrets(&text, TextKind::Prose),
                format!("{before}{prefix}{}{after}", "*".repeat(*length))
            );
        }
    }
    for (key, name) in structured_keys() {
        expect_secrets(&format!("key: '{key}'"), TextKind::Prose, &[name]);
    }
}

#[test]
fn text_that_only_resembles_a_key_is_not_reported() {
    for (prefix, alphabet, length, _) in FORMATS {
        let rest = random(alphabet, *length);
        for near in [
            prefix.to_string(),
            format!("{prefix}..."),
            format!("{prefix}{}", "x".repeat(*length)),
            format!("{prefix}{}", "ab".repeat(length / 2)),
            format!("{prefix}YOURKEY{}", &rest[7..]),
            // Too short, cut by another character, or a part of a longer word.
            format!("{prefix}{}", &rest[..10]),
            format!("{prefix}{}!{}", &rest[..8], &rest[8..16]),
            format!("a{prefix}{rest}"),
            format!("<{prefix}your-key>"),
            format!("${{{prefix}KEY}}"),
        ] {
            expect_secrets(&near, TextKind::Prose, &[]);
        }
    }
    for (key, _) in structured_keys() {
        expect_secrets(&key[..key.len() - 30], TextKind::Prose, &[]);
        expect_secrets(&key.replace(['.', ':'], " "), TextKind::Prose, &[]);
    }
}

#[test]
fn credentials_in_urls() {
    use TextKind::{Prose, Settings};
    const URL_KEY: &str = "a key in the query of a URL";
    const PASSWORD: &str = "a password in a URL";
    for (text, expected) in [
        ("https://ana:kX9-plum@example.org/x", [PASSWORD].as_slice()),
        ("postgres://ana:kX9@db:5432/articles", &[PASSWORD]),
        ("see <https://ana:p%40ss9@example.org>", &[PASSWORD]),
        ("https://example.org/?a=1&api_key=5f1c9a3e7d20", &[URL_KEY]),
        ("https://example.org/?tavilyApiKey=5f1c9a3e7d20#top", &[URL_KEY]),
        ("https://ana:kX9@example.org/?token=5f1c9a3e7d20", &[PASSWORD, URL_KEY]),
        ("redis://ana:kX9/plum@example.org/0", &[PASSWORD]),
        ("redis://ana:kX9?plum@example.org", &[PASSWORD]),
        ("redis://:kX9#plum@[::1]:6379/0", &[PASSWORD]),
        ("https://example.org:80/@scope/pkg", &[]),
        ("https://example.org:PORT/@scope/pkg", &[]),
        ("https://example.org:${PORT}/@scope/pkg", &[]),
        ("https://[2001:db8::1]/a@b", &[]),
        ("https://example.org:x/a and b@c", &[]),
        ("https://git@example.org:team/shop@v1", &[]),
        ("https://example.org/x", &[]),
        ("https://ana@example.org/x", &[]),
        ("https://example.org:8080/x@y", &[]),
        ("https://example.org/a:b@c", &[]),
        ("https://ana:@example.org", &[]),
        ("https://ana:${PASSWORD}@example.org", &[]),
        ("https://ana:<password>@example.org", &[]),
        ("https://ana:****@example.org", &[]),
        ("https://ana:your-password@example.org", &[]),
        ("postgres://postgres:postgres@localhost/articles", &[]),
        ("https://example.org/?api_key=${KEY}", &[]),
        ("https://example.org/?api_key=YOUR_API_KEY", &[]),
        ("https://example.org/?page_token=5f1c9a3e7d20", &[]),
        ("https://example.org/?max_tokens=40960000", &[]),
        ("https://example.org/?monkey=5f1c9a3e7d20", &[]),
    ] {
        expect_secrets(text, Settings, expected);
        expect_secrets(text, Prose, expected);
    }
    // An example in prose is a real value in a setting.
    for text in ["https://user:password@example.org", "https://admin:admin@example.org"] {
        expect_secrets(text, Settings, &[PASSWORD]);
        expect_secrets(text, Prose, &[]);
    }
    // A key of a recognized service.
    let key = format!("ghp_{}", random(LETTERS, 36));
    expect_secrets(&format!("https://{key}:x-oauth-basic@example.org"), Settings, &["a GitHub token"]);
    expect_secrets(&format!("https://ana:{key}@example.org"), Settings, &["a GitHub token"]);
    expect_secrets(&format!("https://example.org?token={key}"), Settings, &["a GitHub token"]);
}

#[test]
fn authorization_headers() {
    use TextKind::{Prose, Settings};
    const BEARER: &str = "a bearer token";
    const BASIC: &str = "a user name and password";
    for (text, settings, prose) in [
        ("Bearer 7f3a9c1e5b8d2f604a6c", [BEARER].as_slice(), [BEARER].as_slice()),
        ("authorization: bearer 7f3a9c1e5b8d2f604a6c", &[BEARER], &[BEARER]),
        ("Bearer kX9-plum-42", &[BEARER], &[]),
        ("Bearer <token>", &[], &[]),
        ("Bearer ${TOKEN_2}", &[], &[]),
        ("Bearer YOUR_TOKEN_123", &[], &[]),
        ("Bearer responsibilities", &[], &[]),
        ("Bearer ", &[], &[]),
        ("forbearer 7f3a9c1e5b8d2f604a6c", &[], &[]),
        ("Basic dGVhbTprWDktcGx1bS00Mg==", &[BASIC], &[BASIC]),
        ("Basic dGVhbTprWDktcGx1bS00Mg", &[BASIC], &[BASIC]),
        ("Basic understanding", &[], &[]),
        ("Basic dGVhbTo=", &[], &[]),
    ] {
        expect_secrets(text, Settings, settings);
        expect_secrets(text, Prose, prose);
    }
    expect_secrets(&format!("Bearer sk-ant-{}", random(URL, 60)), Settings, &["an Anthropic API key"]);
    // The beginning of a redacted key is not a separate token.
    expect_secrets(&["Bearer lsv2", "_pt_****************"].concat(), Settings, &[]);
}

#[test]
fn private_keys() {
    let body = format!("{}\n{}\n", random(LETTERS, 64), random(LETTERS, 40));
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = format!("-----BEGIN {label}-----\n{body}-----END {label}-----");
        expect_secrets(&format!("# Access\n\n{key}\n"), TextKind::Prose, &["a private key"]);
        expect_secrets(&key.replace('\n', "\\n"), TextKind::Settings, &["a private key"]);
        expect_secrets(&format!("{key}\n{key}"), TextKind::Settings, &["a private key", "a private key"]);
        // An unterminated key is detected as well.
        expect_secrets(&format!("-----BEGIN {label}-----\n{body}"), TextKind::Settings, &["a private key"]);
    }
    let shown = mask_secrets(
        &format!("a\n-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\nb"),
        TextKind::Prose,
    )
    .into_owned();
    let stars = |count| "*".repeat(count);
    assert_eq!(
        shown,
        format!("a\n-----BEGIN PRIVATE KEY-----\n{}\n{}\n-----END PRIVATE KEY-----\nb", stars(64), stars(40))
    );
    for text in [
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
        "a block begins with `-----BEGIN PRIVATE KEY-----`".to_owned(),
        format!("-----BEGIN PUBLIC KEY-----\n{body}-----END PUBLIC KEY-----"),
        format!("-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----"),
    ] {
        expect_secrets(&text, TextKind::Prose, &[]);
    }
}

/// Returns everything that a check of a workspace can print.
fn print_all(files: &[(&str, String)]) -> String {
    let with = |snapshot: Snapshot, (path, text): &(&str, String)| {
        snapshot.with_file(WorkspacePath::parse(path).unwrap(), text)
    };
    let snapshot = files.iter().fold(Snapshot::new(), with);
    let checked = minds_workspace::check(&snapshot);
    assert!(checked.diagnostics.iter().any(|found| found.rule.area() == "secret"), "{files:?}");
    let report = Report {
        root: ".".into(),
        files: checked.files,
        diagnostics: checked.diagnostics,
        ..Report::default()
    };
    let rules = minds_workspace::rules();
    let mut all = emit::human(&report, emit::Human { color: true, width: 10_000 });
    all += &emit::concise(&report);
    all += &emit::json(&report);
    all += &emit::sarif(&report, emit::Tool { version: "0", rules: &rules });
    all += &emit::github(&report);
    all += &serde_json::to_string(&minds_workspace::show_team(&snapshot).value).unwrap();
    all
}

#[test]
fn no_report_contains_a_secret() {
    for (prefix, alphabet, length, _) in FORMATS {
        let rest = random(alphabet, *length);
        let key = format!("{prefix}{rest}");
        let team = format!(
            "member_defaults: {{provider: {key}, model: {key}, {key}: 1, tools: {key}, model_params: {{user: {key}}}}}\n\
             members: {{\"{key}\": {{toolsets: [{key}], read_dirs: [../{key}, \"{key}\\\\x\"], hidden: {key}}}}}\n# {key}\n"
        );
        let llm = format!(
            "providers: {{a: {{apiType: {key}, baseUrl: b, apiKeyEnvVar: {key}, models: [{key}]}}}}\n"
        );
        let mcp =
            format!("version: {key}\nservers: {{{key}: {{transport: stdio, command: {key}, url: x}}}}\n");
        let broken = format!("a: [ # {key}\nb: \"{key}");
        for files in [
            vec![(".minds/team.yaml", team), (".minds/llm.yaml", llm), (".minds/mcp.yaml", mcp)],
            vec![
                (".minds/team.yaml", broken.clone()),
                (".minds/llm.yaml", broken.clone()),
                (".minds/mcp.yaml", broken),
            ],
        ] {
            let printed = print_all(&files);
            assert!(!printed.contains(&rest), "{key} is shown: {printed}");
        }
    }
}

#[test]
fn the_end_of_a_key_in_a_truncated_message_is_redacted() {
    for words in 60..100 {
        let rest = random(LETTERS, 160);
        let team = format!(
            "member_defaults: {{provider: \"{} sk-proj-{rest}\", model: m}}\n",
            "words ".repeat(words)
        );
        let printed = print_all(&[(".minds/team.yaml", team)]);
        assert!(printed.contains('…'));
        assert!(!printed.contains(&rest[rest.len() - 20..]), "{words}: {printed}");
    }
}

proptest! {
    /// For any text, redaction keeps the length of each line and leaves no secret.
    #[test]
    fn redaction_removes_all_secrets(parts in prop::collection::vec(part(), 0..12)) {
        let text = parts.concat();
        for reading in [TextKind::Settings, TextKind::Prose] {
            let covered = mask_secrets(&text, reading);
            prop_assert_eq!(covered.len(), text.len());
            prop_assert_eq!(covered.chars().count(), text.chars().count());
            prop_assert_eq!(covered.lines().count(), text.lines().count());
            prop_assert_eq!(find(&covered, reading), vec![]);
            let found = find(&text, reading);
            prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
            prop_assert!(found.iter().all(|secret| text.get(secret.hidden.clone()).is_some()));
        }
    }
}

/// Parts of secrets and of similar text.
fn part() -> impl Strategy<Value = String> {
    let known =
        FORMATS.iter().map(|(prefix, alphabet, length, _)| format!("{prefix}{}", random(alphabet, *length)));
    let words = [
        "://",
        "@",
        ":",
        "?token=",
        "&key=",
        "Bearer ",
        "Basic ",
        "-----BEGIN PRIVATE KEY-----",
        "-----",
        "eyJ",
    ];
    let known: Vec<String> =
        known.chain(words.map(str::to_owned)).chain(structured_keys().map(|(key, _)| key)).collect();
    prop_oneof![prop::sample::select(known), "[a-zA-Z0-9_./=é密🧑 \\n-]{0,40}", "[a-f0-9]{30,34}",]
}
