//! Descriptions of tools for prompts.

/// The description of a tool in a prompt.
///
/// Descriptors may come from unknown programs, so rendering escapes them; see
/// [`prompt::toolbox`](crate::prompt::toolbox()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor<'d> {
    /// The name, with its version unless it is 1.
    pub name: &'d str,
    /// What the tool does, in a sentence.
    pub doc: &'d str,
    /// The arguments, in the order in which they are shown.
    pub args: &'d [Argument<'d>],
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'d> {
    /// The name.
    pub name: &'d str,
    /// The type; empty means `str`.
    pub kind: &'d str,
    /// Whether it is required.
    pub is_required: bool,
}
