//! Comments that suppress findings: `# minds: allow(CODE) reason`.

use crate::{SourceFile, Span};

/// The keyword of a suppression.
const KEYWORD: &str = "allow";

const BLANKS: [char; 2] = [' ', '\t'];

/// The suppressions in the comments of a file.
///
/// A comment at the end of a line applies to its own line, one on a line of its own to the next line with content. It
/// suppresses each of its codes there, if it has a reason: `# minds: allow(CODE, CODE) reason`. A finding belongs to
/// the line on which its primary place starts.
#[derive(Clone, Debug)]
pub struct Suppressions {
    comments: Vec<SuppressionComment>,
    codes: Vec<SuppressedCode>,
    /// The codes with an effect, as indices: those of a comment with a reason, sorted by line, code and place.
    effective: Vec<u32>,
}

/// A comment that suppresses findings, or tries to.
#[derive(Clone, Debug)]
pub struct SuppressionComment {
    /// The comment from its `#`, without trailing white space.
    pub span: Span,
    /// Why it is not valid, if it is not.
    pub flaw: Option<SuppressionFlaw>,
    /// Whether it has a reason. Without one, nothing is suppressed.
    pub has_reason: bool,
    /// The number of codes in it.
    pub codes: usize,
}

/// Why a comment for this program is not a valid suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionFlaw {
    /// It begins with another word than `allow`.
    UnknownKeyword,
    /// There are no parentheses after `allow`.
    NoParentheses,
    /// The parenthesis is not closed.
    NotClosed,
    /// There is nothing between the parentheses, or between two commas.
    MissingCode,
}

/// A code in a comment.
#[derive(Clone, Copy, Debug)]
pub struct SuppressedCode {
    /// The code.
    pub span: Span,
    /// The index of its comment.
    pub comment: usize,
    /// The line whose findings it applies to; none if no content follows the comment.
    pub line: Option<u32>,
}

impl Suppressions {
    /// The beginning of a comment for this program, after its `#` and white space.
    pub const MARKER: &str = "minds:";

    /// Parses the `comments` of a file, which must be in order, each from its `#` to the end of its line.
    ///
    /// There are no findings in front of `content`, such as in YAML directives: comments there apply to the line of
    /// `content`. Returns nothing if no comment is for this program.
    pub fn read(source: &SourceFile, comments: impl Iterator<Item = Span>, content: u32) -> Option<Self> {
        let mut found = Self { comments: Vec::new(), codes: Vec::new(), effective: Vec::new() };
        let mut lines = Lines { source, content, below: 0 };
        for comment in comments {
            found.add(source, comment, &mut lines);
        }
        if found.comments.is_empty() {
            return None;
        }
        let effective = found.codes.iter().enumerate().filter(|(_, code)| {
            code.line.is_some() && found.comments.get(code.comment).is_some_and(|comment| comment.has_reason)
        });
        found.effective = effective.filter_map(|(at, _)| u32::try_from(at).ok()).collect();
        let Self { codes, effective, .. } = &mut found;
        effective
            .sort_by_key(|at| codes.get(*at as usize).map(|code| (code.line, source.slice(code.span), *at)));
        Some(found)
    }

    /// Returns the comments in the order of the file.
    pub fn comments(&self) -> &[SuppressionComment] {
        &self.comments
    }

    /// Returns the codes of all comments in the order of the file.
    pub fn codes(&self) -> &[SuppressedCode] {
        &self.codes
    }

    /// Returns the code that suppresses findings of `code` on a line of `source`, the file that was parsed: the first
    /// one if there are several.
    pub fn find(&self, source: &SourceFile, line: u32, code: &str) -> Option<&SuppressedCode> {
        let place = |at: &u32| self.codes.get(*at as usize).map(|one| (one.line, source.slice(one.span)));
        let wanted = Some((Some(line), code));
        let at = self.effective.partition_point(|at| place(at) < wanted);
        let first = self.effective.get(at).filter(|at| place(at) == wanted)?;
        self.codes.get(*first as usize)
    }

    fn add(&mut self, source: &SourceFile, comment: Span, lines: &mut Lines<'_>) {
        let text = source.slice(comment).trim_end();
        let Some(read) = read(text) else { return };
        let span = Span::new(comment.start(), comment.start() + length(text));
        let mut codes = 0;
        if let Ok(Read { list, .. }) = read {
            let line = lines.find_target(span.start());
            let mut start = span.start() + list.0;
            for code in list.1.split(',') {
                let name = code.trim_start_matches(BLANKS);
                let from = start + length(code) - length(name);
                let span = Span::new(from, from + length(name.trim_end_matches(BLANKS)));
                self.codes.push(SuppressedCode { span, comment: self.comments.len(), line });
                start += length(code) + 1;
                codes += 1;
            }
        }
        let has_reason = read.is_ok_and(|read| read.reason.contains(char::is_alphanumeric));
        self.comments.push(SuppressionComment { span, flaw: read.err(), has_reason, codes });
    }
}

/// A parsed comment.
#[derive(Clone, Copy)]
struct Read<'t> {
    /// The codes, separated by commas, and their offset in the comment.
    list: (u32, &'t str),
    reason: &'t str,
}

