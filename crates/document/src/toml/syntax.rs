//! Messages and places for the syntax errors of a line.

use minds_diagnostics::{Diagnostic, SourceFile, Span};
use toml_parser::{ErrorSink, Expected, ParseError};

use super::decode::DocumentText;
use super::literal::is_number;
use super::tables::{Origin, Shape};
use crate::limits::STOPPED;
use crate::rules;

/// The library's messages for a bracket or brace that is not closed.
const UNCLOSED: [&str; 2] = ["unclosed array", "unclosed inline table"];

/// Error descriptions of this crate, in the style of the library.
pub(super) const MISSING_KEY: &str = "missing key";
pub(super) const MISSING_VALUE: &str = "missing value";
pub(super) const BAD_DATE: &str = "invalid date-time";
pub(super) const TOO_LARGE: &str = "number out of range";

/// The library's complaints about one line: the first one, and the first about an unclosed bracket. The others are
/// consequences of these.
#[derive(Default)]
pub(super) struct Complaints {
    first: Option<ParseError>,
    unclosed: Option<ParseError>,
}

impl ErrorSink for Complaints {
    fn report_error(&mut self, error: ParseError) {
        if UNCLOSED.contains(&error.description()) && self.unclosed.is_none() {
            self.unclosed = Some(error.clone());
        }
        if self.first.is_none() {
            self.first = Some(error);
        }
    }
}

impl Complaints {
    /// Returns the complaint to report for the line.
    pub(super) fn most_severe(&self) -> Option<&ParseError> {
        self.unclosed.as_ref().or(self.first.as_ref())
    }

    /// Returns the place of a complaint.
    pub(super) fn place_of(&self, complaint: &ParseError) -> toml_parser::Span {
        let is_unclosed = self.unclosed.as_ref() == Some(complaint);
        let (context, unexpected) = (complaint.context(), complaint.unexpected());
        if is_unclosed { context.or(unexpected) } else { unexpected.or(context) }.unwrap_or_default()
    }
}

/// Returns the finding for the most important complaint about a line.
pub(super) fn finding(
    source: &SourceFile,
    words: DocumentText<'_>,
    complaints: &Complaints,
    complaint: &ParseError,
) -> Diagnostic {
    let place = one_character(source, words.place(complaints.place_of(complaint)));
    if complaints.unclosed.is_some() {
        return report_unclosed(
            source,
            words,
            place,
            complaints.first.as_ref().filter(|first| *first != complaint),
        );
    }
    let context = complaint.context().map_or(place, |context| words.place(context));
    if complaint.description() == LONE_RETURN {
        // The library points after it.
        return lone_carriage_return(source, Span::new(place.start().saturating_sub(1), place.start()));
    }
    let character = one_character(source, Span::at(place.start()));
    if source.slice(character).starts_with(|c: char| c.is_ascii_control() && c != '\t') {
        return forbidden_character(source, character);
    }
    if is_unclosed_text(complaint) {
        return unclosed_text(source, context);
    }
    let word = source.slice(context);
    let (message, help) = match complaint.description() {
        "invalid boolean" if word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") => {
            ("`true` and `false` must be lower case", format!("write `{}`", word.to_ascii_lowercase()))
        }
        "string values must be quoted" if begins_with_value(word) => {
            let help = "separate the items of a list or inline table with `,`, and write each key on a line of its own";
            ("two values follow each other", help.to_owned())
        }
        "string values must be quoted" | "invalid boolean" => ("a string needs quotes", advise_quotes(word)),
        "invalid float" if !word.contains(|c: char| c.is_ascii_digit()) => {
            ("a string needs quotes", advise_quotes(word))
        }
        "invalid unquoted key" => (
            "a key with other characters than letters, digits, `_` and `-` needs quotes",
            advise_quotes(word),
        ),
        other => {
            let (message, help) = describe(other);
            (message, help.to_owned())
        }
    };
    Diagnostic::new(&rules::TOML_SYNTAX, message).primary(source.label(place)).help(help)
}

/// The library's message for a carriage return without a line feed.
const LONE_RETURN: &str = "carriage return must be followed by newline";

