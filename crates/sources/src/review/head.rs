//! A head, read as the YAML that most programs take it for.

use minds_diagnostics::{Diagnostic, SourceFile, Span};
use minds_document::{Document, Format, FrontMatter, Head, Node, Value};

/// What a reader of YAML finds at the top of a file.
#[derive(Debug)]
pub(super) struct YamlHead {
    pub(super) source: SourceFile,
    pub(super) result: Result<Document, NoHead>,
}

/// Why a reader of YAML finds no head.
#[derive(Debug)]
pub(super) enum NoHead {
    /// The file does not begin with one.
    Absent,
    /// Its second fence is missing.
    Open(Span),
    /// It is no YAML mapping; the first finding says why.
    Broken(Option<Box<Diagnostic>>),
}

impl YamlHead {
    pub(super) fn read(source: &SourceFile) -> Self {
        let result = match FrontMatter::split(source) {
            Err(open) => Err(NoHead::Open(open.fence)),
            Ok(FrontMatter { head: Some(head @ Head { format: Format::Yaml, .. }), .. }) => {
                let parsed = head.parse(source);
                match parsed.value {
                    Some(document) if matches!(document.root().value(), Value::Mapping | Value::Null) => {
                        Ok(document)
                    }
                    _ => {
                        let mut found = parsed.problems.into_sorted().into_iter();
                        Err(NoHead::Broken(found.next().map(Box::new)))
                    }
                }
            }
            Ok(_) => Err(NoHead::Absent),
        };
        Self { source: source.clone(), result }
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'_>> {
        self.result.as_ref().ok()?.root().get(key)
    }
}
