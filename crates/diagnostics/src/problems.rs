//! A shorten collection of findings.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Diagnostic, Rule, Severity, SourceFile, Span, Suppressions};

/// The maximum number of findings that are shown for one file; the last of them states how many more there are.
pub const MAX_PROBLEMS_PER_FILE: usize = 1_000;

/// The number of findings of one file that are stored before the later ones are dropped.
const MAX_STORED: usize = 2 * MAX_PROBLEMS_PER_FILE;

crate::rules! {
    static RULES;

    /// The rule of the finding that stands for those that are not shown.
    pub(crate) static MORE_PROBLEMS {
        code: "file/more-problems",
        summary: "a file has more problems than are shown",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "more_problems.md",
    }
}

/// A collection of findings that never grows beyond what can be shown.
///
/// A file with a hundred thousand errors costs a hundred thousand counts, not as many messages: once a file has too
/// many findings, a finding at a later place is only counted, and [`Problems::report`] does not build it. A
/// suppressed finding is recognized before that: it does not count towards the limit and is not built either.
#[derive(Debug, Default)]
pub struct Problems {
    files: BTreeMap<String, FileProblems>,
}

#[derive(Debug, Default)]
struct FileProblems {
    kept: Vec<Diagnostic>,
    /// Set once findings were dropped: findings that start after it are not stored.
    horizon: Option<u32>,
    dropped: usize,
    worst_dropped: Option<Severity>,
    /// The file, if its comments suppress findings.
    source: Option<SourceFile>,
    /// The places of suppressed findings, by line and code: each once, as each finding is shown once.
    allowed: BTreeMap<(u32, &'static str), BTreeSet<Span>>,
    /// The codes of findings that are not suppressed, if the file has suppressions.
    found: BTreeSet<&'static str>,
    /// Whether a finding states that something was not read or not understood.
    is_partial: bool,
    /// Whether a finding states that the file itself could not be read.
    is_unread: bool,
}

/// A file with suppressions, and their effect.
#[derive(Clone, Copy, Debug)]
pub struct FileSuppressions<'p> {
    /// The file.
    pub source: &'p SourceFile,
    /// The suppressions in its comments.
    pub suppressions: &'p Suppressions,
    file: &'p FileProblems,
}

impl FileSuppressions<'_> {
    /// Returns whether findings of `code` were suppressed on a line.
    pub fn has_suppressed(&self, line: u32, code: &'static str) -> bool {
        self.file.allowed.contains_key(&(line, code))
    }

    /// Returns whether the file has findings of `code` that are not suppressed.
    pub fn has_found(&self, code: &'static str) -> bool {
        self.file.found.contains(code)
    }
}

