use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Node, Text};

use super::{rule, shown};
use crate::{Remote, SourceSpec, SpecError};

rule!(
    "source/invalid-spec",
    Error,
    false,
    "a nested source is none that could be fetched, or must not be",
    "invalid_spec.md"
);

/// The folder from which relative paths are tried: which one it is, is not known yet, so it is deep enough for all.
const SOMEWHERE: &str = "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0";

/// Reads the text that says which repository is meant.
pub(crate) fn decode(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    match SourceSpec::parse(&text, SOMEWHERE, Some(SOMEWHERE)) {
        Ok(_) => Some(text),
        Err(error) => {
            report(node, &text, &error, cx);
            None
        }
    }
}

/// Returns by what a source is told from others of the same file; none if it is none.
pub(crate) fn meant(text: &str) -> Option<String> {
    let spec = SourceSpec::parse(text, SOMEWHERE, Some(SOMEWHERE)).ok()?;
    Some(match spec.remote {
        Remote::Folder(path) => path,
        Remote::Repository(url) if url.starts_with("file://") => url,
        Remote::Repository(_) => spec.identity.to_string(),
    })
}

fn report(node: Node<'_>, text: &str, error: &SpecError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        // Nothing of a text with a password in it is repeated.
        let named = match error {
            SpecError::Credentials => "the text".to_owned(),
            _ => format!("`{}`", shown(text)),
        };
        Diagnostic::new(&RULE, format!("{named} names no source: {error}")).primary(node.label()).help(
            help(text, error).unwrap_or_else(|| {
                "write `owner/name`, an `https` or `ssh` URL, or a path that begins with `./` or `/`"
                    .to_owned()
            }),
        )
    });
}

fn help(text: &str, error: &SpecError) -> Option<String> {
    match error {
        SpecError::Suffix(_) | SpecError::Character { character: '#' | '@', .. } => Some(
            "name the branch, tag or commit in `follow-branch`, `pin-tag` or `pin-ref` beside it".to_owned(),
        ),
        SpecError::Unknown => {
            let (host, _) = text.split_once('/')?;
            let url = format!("https://{text}");
            let is_host = host.contains('.') && SourceSpec::parse(&url, SOMEWHERE, None).is_ok();
            is_host.then(|| format!("write `{}`", shown(&url)))
        }
        SpecError::Credentials => Some("remove the user name, password or token from the URL".to_owned()),
        SpecError::Protocol(name) if name == "http" => Some("write `https`".to_owned()),
        _ => None,
    }
}
