//! Regular expressions in configuration files.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ErrorKind, Visitor, visit};

/// A valid regular expression in the syntax of the crate `regex`, which matches in linear time and therefore has
/// neither look-around nor backreferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The number of capture groups.
    pub groups: usize,
}

/// The reason why a string is not a valid regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(ErrorKind);

impl Expression {
    /// Parses a regular expression. The name of a class such as `\p{Greek}` is not checked.
    ///
    /// # Errors
    ///
    /// Returns the reason if the string is not valid.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let tree = Parser::new().parse(text).map_err(|error| ExpressionError(error.kind().clone()))?;
        Ok(match visit(&tree, Groups(0)) {
            Ok(groups) => Self { groups },
            Err(never) => match never {},
        })
    }
}

impl ExpressionError {
    /// Returns what to do, as an instruction.
    pub fn help(&self) -> &'static str {
        match self.0 {
            ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
                "rewrite the expression without it: only expressions that can be matched in linear time are supported"
            }
            _ => "to match a special character such as `(` or `[` itself, write `\\` in front of it",
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
    fn the_help_names_linear_time_where_it_is_the_reason() {
        for text in ["(?<!x)y", "(x)\\1"] {
            let error = Expression::parse(text).unwrap_err();
            assert!(error.help().contains("linear"), "{text}: {error}");
        }
        assert!(Expression::parse("[").unwrap_err().help().contains("special character"));
    }
}
