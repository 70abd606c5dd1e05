use minds_diagnostics::{Diagnostic, Problems, Rule, SourceFile, Span, rule};
use minds_document::Node;
use minds_vfs::map_on_two_threads;

use crate::family::{LLM_FILE, MCP_FILE, TeamFamily};
use minds_text::secrets::{self, Secret, SecretKind, TextKind};

rule! {
    pub(crate) static AUTHORIZATION {
        code: "secret/authorization",
        summary: "a file contains the credentials of an `Authorization` header",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "secret_authorization.md",
    }

    pub(crate) static PRIVATE_KEY {
        code: "secret/private-key",
        summary: "a file contains a private key",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "secret_private_key.md",
    }

    pub(crate) static TOKEN {
        code: "secret/token",
        summary: "a file contains a key or token of a known service",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "secret_token.md",
    }

    pub(crate) static URL_CREDENTIALS {
        code: "secret/url-credentials",
        summary: "a URL contains a password or a key",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "secret_url_credentials.md",
    }
}

/// Returns the secrets in each source text, including its comments. Scans the raw text, because a file with a syntax error
/// has been saved as well.
pub(super) fn find(sources: &[SourceFile]) -> Vec<Vec<Secret>> {
    sources.iter().map(scan_text).collect()
}

/// Like [`find`], on two threads.
pub(super) fn find_on_two_threads(sources: &[SourceFile]) -> Vec<Vec<Secret>> {
    map_on_two_threads(sources, scan_text)
}

fn scan_text(source: &SourceFile) -> Vec<Secret> {
    source.text().map(|text| secrets::find(text, TextKind::of(source.name()))).unwrap_or_default()
}

/// Reports the secrets that [`find`] returned.
pub(super) fn report_all(family: &TeamFamily, found: &[Vec<Secret>], problems: &mut Problems) {
    for (source, secrets) in family.sources.iter().zip(found) {
        for secret in secrets {
            report(family, source, secret, problems);
        }
    }
}

fn report(family: &TeamFamily, source: &SourceFile, secret: &Secret, problems: &mut Problems) {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span::new(offset(secret.span.start), offset(secret.span.end));
    let rule = rule(secret.kind);
    problems.report(source, span, rule, || {
        let node = family.document(source.name()).and_then(|document| document.scalar_at(span));
        let format_hint = match secret.kind {
            SecretKind::Token(format) if !format.prefix.is_empty() => format!(", `{}…`", format.prefix),
            _ => String::new(),
        };
        let found = Diagnostic::new(rule, format!("the file contains {}{format_hint}", secret.kind.name()))
            .primary(source.label(span).message("must not be stored here"))
            .note("anyone who can read the file or its history has it: revoke it where it was issued")
            .help(help(node, secret.kind, source.name()));
        match node {
            Some(node) => found.pointer(node.pointer()),
            None => found,
        }
    });
}

fn rule(kind: SecretKind) -> &'static Rule {
    match kind {
        SecretKind::Token(_) => &TOKEN,
        SecretKind::Authorization(_) => &AUTHORIZATION,
        SecretKind::UrlPassword | SecretKind::UrlParameter => &URL_CREDENTIALS,
        SecretKind::PrivateKey => &PRIVATE_KEY,
    }
}

/// Returns where to put the secret instead, as far as the format has a place for it.
fn help(node: Option<Node<'_>>, kind: SecretKind, file: &str) -> String {
    let variable = match kind {
        SecretKind::Token(format) => format.variable,
        _ => "NAME",
    };
    let steps = node.map(steps).unwrap_or_default();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    match (file, steps.as_slice()) {
        (LLM_FILE, ["providers", ..]) => {
            format!("put it into an environment variable, and set `apiKeyEnvVar: {variable}`")
        }
        (MCP_FILE, ["servers", _, "env", name, ..]) => {
            format!("write `{name}: {{env: {name}}}`, and set the variable `{name}` where the team runs")
        }
        (MCP_FILE, ["servers", _, "headers", name, ..]) => match kind {
            SecretKind::Authorization(scheme) => {
                format!(
                    "write `{name}: {{env: {variable}, prefix: '{scheme} '}}` with a variable that holds the rest"
                )
            }
            _ => format!("write `{name}: {{env: {variable}}}` with a variable that holds the value"),
        },
        (MCP_FILE, ["servers", _, "args" | "command", ..]) => {
            format!("pass it in `env` instead: `{variable}: {{env: {variable}}}`")
        }
        (MCP_FILE, ["servers", _, "url" | "sessionId", ..]) => {
            "send it in `headers` instead, where a value can be `{env: NAME}`".to_owned()
        }
        _ => format!("remove it, and name an environment variable that holds it, such as `{variable}`"),
    }
}

/// Returns the keys on the way from the top to a node.
fn steps(node: Node<'_>) -> Vec<String> {
    let unescape = |step: &str| step.replace("~1", "/").replace("~0", "~");
    node.pointer().split('/').skip(1).map(unescape).collect()
}
