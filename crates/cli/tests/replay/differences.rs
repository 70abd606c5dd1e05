//! Where `minds` means to differ from what was recorded, and why.

const HIDDEN: &str = "what is hidden, or belongs to a cache, is not offered; a review tells of it";
const TWICE: &str =
    "an item that is offered twice refuses the source, however it was found: nobody can know which is meant";
const LINKED_OUT: &str =
    "a `mind.toml` that is a link out of the source is another file of the machine, so it is refused";
const NEWER_FIRST: &str =
    "the version that a file asks for counts before all else: a later key is no mistake";
const MISSING: &str =
    "an item that is not there refuses the source with the place that names it, before anything is done";
const SHAPE: &str = "what does not have the form of its kind is no item; a review tells of it";
const CLASH: &str =
    "a pattern for folders means these folders; both are called by the last name of it, and that is told";
const TAKEN: &str =
    "an item whose name another source has is refused and told, and not passed over in silence";

/// A case, the aspect that differs, and the reason. Each must be needed.
pub(crate) const DELIBERATE: &[(&str, &str, &str)] = &[
    ("005-conv-hidden", "items", HIDDEN),
    ("028-toml-symlink-outside", "exit", LINKED_OUT),
    ("028-toml-symlink-outside", "items", LINKED_OUT),
    ("040-minver-unknown-key", "error", NEWER_FIRST),
    ("069-items-missing-path", "items", MISSING),
    ("071-items-dup", "exit", TWICE),
    ("071-items-dup", "items", TWICE),
    ("071-items-dup", "files", TWICE),
    ("079-items-discover-overlap", "exit", TWICE),
    ("079-items-discover-overlap", "items", TWICE),
    ("079-items-discover-overlap", "files", TWICE),
    ("080-disc-seed-example", "exit", CLASH),
    ("080-disc-seed-example", "items", CLASH),
    ("080-disc-seed-example", "files", CLASH),
    ("083-disc-star-star", "exit", TWICE),
    ("083-disc-star-star", "items", TWICE),
    ("084-disc-hidden", "items", HIDDEN),
    ("097-disc-agent-dir", "items", SHAPE),
    ("099-disc-tool-file", "items", SHAPE),
    ("144-learn-cross-source-same-name", "exit", TAKEN),
];
