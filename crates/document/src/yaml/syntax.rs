//! Messages and places for the syntax errors of the parser.

use minds_diagnostics::{Diagnostic, SourceFile, Span};

use super::locator::{Locator, offset};
use crate::format::Format;
use crate::{limits, rules};

/// The parser's message for an alias without an anchor; parsing continues after it.
pub(super) const UNKNOWN_ANCHOR: &str = "while parsing node, found unknown anchor";

/// The parser's message for a character that YAML does not allow.
const UNPRINTABLE: &str = "found unprintable character";

/// The parser's message for flow collections that are nested too deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// The parser's message for a tab between a `:` or `-` and a value.
const AFTER_SIGN: &str = "must be followed by a valid YAML whitespace";

/// Returns the finding for an error of the parser at `at` in a document that ends at `end`; `open` is the innermost
/// collection in brackets that is not closed.
pub(super) fn finding(source: &SourceFile, end: u32, info: &str, at: u32, open: Option<Span>) -> Diagnostic {
    if info == TOO_DEEP {
        return limits::too_deep(source, Format::Yaml, one_character(source, at));
    }
    if info == UNPRINTABLE {
        return forbidden_character(source, at);
    }
    if let Some(found) = merge_conflict(source, at) {
        return found;
    }
    let complained = info.contains("tab") || info.contains(AFTER_SIGN);
    if let Some(tab) = indenting_tab(source, end, at, complained) {
        let before = source.slice(Span::new(source.lines().start_of(source.lines().line_of(tab)), tab));
        let (message, help) = if before.trim_ascii().is_empty() {
            ("YAML cannot be indented with tabs", "indent with spaces")
        } else {
            ("a tab is not allowed as a separator", "replace it with a space")
        };
        return Diagnostic::new(&rules::TAB, message)
            .primary(source.label(Span::new(tab, tab + 1)).message("a tab"))
            .help(help);
    }
    let at_end = Locator(source.bytes()).skip_blank(at) >= end;
    if let Some(open) = open.filter(|_| at_end) {
        let bracket = Span::new(open.start(), open.start() + 1);
        let message = format!("`{}` is not closed", source.slice(bracket));
        return Diagnostic::new(&rules::SYNTAX, message)
            .primary(source.label(Span::at(at)).message("the file ends here"))
            .secondary(source.label(bracket).message("opened here"))
            .help("add the closing bracket");
    }
    let found = complaint(source, info, at);
    match open {
        Some(open) => {
            found.secondary(source.label(Span::new(open.start(), open.start() + 1)).message("opened here"))
        }
        None => found,
    }
}

/// The beginnings of the lines that git puts around and between the two versions in a merge conflict. A third
/// version, where there is one, is between `|||||||` and `=======`.
const CONFLICT: [&str; 3] = ["<<<<<<< ", "=======", ">>>>>>> "];

/// Returns the finding for the first merge conflict of a file that cannot be parsed at `failed`, with its place at
/// the first marker. An error in front of the marker has another reason.
fn merge_conflict(source: &SourceFile, failed: u32) -> Option<Diagnostic> {
    let text = source.text().ok()?;
    let (mut at, mut places) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        let marker = line.trim_end();
        let next = CONFLICT.get(places.len())?;
        let is_next = if next.ends_with(' ') { marker.starts_with(next) } else { marker == *next };
        if is_next {
            if places.is_empty() && failed < offset(at) {
                return None;
            }
            places.push(Span::new(offset(at), offset(at + marker.len())));
        }
        at += line.len();
        if let [first, middle, last] = places.as_slice() {
            return Some(
                Diagnostic::new(&rules::MERGE_CONFLICT, "the file has an unresolved merge conflict")
                    .primary(source.label(*first).message("the first version follows this line"))
                    .secondary(source.label(*middle).message("the second version follows this line"))
                    .secondary(source.label(*last).message("the second version ends here"))
                    .help("keep one version, or combine the two, and remove the marker lines"),
            );
        }
    }
    None
}

/// Returns the span of the character at `at`; empty at the end of the file or of a line.
fn one_character(source: &SourceFile, at: u32) -> Span {
    let text = source.text().unwrap_or_default();
    let length = text
        .get(at as usize..)
        .and_then(|rest| rest.chars().next())
        .filter(|c| !matches!(c, '\n' | '\r'))
        .map_or(0, char::len_utf8);
    Span::new(at, at + offset(length))
}