/// Returns the finding for a bracket that is not closed; `first` is another complaint in front of it.
fn report_unclosed(
    source: &SourceFile,
    words: DocumentText<'_>,
    bracket: Span,
    first: Option<&ParseError>,
) -> Diagnostic {
    let found = Diagnostic::new(&rules::TOML_SYNTAX, format!("`{}` is not closed", source.slice(bracket)))
        .primary(source.label(bracket).message("opened here"))
        .note(STOPPED)
        .help("add the closing bracket");
    match first.and_then(ParseError::unexpected) {
        Some(inside) => {
            let inside = one_character(source, words.place(inside));
            found.secondary(source.label(inside).message("read as a part of it"))
        }
        None => found,
    }
}

/// Returns the finding for a string without a closing quote; with triple quotes it continues on the next lines.
fn unclosed_text(source: &SourceFile, text: Span) -> Diagnostic {
    let is_long = ["\"\"\"", "'''"].iter().any(|quotes| source.slice(text).starts_with(quotes));
    let length = if is_long { 3 } else { 1 };
    let quotes = Span::new(text.start(), (text.start() + length).min(text.end()));
    let found = Diagnostic::new(&rules::TOML_SYNTAX, "a quoted string is not closed")
        .primary(source.label(quotes).message("opened here"));
    if is_long {
        found.note(STOPPED).help("close it with the same three quotes")
    } else {
        found.help("add the closing quote on the same line")
    }
}

/// Returns whether a string has no closing quote: then the library expects one first.
fn is_unclosed_text(complaint: &ParseError) -> bool {
    complaint.description().ends_with("string")
        && matches!(complaint.expected(), Some([Expected::Literal("\"" | "'"), ..]))
}

/// The maximum number of bytes of a word that a help repeats.
const MAX_QUOTED_BYTES: usize = 80;

/// Returns whether unquoted words begin with one that is a complete value.
fn begins_with_value(words: &str) -> bool {
    words.split_once(' ').is_some_and(|(first, _)| is_number(first) || matches!(first, "true" | "false"))
}

/// Returns how to quote a word, if no escapes are needed.
fn advise_quotes(word: &str) -> String {
    let is_simple = !word.is_empty()
        && word.len() <= MAX_QUOTED_BYTES
        && !word.contains(|c: char| c.is_control() || matches!(c, '"' | '\'' | '\\'));
    if is_simple { format!("quote it: `\"{word}\"`") } else { "put it in quotes".to_owned() }
}

/// Returns the message and the help for a message of the library.
fn describe(complaint: &str) -> (&'static str, &'static str) {
    COMPLAINTS.iter().find(|(part, ..)| complaint.contains(part)).map_or(
        ("the line is not valid TOML", "write `key = value`, or a header in brackets"),
        |(_, message, help)| (*message, *help),
    )
}

/// The help for an invalid number, which may be meant as a string.
const QUOTE: &str = "correct the number, or quote it if it is a string";
const ADD_VALUE: &str = "add `=` and a value";
const ADD_BRACKET: &str = "remove it, or add the opening bracket";
const ADD_COMMA: &str = "add the `,`";