impl Problems {
    /// Returns an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the rules of the collection's own findings.
    pub fn rules() -> &'static [&'static Rule] {
        RULES
    }

    /// Applies the suppressions of a file from now on, for its findings in any collection.
    pub fn apply_suppressions(&mut self, source: &SourceFile, suppressions: Suppressions) {
        source.set_suppressions(suppressions);
        self.files.entry(source.name().to_owned()).or_default().source = Some(source.clone());
    }

    /// Adds a finding, unless it is suppressed.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let (file, span, _) = diagnostic.place();
        let source = diagnostic.primary.as_ref().map(|label| &label.source);
        if let Some(kept) = self.reserve(file, source, span, diagnostic.rule, diagnostic.severity) {
            kept.push(diagnostic.redact_withheld());
        }
    }

    /// Adds the finding that `build` returns, unless findings of `rule` are suppressed at `span` of `source`, or it
    /// would not be shown anyway.
    pub fn report(
        &mut self,
        source: &SourceFile,
        span: Span,
        rule: &'static Rule,
        build: impl FnOnce() -> Diagnostic,
    ) {
        if let Some(kept) = self.reserve(source.name(), Some(source), span, rule, rule.default_severity) {
            kept.push(build().redact_withheld());
        }
    }

    /// Moves all findings of `other` to this collection.
    pub fn append(&mut self, other: Self) {
        for (file, mut problems) in other.files {
            for diagnostic in problems.kept {
                self.push(diagnostic);
            }
            let own = self.files.entry(file).or_default();
            own.dropped += problems.dropped;
            own.worst_dropped = own.worst_dropped.max(problems.worst_dropped);
            own.source = problems.source.or(own.source.take());
            own.is_partial |= problems.is_partial;
            own.is_unread |= problems.is_unread;
            own.found.append(&mut problems.found);
            for (place, mut spans) in problems.allowed {
                own.allowed.entry(place).or_default().append(&mut spans);
            }
        }
    }

    /// Returns whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.files.values().all(|file| file.kept.is_empty() && file.dropped == 0)
    }

    /// Returns whether there is a finding of error severity.
    pub fn has_errors(&self) -> bool {
        self.files.values().any(|file| {
            file.worst_dropped == Some(Severity::Error)
                || file.kept.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
        })
    }

    /// Returns whether everything was read and understood, according to the findings: then what was not found does
    /// not exist.
    pub fn is_complete(&self) -> bool {
        self.files.values().all(|file| !file.is_partial)
    }

    /// Returns whether every file could be read, independent of its content.
    pub fn is_read(&self) -> bool {
        self.files.values().all(|file| !file.is_unread)
    }

    /// Returns the files with suppressions, by name.
    pub fn files_with_suppressions(&self) -> impl Iterator<Item = FileSuppressions<'_>> {
        self.files.values().filter_map(|file| {
            let source = file.source.as_ref()?;
            Some(FileSuppressions { source, suppressions: source.suppressions()?, file })
        })
    }

    /// Returns the number of suppressed findings by file, without files that have none. Findings of one rule at one
    /// place count as one.
    pub fn suppressed_counts(&self) -> BTreeMap<String, usize> {
        let count = |file: &FileProblems| file.allowed.values().map(BTreeSet::len).sum();
        let counts = self.files.iter().map(|(name, file)| (name.clone(), count(file)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the findings in the order in which they are shown: by file, start, code.
    ///
    /// Equal findings at the same place appear once. Each file has at most [`MAX_PROBLEMS_PER_FILE`].
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut sorted = Vec::new();
        for mut file in self.files.into_values() {
            file.sort();
            let beyond = file.kept.len() > MAX_PROBLEMS_PER_FILE || file.dropped > 0;
            if beyond {
                file.cut(MAX_PROBLEMS_PER_FILE - 1);
                let last = file.kept.last().and_then(|diagnostic| diagnostic.primary.clone());
                let place = last.map(|mut label| {
                    label.message.clear();
                    // After every finding that is shown, so that it stays the last one.
                    label.span = Span::at(file.horizon.unwrap_or_default().max(label.span.start()));
                    label
                });
                let count = match file.dropped {
                    1 => "1 more problem is not shown".to_owned(),
                    many => format!("{many} more problems are not shown"),
                };
                let mut more = Diagnostic::new(&MORE_PROBLEMS, count)
                    .severity(file.worst_dropped.unwrap_or(Severity::Error))
                    .help("fix the problems above, then check again");
                more.primary = place;
                file.kept.push(more);
            }
            sorted.append(&mut file.kept);
        }
        sorted
    }

    /// Counts one finding, and returns the list to store it in if it may be shown.
    fn reserve(
        &mut self,
        file: &str,
        source: Option<&SourceFile>,
        span: Span,
        rule: &'static Rule,
        severity: Severity,
    ) -> Option<&mut Vec<Diagnostic>> {
        if !self.files.contains_key(file) {
            self.files.insert(file.to_owned(), FileProblems::default());
        }
        let problems = self.files.get_mut(file)?;
        problems.is_partial |= rule.marks_unread_content();
        problems.is_unread |= rule.is_about_text();
        if let Some(line) = source.and_then(|source| source.suppressed_line(rule, span)) {
            problems.allowed.entry((line, rule.code)).or_default().insert(span);
            return None;
        }
        if source.is_some_and(|source| source.suppressions().is_some()) {
            problems.found.insert(rule.code);
        }
        if problems.kept.len() >= MAX_STORED {
            problems.sort();
            problems.cut(MAX_PROBLEMS_PER_FILE);
        }
        if problems.horizon.is_some_and(|horizon| span.start() >= horizon) {
            problems.dropped += 1;
            problems.worst_dropped = problems.worst_dropped.max(Some(severity));
            return None;
        }
        Some(&mut problems.kept)
    }
}

impl FileProblems {
    fn sort(&mut self) {
        self.kept.sort_by(|a, b| {
            let ((_, a_span, a_code), (_, b_span, b_code)) = (a.place(), b.place());
            (a_span.start(), a_code, a_span.end(), &a.message).cmp(&(
                b_span.start(),
                b_code,
                b_span.end(),
                &b.message,
            ))
        });
        self.kept.dedup_by(|a, b| a.place() == b.place() && a.message == b.message);
    }

    /// Drops all but the first `length` findings, which must be sorted.
    fn cut(&mut self, length: usize) {
        if self.kept.len() <= length {
            return;
        }
        for diagnostic in self.kept.drain(length..) {
            let start = diagnostic.place().1.start();
            self.horizon = Some(self.horizon.map_or(start, |horizon| horizon.min(start)));
            self.dropped += 1;
            self.worst_dropped = self.worst_dropped.max(Some(diagnostic.severity));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceFile;

    static RULE: Rule = Rule {
        code: "a/b",
        summary: "",
        default_severity: Severity::Warning,
        origin: crate::Origin::Files,
        is_suppressible: true,
        since: "0.1.0",
        page: "",
    };

    fn report_findings(count: u32, order: impl Iterator<Item = u32>) -> Vec<Diagnostic> {
        let file = SourceFile::new("f", "x".repeat(count as usize));
        let mut problems = Problems::new();
        for start in order {
            let label = file.label(Span::at(start));
            problems.push(Diagnostic::new(&RULE, format!("at {start}")).primary(label));
        }
        problems.into_sorted()
    }

    #[test]
    fn at_most_a_thousand_findings_are_shown() {
        assert_eq!(report_findings(1_000, 0..1_000).len(), 1_000);
        assert_eq!(report_findings(1_000, 0..1_000).last().unwrap().message, "at 999");
    }

    #[test]
    fn the_last_finding_states_how_many_more_in_any_order() {
        for reversed in [false, true] {
            let all = 0..12_345;
            let shown =
                if reversed { report_findings(12_345, all.rev()) } else { report_findings(12_345, all) };
            assert_eq!(shown.len(), 1_000);
            assert_eq!(shown[998].message, "at 998");
            assert_eq!(shown[999].message, "11346 more problems are not shown");
            assert_eq!(shown[999].severity, Severity::Warning);
            assert!(shown.is_sorted_by_key(|diagnostic| diagnostic.place().1.start()));
        }
    }

    #[test]
    fn the_same_finding_is_shown_once() {
        assert_eq!(report_findings(3, [1, 2, 1, 1].into_iter()).len(), 2);
    }

    #[test]
    fn suppressed_findings_are_not_counted_or_built() {
        let lines = "x # minds: allow(a/b) why\n".repeat(5_000) + &"x\n".repeat(500);
        let file = SourceFile::new("f", lines.as_str());
        let starts = || lines.match_indices('x').map(|(at, _)| u32::try_from(at).unwrap());
        let comment = |at| Span::new(at + 2, at + 25);
        let suppressions = Suppressions::read(&file, starts().take(5_000).map(comment), 0).unwrap();
        let mut problems = Problems::new();
        problems.apply_suppressions(&file, suppressions);
        let mut built = 0;
        // Equal findings count once, and collecting in pieces makes no difference.
        for _ in 0..2 {
            let mut piece = Problems::new();
            for start in starts() {
                piece.report(&file, Span::at(start), &RULE, || {
                    built += 1;
                    Diagnostic::new(&RULE, "").primary(file.label(Span::at(start)))
                });
            }
            problems.append(piece);
        }
        assert_eq!(built, 2 * 500);
        assert_eq!(problems.suppressed_counts(), BTreeMap::from([("f".to_owned(), 5_000)]));
        let files: Vec<FileSuppressions<'_>> = problems.files_with_suppressions().collect();
        assert!(files[0].has_suppressed(1, "a/b") && !files[0].has_suppressed(5_001, "a/b"));
        assert!(files[0].has_found("a/b") && problems.is_complete());
        assert_eq!(problems.into_sorted().len(), 500);
    }

    #[test]
    fn findings_that_are_not_shown_are_not_built() {
        let file = SourceFile::new("f", "x".repeat(50_000));
        let mut problems = Problems::new();
        let mut built = 0;
        for start in 0..50_000 {
            problems.report(&file, Span::at(start), &RULE, || {
                built += 1;
                Diagnostic::new(&RULE, "").primary(file.label(Span::at(start)))
            });
        }
        assert_eq!(built, MAX_STORED);
        assert!(!problems.is_empty() && !problems.has_errors());
    }
}
