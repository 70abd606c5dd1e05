use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Decode, Node, Text};

use super::escape;
use crate::{Remote, SourceSpec, SpecError};

rule! {
    pub(crate) static RULE {
        code: "source/invalid-spec",
        summary: "a nested source is not valid, or cannot be fetched",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_spec.md",
    }
}

/// A placeholder for the folder to which relative paths are relative, which is not known here; it is deep
/// enough for any `..`.
const PLACEHOLDER_BASE: &str = "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0";

/// Decodes a source specification.
pub(crate) fn decode(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    match SourceSpec::parse(&text, PLACEHOLDER_BASE, Some(PLACEHOLDER_BASE)) {
        Ok(_) => Some(text),
        Err(error) => {
            report(node, &text, &error, cx);
            None
        }
    }
}

/// Returns a key that is equal for entries of the same source; `None` if the specification is not valid.
pub(crate) fn source_key(text: &str) -> Option<String> {
    let spec = SourceSpec::parse(text, PLACEHOLDER_BASE, Some(PLACEHOLDER_BASE)).ok()?;
    Some(match spec.remote {
        Remote::Folder(path) => path,
        Remote::Repository(url) if url.starts_with("file://") => url,
        Remote::Repository(_) => spec.identity.to_string(),
    })
}

fn report(node: Node<'_>, text: &str, error: &SpecError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        // Passwords are not repeated in messages.
        let named = match error {
            SpecError::Credentials => String::new(),
            _ => format!(" `{}`", escape(text)),
        };
        Diagnostic::new(&RULE, format!("invalid source{named}: {error}")).primary(node.label()).help(
            help(text, error).unwrap_or_else(|| {
                "write `owner/name`, an `https` or `ssh` URL, or a path that begins with `./` or `/`"
                    .to_owned()
            }),
        )
    });
}

fn help(text: &str, error: &SpecError) -> Option<String> {
    match error {
        SpecError::Suffix(_) | SpecError::Character { character: '#' | '@', .. } => {
            Some("set the branch, tag or commit with `follow-branch`, `pin-tag` or `pin-ref`".to_owned())
        }
        SpecError::Unknown => {
            let (host, _) = text.split_once('/')?;
            let url = format!("https://{text}");
            let is_host = host.contains('.') && SourceSpec::parse(&url, PLACEHOLDER_BASE, None).is_ok();
            is_host.then(|| format!("write `{}`", escape(&url)))
        }
        SpecError::Credentials => Some("remove the user name, password or token from the URL".to_owned()),
        SpecError::Protocol(name) if name == "http" => Some("use `https`".to_owned()),
        _ => None,
    }
}
