//! Regular expressions in files.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ErrorKind, Visitor, visit};

/// What a regular expression is made of, in the syntax of the crate `regex`: it takes linear time on every text, and so has
/// neither look-around nor references back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// How many groups catch something.
    pub groups: usize,
}

/// Why a text is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(ErrorKind);

impl Expression {
    /// Reads a regular expression. Whether a class such as `\p{Greek}` has a name that is known is not looked at.
    ///
    /// # Errors
    ///
    /// Returns why the text is none.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let tree = Parser::new().parse(text).map_err(|error| ExpressionError(error.kind().clone()))?;
        Ok(match visit(&tree, Groups(0)) {
            Ok(groups) => Self { groups },
            Err(never) => match never {},
        })
    }
}

impl ExpressionError {
    /// Returns what to do, in words.
    pub fn help(&self) -> &'static str {
        match self.0 {
            ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
                "say what is meant without it: every expression takes linear time on every text"
            }
            _ => "write a plain character that has a meaning, such as `(` or `[`, with a `\\` before it",
        }
    }
}

struct Groups(usize);

impl Visitor for Groups {
    type Output = usize;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<usize, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), Self::Err> {
        if matches!(tree, Ast::Group(group) if !matches!(group.kind, ast::GroupKind::NonCapturing(_))) {
            self.0 += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted() {
        for (text, groups) in [
            ("", Some(0)),
            ("limit", Some(0)),
            ("in (\\d+) (?:h|m)", Some(1)),
            ("(?P<at>[(])|(?<in>((x)))", Some(4)),
            ("\\(", Some(0)),
            ("(", None),
            ("a{2,1}", None),
            ("(?=x)", None),
            ("(x)\\1", None),
        ] {
            assert_eq!(Expression::parse(text).ok().map(|found| found.groups), groups, "{text}");
        }
    }

    #[test]
    fn what_would_not_be_linear_is_said_to_be_so() {
        for text in ["(?<!x)y", "(x)\\1"] {
            let error = Expression::parse(text).unwrap_err();
            assert!(error.help().contains("linear"), "{text}: {error}");
        }
        assert!(Expression::parse("[").unwrap_err().help().contains("plain character"));
    }
}
