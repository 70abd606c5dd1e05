//! One finding.

use crate::{Rule, Severity, SourceFile, Span};

/// A part of a source file, and what is there.
#[derive(Clone, Debug)]
pub struct Label {
    /// The file.
    pub source: SourceFile,
    /// The part of it.
    pub span: Span,
    /// What is there, in a few words; may be empty.
    pub message: String,
}

impl Label {
    /// Returns a label without a message.
    pub fn new(source: &SourceFile, span: Span) -> Self {
        Self { source: source.clone(), span, message: String::new() }
    }

    /// Says what is there.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = bounded(message.into());
        self
    }
}

/// A change of one file's text.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file to change.
    pub source: SourceFile,
    /// What to replace.
    pub span: Span,
    /// What to put there.
    pub new_text: String,
}

/// A change that mends a finding without a person having to look: it keeps the meaning, or states what can only have
/// been meant.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What the change does, as an order: "quote the value".
    pub title: String,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One finding of a rule about the user's text.
///
/// The message stands alone on one line; labels say what is where; help says what to do; notes say why.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How much it weighs.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where; none if the finding belongs to no file.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// A JSON pointer to the value (or key, or mapping that lacks a key), for trees.
    pub pointer: Option<String>,
    /// Why it matters, and what else to know.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// A change that mends it.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// Returns a finding of `rule` with its default severity.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.default_severity,
            message: bounded(message.into()),
            primary: None,
            secondary: Vec::new(),
            pointer: None,
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Sets the severity, where it differs from the rule's.
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
        self.notes.push(bounded(note.into()));
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(bounded(help.into()));
        self
    }

    /// Says what to do, if anything is known.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.map(bounded).or(self.help);
        self
    }

    /// Offers a change that replaces `span` of `source` and mends the finding.
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

    /// Returns the finding as it may be shown: if it is about a file that is outside the workspace, nothing is left but the
    /// rule and the places. Everything else may quote the file.
    #[must_use]
    pub(crate) fn without_withheld(mut self) -> Self {
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
            notes: vec!["nothing of the file is shown, because it is outside the workspace".to_owned()],
            help: None,
            fix: None,
            ..self
        }
    }

    /// Returns the place by which findings are ordered and told apart: file, span, code.
    pub(crate) fn place(&self) -> (&str, Span, &'static str) {
        let (file, span) =
            self.primary.as_ref().map_or(("", Span::default()), |label| (label.source.name(), label.span));
        (file, span, self.rule.code)
    }
}

/// The number of characters that a message, a label, a note or a help has at most: what a file says may be quoted in them
/// whatever its length.
const LONGEST_TEXT: usize = 600;

/// Returns a text with its middle left out if it is too long to be read.
fn bounded(text: String) -> String {
    if text.len() <= LONGEST_TEXT {
        return text;
    }
    let head: String = text.chars().take(LONGEST_TEXT / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(LONGEST_TEXT / 4).collect();
    if head.chars().count() + tail.len() >= text.chars().count() {
        return text;
    }
    head + "…" + &tail.into_iter().rev().collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(bounded("short".into()), "short");
        assert_eq!(bounded("é".repeat(400)), "é".repeat(400));
        let long = bounded(format!("begin {} end", "x".repeat(10_000)));
        assert!(long.starts_with("begin x") && long.ends_with("x end") && long.contains('…'));
        assert!(long.chars().count() < 600);
    }
}