/// Parses a comment; none if it is an ordinary comment.
fn read(comment: &str) -> Option<Result<Read<'_>, SuppressionFlaw>> {
    let text = comment.strip_prefix('#')?.trim_start_matches(BLANKS);
    let text = text.strip_prefix(Suppressions::MARKER)?.trim_start_matches(BLANKS);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let word = text.strip_suffix(rest).unwrap_or_default();
    let rest = rest.trim_start_matches(BLANKS);
    let Some(inside) = rest.strip_prefix('(') else {
        return (word == KEYWORD).then_some(Err(SuppressionFlaw::NoParentheses));
    };
    if word != KEYWORD {
        return Some(Err(SuppressionFlaw::UnknownKeyword));
    }
    let Some((list, reason)) = inside.split_once(')') else { return Some(Err(SuppressionFlaw::NotClosed)) };
    if list.split(',').any(|code| code.trim_matches(BLANKS).is_empty()) {
        return Some(Err(SuppressionFlaw::MissingCode));
    }
    Some(Ok(Read { list: (length(comment) - length(inside), list), reason }))
}

/// The lines of a file, visited from the first to the last.
struct Lines<'s> {
    source: &'s SourceFile,
    content: u32,
    /// The line last found after a comment, or the one after the last line: adjacent comments share it.
    below: u32,
}

impl Lines<'_> {
    /// Returns the line that the comment at `hash` applies to.
    fn find_target(&mut self, hash: u32) -> Option<u32> {
        let lines = self.source.lines();
        let own = lines.line_of(hash);
        let before = self.source.slice(Span::new(lines.start_of(own), hash));
        let is_alone = before.trim_start_matches('\u{feff}').trim_matches(BLANKS).is_empty();
        if !is_alone {
            return Some(own);
        }
        if hash < self.content {
            return Some(lines.line_of(self.content));
        }
        let last = length_of(lines.len());
        if own >= self.below {
            let found = (own + 1..=last).find(|line| self.has_content(*line, last));
            self.below = found.unwrap_or(last + 1);
        }
        (self.below <= last).then_some(self.below)
    }

    fn has_content(&self, line: u32, last: u32) -> bool {
        let lines = self.source.lines();
        let start = lines.start_of(line);
        let end = if line < last { lines.start_of(line + 1) } else { length_of(self.source.bytes().len()) };
        let text = self.source.slice(Span::new(start, end)).trim_start();
        !text.is_empty() && !text.starts_with('#')
    }
}

fn length(text: &str) -> u32 {
    length_of(text.len())
}

fn length_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses one comment: its codes and whether it has a reason, or why it is not valid; nothing for an ordinary
    /// comment.
    #[track_caller]
    fn check(comment: &str, expected: &str) {
        let source = SourceFile::new("f", comment);
        let whole = Span::new(0, length(comment));
        let seen = Suppressions::read(&source, [whole].into_iter(), 0).map(|found| {
            let comment = found.comments().first().cloned().unwrap();
            let codes: Vec<&str> = found.codes().iter().map(|code| source.slice(code.span)).collect();
            let reason = if comment.has_reason { "why" } else { "no reason" };
            assert_eq!(comment.codes, codes.len());
            comment.flaw.map_or_else(|| format!("{} {reason}", codes.join("+")), |flaw| format!("{flaw:?}"))
        });
        assert_eq!(seen.unwrap_or_default(), expected, "{comment:?}");
    }

    #[test]
    fn suppressions_are_parsed() {
        check("# minds: allow(a/b) because", "a/b why");
        check("#minds:allow(a/b)because", "a/b why");
        check("#\t minds:\tallow ( a/b ,c/d\t)\twhy \r", "a/b+c/d why");
        check("# minds: allow(a/b): 理由", "a/b why");
        check("# minds: allow(a/b) (see c)", "a/b why");
        check("# minds: allow(a/b)", "a/b no reason");
        check("# minds: allow(a/b) — …", "a/b no reason");
        check("# minds: allow(é b, *) x", "é b+* why");
    }

    #[test]
    fn invalid_suppressions_are_recognized() {
        check("# minds: allow", "NoParentheses");
        check("# minds: allow everything", "NoParentheses");
        check("# minds: allow(a/b why", "NotClosed");
        check("# minds: allow() why", "MissingCode");
        check("# minds: allow(a/b,) why", "MissingCode");
        check("# minds: allow(a/b, ,c/d) why", "MissingCode");
        check("# minds: alow(a/b) why", "UnknownKeyword");
        check("# minds: allowed(a/b) why", "UnknownKeyword");
        check("# minds: (a/b) why", "UnknownKeyword");
    }

    #[test]
    fn ordinary_comments_are_not_suppressions() {
        check("# minds: the team of the company", "");
        check("# minds allow(a/b) why", "");
        check("# see # minds: allow(a/b) why", "");
        check("# x minds: allow(a/b) why", "");
        check("## minds: allow(a/b) why", "");
        check("#", "");
        check("", "");
    }
}