/// Returns the position of a tab that indents the line of `at`. If the parser reports a tab, it may also be in a
/// later line, or within the line.
fn indenting_tab(source: &SourceFile, end: u32, at: u32, complained: bool) -> Option<u32> {
    let bytes = source.bytes();
    let lines = source.lines();
    let first = lines.line_of(at);
    let last = if complained { lines.line_of(end) } else { first };
    for line in first..=last {
        let start = lines.start_of(line) as usize;
        let rest = bytes.get(start..).unwrap_or_default();
        let mut indentation = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        if let Some(tab) = indentation.position(|byte| *byte == b'\t') {
            return Some(offset(start + tab));
        }
    }
    let start = lines.start_of(first) as usize;
    let until = bytes.get(start..=at as usize).filter(|_| complained)?;
    until.iter().rposition(|byte| *byte == b'\t').map(|tab| offset(start + tab))
}

/// The parser's message for a line without `:`, which it reports at the next line.
const NO_COLON: &str = "simple key expect ':'";

/// The parser's message for a `:` where a value cannot start.
const NO_VALUE: &str = "mapping values are not allowed in this context";

/// Returns the finding for a message of the parser, with a corrected place.
fn complaint(source: &SourceFile, info: &str, at: u32) -> Diagnostic {
    let (mut message, mut help) = describe(info);
    let mut place = one_character(source, at);
    let line_start = source.lines().start_of(source.lines().line_of(at));
    let before = line_before(source, line_start);
    if info == NO_COLON {
        place = line_before(source, at);
    } else if info.contains(NO_VALUE) && is_one_word(source.slice(before)) {
        // The parser treats the word and the next line as one scalar, and fails at the `:` in it.
        place = before;
        (message, help) = if source.slice(before).contains(':') {
            ("`:` must be followed by a space".to_owned(), "add a space after the `:`")
        } else {
            describe(NO_COLON)
        };
    } else if info.contains(NO_KEY)
        && Locator(source.bytes()).byte(Locator(source.bytes()).skip_blank(line_start)) == Some(b'-')
    {
        help = "give all items of a list the same indentation";
    } else if info.contains("<document start>") && source.slice(one_character(source, 0)) == "%" {
        (message, help) =
            ("`---` is missing after the line that begins with `%`".to_owned(), "add a line `---`");
    } else if info.contains("while scanning an anchor or alias")
        && Locator(source.bytes()).byte(at) == Some(b'*')
    {
        help = "quote it: `\"*\"`";
    }
    Diagnostic::new(&rules::SYNTAX, message).primary(source.label(place)).help(help)
}

/// The first byte of the control characters outside of ASCII, and of other characters.
const LEAD: u8 = 0xc2;

/// The number of bytes that are examined together.
const BLOCK: usize = 4096;

/// Returns the finding for the first character in `part` that YAML does not allow, if there is one.
pub(super) fn control_character(source: &SourceFile, part: Span) -> Option<Diagnostic> {
    let bytes = source.bytes().get(part.range()).unwrap_or_default();
    let ascii = |byte: u8| matches!(byte, 0..=8 | 11 | 12 | 14..=31 | 127);
    // Without an early exit the compiler can vectorize the check of a block.
    let dirty =
        |block: &[u8]| block.iter().fold(false, |found, byte| found | (ascii(*byte) || *byte == LEAD));
    let forbidden = |at: &usize| match bytes.get(*at..) {
        Some([LEAD, second, ..]) => matches!(second, 0x80..=0x9f) && *second != 0x85,
        Some([byte, ..]) => ascii(*byte),
        _ => false,
    };
    let dirty_blocks = bytes.chunks(BLOCK).enumerate().filter(|(_, block)| dirty(block));
    let at = dirty_blocks.flat_map(|(block, bytes)| (block * BLOCK..).take(bytes.len())).find(forbidden)?;
    Some(forbidden_character(source, part.start() + offset(at)))
}

/// Returns the finding for a character at `at` that YAML does not allow.
fn forbidden_character(source: &SourceFile, at: u32) -> Diagnostic {
    let span = one_character(source, at);
    let code = source.slice(span).chars().next().map_or(0, u32::from);
    Diagnostic::new(&rules::SYNTAX, format!("the character U+{code:04X} is not allowed in YAML"))
        .primary(source.label(span).message("this character"))
        .help("remove it, or write it as an escape in double quotes")
}

/// Returns the finding for a document that follows the first one.
pub(super) fn second_document(source: &SourceFile, start: Span) -> Diagnostic {
    Diagnostic::new(&rules::SEVERAL_DOCUMENTS, "the file has several documents")
        .primary(source.label(start).message("the second document starts here"))
        .note("the rest of the file was not checked")
        .help("keep one document per file")
}

