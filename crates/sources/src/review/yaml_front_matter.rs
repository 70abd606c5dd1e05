//! Front matter parsed as YAML, as most programs do.

use minds_diagnostics::{Diagnostic, SourceFile, Span};
use minds_document::{Document, Format, FrontMatter, Markdown, Node, Value};

/// The front matter of a file, as a YAML parser reads it.
#[derive(Debug)]
pub(super) struct YamlFrontMatter {
    pub(super) source: SourceFile,
    pub(super) result: Result<Document, FrontMatterProblem>,
}

/// Why a YAML parser finds no front matter.
#[derive(Debug)]
pub(super) enum FrontMatterProblem {
    /// The file does not begin with front matter.
    Absent,
    /// The closing fence is missing.
    Open(Span),
    /// It is not a YAML mapping; the first finding gives the reason.
    Broken(Option<Box<Diagnostic>>),
}

impl YamlFrontMatter {
    pub(super) fn read(source: &SourceFile) -> Self {
        let result = match Markdown::split(source) {
            Err(open) => Err(FrontMatterProblem::Open(open.fence)),
            Ok(Markdown { front_matter: Some(found @ FrontMatter { format: Format::Yaml, .. }), .. }) => {
                let parsed = found.parse(source);
                match parsed.value {
                    Some(document) if matches!(document.root().value(), Value::Mapping | Value::Null) => {
                        Ok(document)
                    }
                    _ => {
                        let mut found = parsed.problems.into_sorted().into_iter();
                        Err(FrontMatterProblem::Broken(found.next().map(Box::new)))
                    }
                }
            }
            Ok(_) => Err(FrontMatterProblem::Absent),
        };
        Self { source: source.clone(), result }
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'_>> {
        self.result.as_ref().ok()?.root().get(key)
    }
}
