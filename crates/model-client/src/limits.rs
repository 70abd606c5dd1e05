//! The limits of answers. A provider that exceeds one fails; what arrived before is kept.

/// The maximum size of an event, and of an answer that is not a stream, in bytes.
pub(crate) const MAX_EVENT_BYTES: usize = 8 << 20;
/// The maximum size of a response with everything around its text, in bytes.
pub(crate) const MAX_RESPONSE_BYTES: usize = 256 << 20;
/// The maximum size of the text of an answer, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 8 << 20;
/// The maximum number of tool calls of an answer.
pub(crate) const MAX_CALLS: usize = 128;
/// The maximum index of a tool call or of a block of an answer.
pub(crate) const MAX_INDEX: u64 = 1023;
/// The maximum size of the arguments of all calls of an answer, in bytes. As values they need up to 80 times as much memory.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 512 << 10;
/// The maximum size of the id and of the name of a call, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 256;
/// The maximum number of members of a list in an event.
pub(crate) const MAX_ITEMS: usize = 1024;