/// Returns whether a line is a single word without quotes, brackets or a value.
fn is_one_word(line: &str) -> bool {
    !line.is_empty()
        && !line.ends_with(':')
        && !line
            .contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '#' | '[' | ']' | '{' | '}'))
}

/// Returns the span of the last line in front of `at` that is not blank.
fn line_before(source: &SourceFile, at: u32) -> Span {
    let before = source.bytes().get(..at as usize).unwrap_or_default();
    let end = offset(before.trim_ascii_end().len());
    let start = source.lines().start_of(source.lines().line_of(end.saturating_sub(1)));
    Span::new(Locator(source.bytes()).skip_blank(start).min(end), end)
}

/// Returns the message and the help for a message of the parser.
fn describe(info: &str) -> (String, &'static str) {
    let known = COMPLAINTS.iter().find(|(part, ..)| info.contains(part));
    known.map_or_else(
        || (format!("invalid YAML: {info}"), "check the indentation, the quotes and the brackets"),
        |(_, message, help)| ((*message).to_owned(), *help),
    )
}

/// The parser's message for something else in the place of a key.
const NO_KEY: &str = "while parsing a block mapping, did not find expected key";

/// Parts of the parser's messages, each with the message and the help to show in its place.
const COMPLAINTS: &[(&str, &str, &str)] = &[
    (NO_COLON, "a key needs `:` after it on the same line", "add `:` and a value, or quote the text"),
    (
        NO_VALUE,
        "`:` cannot start a value here",
        "quote the text if it contains `: `, or check the indentation",
    ),
    (
        "illegal placement of ':' indicator",
        "`:` cannot start a value here",
        "close the preceding bracket first",
    ),
    (
        "invalid indentation in flow construct",
        "a bracket is not closed before this line",
        "close the bracket, or indent this line",
    ),
    ("mapping keys are not allowed", "`?` cannot start a key here", "quote the text"),
    (
        "hexadecimal",
        "an escape in a double-quoted string is incomplete",
        "add the missing hexadecimal digits",
    ),
    (
        "Unicode character escape",
        "an escape in a double-quoted string is not a character",
        "write the character itself, or another code point",
    ),
    (
        "block scalar",
        "the first line of a block string is not valid",
        "write `|` or `>` alone on the line, and indent the text",
    ),
    ("simple key expected", "a key is not allowed here", "check the indentation"),
    ("did not find expected ',' or '}'", "a `,` or `}` is missing in a mapping in braces", "add `,` or `}`"),
    ("expected ',' or ']'", "a `,` or `]` is missing in a list in brackets", "add `,` or `]`"),
    (NO_KEY, "expected a key", "give all keys of a mapping the same indentation"),
    ("did not find expected '-' indicator", "expected `- `", "give all items of a list the same indentation"),
    ("found unexpected end of stream", "a quoted string is not closed", "add the closing quote"),
    ("invalid indentation in quoted scalar", "a quoted string is not closed", "add the closing quote"),
    (
        "found unknown escape character",
        "unknown escape in a double-quoted string",
        "use single quotes, where a backslash has no special meaning",
    ),
    (
        "invalid trailing content",
        "text follows a closed quote",
        "write a quote within single quotes twice; separate the items of a list with `,`",
    ),
    ("did not find expected node content", "expected a value", "write a value, or remove the `,`"),
    ("unexpected character: ", "a value cannot start with this character", "quote the text"),
    (
        "while scanning an anchor or alias",
        "`&` and `*` must be followed by a name",
        "quote the text unless it is an anchor or alias",
    ),
    ("block sequence entries are not allowed", "a list cannot start here", "begin it on a line of its own"),
    (
        "comment intercepting the multiline text",
        "a comment interrupts a string of several lines",
        "move the comment, or quote the string",
    ),
    ("invalid indentation", INDENTATION, ALIGN),
    ("did not find expected <document start>", INDENTATION, ALIGN),
    (
        "misplaced bracket",
        "a closing bracket has no opening bracket",
        "remove it, or add the opening bracket",
    ),
    ("unexpected eof", "the file ends in the middle of a value", "complete the value"),
    ("document end marker", "text follows `...` on its line", "remove the text"),
    ("a directive", "a line that begins with `%` is not valid", "quote the text, or remove the line"),
    ("a tag", "a tag is not valid", "quote the text unless it is a tag"),
    ("the handle wasn't declared", "a tag is not valid", "quote the text unless it is a tag"),
];

const INDENTATION: &str = "the indentation does not match any preceding line";
const ALIGN: &str = "align the line with the keys of its mapping";
