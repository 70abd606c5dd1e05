//! Reading of a document line by line.

use minds_diagnostics::{Problems, SourceFile, Span};
use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};
use toml_parser::parser::parse_document;

use super::builder::Builder;
use super::decode::DocumentText;
use super::syntax::{self, Complaints};
use crate::Document;
use crate::limits::{self, MAX_WORDS};
use crate::rules;

/// Reads the document that is `part` of a source; none if it exceeds a limit.
///
/// A line continues as long as a bracket in it is open. Each line is passed to the library as soon as it is complete,
/// so the tokens of many lines are never in memory together.
pub(super) fn read(source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
    let text = source.slice(part);
    let words = DocumentText { text, base: part.start() };
    let builder = Builder::new(source, words, problems);
    let mut lines = Lines { words, builder, tokens: Vec::new(), at: NextElement::Key, open: Vec::new() };
    for token in Source::new(text).lex() {
        lines.take(token)?;
    }
    Some(lines.builder.into_document())
}

struct Lines<'s, 't> {
    words: DocumentText<'t>,
    builder: Builder<'s, 't>,
    /// The significant tokens of the line.
    tokens: Vec<Token>,
    at: NextElement,
    /// The closing brackets that are expected.
    open: Vec<TokenKind>,
}

/// The next element of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextElement {
    /// The rest of a key, or its `=`.
    Key,
    /// The first token of a value: a bracket there may continue over the next lines.
    Value,
    /// The rest of the line. A bracket that opens there is an error, which ends with the line.
    Rest,
}

impl Lines<'_, '_> {
    /// Takes a token; none if reading ends at it.
    fn take(&mut self, token: Token) -> Option<()> {
        let kind = token.kind();
        let last = self.tokens.last().map(Token::kind);
        match kind {
            TokenKind::Comment => {
                self.check_comment(token);
                return Some(());
            }
            TokenKind::Newline => {
                let place = self.words.place(token.span());
                if self.words.text.get(token.span().start()..token.span().end()) == Some("\r") {
                    self.builder.report(&rules::TOML_SYNTAX, place, syntax::lone_carriage_return);
                }
                if !self.open.is_empty() && last == Some(TokenKind::Newline) {
                    return Some(());
                }
            }
            TokenKind::Whitespace if matches!(last, None | Some(TokenKind::Newline)) => return Some(()),
            _ => self.follow(kind),
        }
        self.tokens.push(token);
        if kind == TokenKind::Eof || (kind == TokenKind::Newline && self.open.is_empty()) {
            self.read_line()
        } else if self.tokens.len() > MAX_WORDS {
            let found = limits::too_many_words(self.builder.source, self.words.place(token.span()));
            self.builder.problems.push(found);
            None
        } else {
            Some(())
        }
    }

    /// Tracks how the library will interpret a token: where the value begins, and which brackets are open.
    fn follow(&mut self, kind: TokenKind) {
        let closing = match kind {
            TokenKind::LeftSquareBracket => Some(TokenKind::RightSquareBracket),
            TokenKind::LeftCurlyBracket => Some(TokenKind::RightCurlyBracket),
            _ => None,
        };
        if !self.open.is_empty() {
            // A bracket of the other kind closes nothing.
            if self.open.last() == Some(&kind) {
                self.open.pop();
            }
            self.open.extend(closing);
            return;
        }
        self.at = match (self.at, kind) {
            (at, TokenKind::Whitespace) => at,
            (NextElement::Key | NextElement::Value, TokenKind::Equals) => NextElement::Value,
            (NextElement::Value, _) => {
                self.open.extend(closing);
                NextElement::Rest
            }
            (
                NextElement::Key,
                TokenKind::Atom
                | TokenKind::Dot
                | TokenKind::BasicString
                | TokenKind::LiteralString
                | TokenKind::MlBasicString
                | TokenKind::MlLiteralString,
            ) => NextElement::Key,
            (NextElement::Key | NextElement::Rest, _) => NextElement::Rest,
        };
    }

    fn read_line(&mut self) -> Option<()> {
        let mut complaints = Complaints::default();
        // The last token is the end of the line.
        if self.tokens.len() > 1 {
            parse_document(&self.tokens, &mut self.builder, &mut complaints);
        }
        self.tokens.clear();
        self.open.clear();
        self.at = NextElement::Key;
        self.builder.end_line(&complaints)
    }

    /// Reports the first character of a comment that is not allowed there.
    fn check_comment(&mut self, token: Token) {
        let start = token.span().start();
        let bytes = self.words.text.as_bytes().get(start..token.span().end()).unwrap_or_default();
        // Only ASCII characters are forbidden, so the byte is the character.
        if let Some(at) = bytes.iter().position(|byte| matches!(byte, 0..=8 | 10..=31 | 127)) {
            let place = self.words.place(toml_parser::Span::new_unchecked(start + at, start + at + 1));
            self.builder.report(&rules::TOML_SYNTAX, place, syntax::forbidden_character);
        }
    }
}