/// Parts of the library's messages, each with the message and the help to show in its place.
const COMPLAINTS: &[(&str, &str, &str)] = &[
    (MISSING_VALUE, "a value is missing", "write a value after the `=`, or remove the key"),
    (MISSING_KEY, "a key is missing", "write a key in front of the `=`"),
    (BAD_DATE, "the date or time does not exist", "write a date as `2026-11-20`, a time as `10:30:00`"),
    (TOO_LARGE, "a number is too large", QUOTE),
    ("key with no value", "a key needs `=` and a value", ADD_VALUE),
    ("missing value for key", "a key needs `=` and a value", ADD_VALUE),
    ("missing assignment", "a key needs `=` and a value", ADD_VALUE),
    (
        "unexpected key or value",
        "unexpected text at the end of the line",
        "begin a new line, or put `#` in front of a comment",
    ),
    ("invalid key-value pair", "a line cannot begin like this", "begin with a key, or with `[` for a header"),
    ("missing table open", "a closing bracket has no opening bracket", ADD_BRACKET),
    ("missing array opening", "a closing bracket has no opening bracket", ADD_BRACKET),
    ("missing inline table opening", "a closing bracket has no opening bracket", ADD_BRACKET),
    ("invalid inline table element", "a closing bracket has no opening bracket", ADD_BRACKET),
    ("unclosed array table", "the header is not closed", "close it with `]]`"),
    ("unclosed table", "the header is not closed", "close it with `]`"),
    ("missing comma between array", "a `,` is missing in a list", ADD_COMMA),
    ("missing comma between key", "a `,` is missing in a table in braces", ADD_COMMA),
    ("extra comma", "something is missing in front of this `,`", "remove the `,`"),
    ("unexpected `=` in array", "`=` is not allowed in a list", "put the key and its value in braces"),
    ("extra `=`", "there is one `=` too many", "remove one `=`"),
    ("extra assignment", "there is one `=` too many", "remove one `=`"),
    ("missing key for inline", "a key is missing in a table in braces", "write a key in front of the `=`"),
    ("missing opening quote", "a string has a closing quote and no opening quote", "add the opening quote"),
    ("keys cannot be multi-line", "a key cannot be in triple quotes", "use one quote on each side"),
    (
        "missing escaped value",
        "unknown escape in a double-quoted string",
        "use single quotes, where a backslash has no special meaning",
    ),
    (
        "too few unicode value digits",
        "an escape in a double-quoted string is incomplete",
        "add the missing hexadecimal digits",
    ),
    (
        "invalid value",
        "an escape in a double-quoted string is not a character",
        "write the character itself, or another code point",
    ),
    ("leading zero", "a number cannot begin with 0", QUOTE),
    ("`_` may only go", "`_` is only allowed between two digits of a number", QUOTE),
    ("redundant numeric sign", "a number has more than one sign", QUOTE),
    ("cannot be signed", "a number with a prefix cannot have a sign", QUOTE),
    ("unexpected sign", "a number with a prefix cannot have a sign", QUOTE),
    ("radix must be lowercase", "the prefix of a number must be lower case", QUOTE),
    ("redundant integer number prefix", "a decimal number cannot have a prefix", QUOTE),
    ("invalid", "a number is not valid", QUOTE),
];

/// Returns the finding for a character that is not valid in TOML.
pub(super) fn forbidden_character(source: &SourceFile, span: Span) -> Diagnostic {
    let code = source.slice(span).chars().next().map_or(0, u32::from);
    Diagnostic::new(&rules::TOML_SYNTAX, format!("the character U+{code:04X} is not allowed here"))
        .primary(source.label(span).message("this character"))
        .help("remove it, or write it as an escape in double quotes")
}

/// Returns the finding for a carriage return that no line feed follows.
pub(super) fn lone_carriage_return(source: &SourceFile, span: Span) -> Diagnostic {
    Diagnostic::new(&rules::TOML_SYNTAX, "a carriage return alone does not end a line")
        .primary(source.label(span).message("no line feed follows"))
        .help("use LF or CRLF line endings")
}

/// Returns the finding for a key or header that is given again.
pub(super) fn duplicate_key(source: &SourceFile, key: Span, first: Span) -> Diagnostic {
    let name = source.slice(key);
    Diagnostic::new(&rules::TOML_DUPLICATE_KEY, format!("the key `{name}` is defined twice"))
        .primary(source.label(key).message("defined again"))
        .secondary(source.label(first).message("first defined here"))
        .help("remove one of the two")
}

/// Returns the finding for a key in the path of another key, with a value that cannot be extended.
pub(super) fn not_extendable(source: &SourceFile, key: Span, first: Span, shape: Shape) -> Diagnostic {
    let name = source.slice(key);
    let (what, help) = match shape {
        Shape::Table(Origin::Braces) => {
            ("in braces, which hold the whole table", "put the key between these braces")
        }
        Shape::Table(_) => ("has a header of its own", "put the key below that header"),
        Shape::Tables => ("a list whose items have headers", "put the key below the header of the item"),
        Shape::List => ("a list", "give one of the two another name"),
        Shape::Scalar(_) => ("a value, not a table", "give one of the two another name"),
    };
    let message = match shape {
        Shape::Table(_) => format!("the table `{name}` cannot be extended here"),
        _ => format!("the key `{name}` is defined twice"),
    };
    Diagnostic::new(&rules::TOML_DUPLICATE_KEY, message)
        .primary(source.label(key).message("a table here"))
        .secondary(source.label(first).message(what))
        .help(help)
}

/// Returns the span of the character at an empty span; it stays empty at the end of the text or of a line.
fn one_character(source: &SourceFile, span: Span) -> Span {
    if !span.is_empty() {
        return span;
    }
    let rest = source.text().ok().and_then(|text| text.get(span.range().start..)).unwrap_or_default();
    let length = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
    Span::new(span.start(), span.start() + u32::try_from(length).unwrap_or_default())
}
