//! A single finding.

use crate::{Rule, Severity, SourceFile, Span};

/// A part of a source file with a message about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The file.
    pub source: SourceFile,
    /// The span in the file.
    pub span: Span,
    /// What the part contains, in a few words; may be empty.
    pub message: String,
}

impl Label {
    /// Returns a label without a message.
    pub fn new(source: &SourceFile, span: Span) -> Self {
        Self { source: source.clone(), span, message: String::new() }
    }

    /// Sets the message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = shorten(message.into());
        self
    }
}

/// A change to the text of a file.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file to change.
    pub source: SourceFile,
    /// The span to replace.
    pub span: Span,
    /// The replacement.
    pub new_text: String,
}

/// A change that fixes a finding without review: it keeps the meaning, or states the only possible intention.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What the change does, as an instruction: "quote the value".
    pub title: String,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One finding of a rule about the user's files.
///
/// The message is complete on its own, on one line; labels state what is at a place, the help what to do, and notes
/// why.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The severity.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The place; none if the finding is about no file.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// The JSON pointer of the value (or key, or mapping that lacks a key), for parsed documents.
    pub pointer: Option<String>,
    /// Why the rule exists, and other background.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// A change that fixes it.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Returns a finding of `rule` with its default severity.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.default_severity,
            message: shorten(message.into()),
            primary: None,
            secondary: Vec::new(),
            pointer: None,
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Sets the severity, where it differs from that of the rule.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn primary(mut self, label: Label) -> Self {
        self.primary = Some(label);
        self
    }

    /// Adds a place that explains the finding.
    #[must_use]
    pub fn secondary(mut self, label: Label) -> Self {
        self.secondary.push(label);
        self
    }

    /// Sets the JSON pointer.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(shorten(note.into()));
        self
    }

    /// Sets the help: an instruction.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shorten(help.into()));
        self
    }

    /// Sets the help, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.map(shorten).or(self.help);
        self
    }

    /// Offers a change that replaces `span` of `source` and fixes the finding.
    #[must_use]
    pub fn fix(
        mut self,
        title: impl Into<String>,
        source: &SourceFile,
        span: Span,
        new_text: impl Into<String>,
    ) -> Self {
        let edit = Edit { source: source.clone(), span, new_text: new_text.into() };
        self.fix = Some(Fix { title: title.into(), edits: vec![edit] });
        self
    }

    /// Returns the finding without quotes of files outside of the workspace: if it is about such a file, only the
    /// rule and the places remain, because everything else may quote the file.
    #[must_use]
    pub(crate) fn redact_withheld(mut self) -> Self {
        if !self.primary.iter().chain(&self.secondary).any(|label| label.source.is_withheld()) {
            return self;
        }
        for label in self.primary.iter_mut().chain(&mut self.secondary) {
            label.message.clear();
            if label.source.is_withheld() {
                label.source = label.source.blank();
            }
        }
        Self {
            message: self.rule.summary.to_owned(),
            pointer: None,
            notes: vec![
                "the contents of the file are not shown, because it is outside of the workspace".to_owned(),
            ],
            help: None,
            fix: None,
            ..self
        }
    }

    /// Returns the place by which findings are sorted and deduplicated: file, span, code.
    pub(crate) fn place(&self) -> (&str, Span, &'static str) {
        let (file, span) =
            self.primary.as_ref().map_or(("", Span::default()), |label| (label.source.name(), label.span));
        (file, span, self.rule.code)
    }
}

/// The maximum number of characters of a message, label, note or help, because these may quote any part of a file.
const MAX_TEXT_CHARACTERS: usize = 600;

/// Returns a string with its middle replaced by `…` if it is too long.
fn shorten(text: String) -> String {
    if text.len() <= MAX_TEXT_CHARACTERS {
        return text;
    }
    let head: String = text.chars().take(MAX_TEXT_CHARACTERS / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(MAX_TEXT_CHARACTERS / 4).collect();
    if head.chars().count() + tail.len() >= text.chars().count() {
        return text;
    }
    head + "…" + &tail.into_iter().rev().collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn the_middle_of_long_text_is_left_out() {
        assert_eq!(shorten("short".into()), "short");
        assert_eq!(shorten("é".repeat(400)), "é".repeat(400));
        let long = shorten(format!("begin {} end", "x".repeat(10_000)));
        assert!(long.starts_with("begin x") && long.ends_with("x end") && long.contains('…'));
        assert!(long.chars().count() < 600);
    }
}
