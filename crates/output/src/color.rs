//! When to use colors.

use clap::ValueEnum;

/// When to use colors. The values have no help of their own, because the long help of the program would not fit one screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "a comment would be the help of a value")]
pub enum Color {
    Auto,
    Always,
    Never,
}
