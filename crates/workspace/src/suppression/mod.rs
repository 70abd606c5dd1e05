//! The rules about suppressions: comments of the form `# minds: allow(CODE) reason`.
//!
//! Findings are suppressed where they are collected: see [`Suppressions`](minds_diagnostics::Suppressions). These rules check the
//! comments after all other rules.

mod malformed;
mod not_allowable;
mod unknown_code;
mod unused;
mod without_reason;

use minds_diagnostics::{
    Diagnostic, FileSuppressions, Label, Problems, Rule, SuppressedCode, SuppressionComment,
};

use crate::rules::IS_COMPLETE;

/// The rules about suppressions, sorted by code.
pub(crate) static RULES: &[&Rule] =
    &[&malformed::RULE, &not_allowable::RULE, &unknown_code::RULE, &unused::RULE, &without_reason::RULE];

/// Checks the suppressions of all files against their findings. Suppressions of `skipped` rules are not checked.
pub(crate) fn check(problems: &mut Problems, skipped: &[&Rule]) {
    let rules = crate::rules();
    let (is_read, is_whole) = (problems.is_read(), problems.is_complete());
    let mut found = Problems::new();
    for file in problems.files_with_suppressions() {
        let mut check = Check { file, rules: &rules, is_read, is_whole, problems: &mut found };
        for comment in file.suppressions.comments() {
            malformed::check(&mut check, comment);
            without_reason::check(&mut check, comment);
        }
        for code in file.suppressions.codes() {
            let Some(comment) = file.suppressions.comments().get(code.comment) else { continue };
            match check.rule(code) {
                // It may be the code of a family that is not included.
                None if !IS_COMPLETE => {}
                None => unknown_code::check(&mut check, code),
                Some(rule) if !rule.is_suppressible => not_allowable::check(&mut check, code),
                Some(rule) if skipped.contains(&rule) => {}
                Some(rule) => unused::check(&mut check, comment, code, rule),
            }
        }
    }
    problems.append(found);
}

/// A check of the suppressions of one file.
struct Check<'c> {
    file: FileSuppressions<'c>,
    /// All rules, sorted by code.
    rules: &'c [&'static Rule],
    /// Whether every file could be read; otherwise most findings may be missing.
    is_read: bool,
    /// Whether all content is valid; otherwise some findings may be missing.
    is_whole: bool,
    problems: &'c mut Problems,
}

impl<'c> Check<'c> {
    /// Returns the text of a code.
    fn text(&self, code: &SuppressedCode) -> &'c str {
        self.file.source.slice(code.span)
    }

    /// Returns the rule that a code names.
    fn rule(&self, code: &SuppressedCode) -> Option<&'static Rule> {
        let at = self.rules.binary_search_by_key(&self.text(code), |rule| rule.code).ok()?;
        self.rules.get(at).copied()
    }

    /// Adds the finding that `build` creates from a label at a comment.
    fn report_comment(
        &mut self,
        rule: &'static Rule,
        comment: &SuppressionComment,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        let source = self.file.source;
        self.problems.report(source, comment.span, rule, || build(source.label(comment.span)));
    }

    /// Adds the finding that `build` creates from a label at a code.
    fn report_code(
        &mut self,
        rule: &'static Rule,
        code: &SuppressedCode,
        build: impl FnOnce(Label) -> Diagnostic,
    ) {
        let source = self.file.source;
        self.problems.report(source, code.span, rule, || build(source.label(code.span)));
    }
}
