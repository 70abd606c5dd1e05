//! What a tool does, in the words that prompts use.

/// What a prompt says about a tool.
///
/// Descriptors may come from programs that nobody here knows, so whatever they say is safe to render; see
/// [`prompt::toolbox`](crate::prompt::toolbox()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor<'d> {
    /// The name, with its version where that is not 1.
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
    /// The type; empty if the tool does not say, which stands for `str`.
    pub kind: &'d str,
    /// Whether a call needs it.
    pub is_required: bool,
}
