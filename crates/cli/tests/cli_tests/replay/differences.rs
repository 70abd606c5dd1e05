//! Deliberate differences from the recordings, and their reasons.

const HIDDEN: &str = "hidden files and caches are not offered; a review reports them";
const TWICE: &str = "a source that offers an item twice is refused, because the item is ambiguous";
const LINKED_OUT: &str = "a `mind.toml` that links to a file outside of the source is refused";
const NEWER_FIRST: &str = "the required version is checked first: keys of later versions are not errors";
const MISSING: &str =
    "a source with a missing item is refused with the place that refers to it, before anything is done";
const SHAPE: &str = "entries without the form of their kind are not items; a review reports them";
const CLASH: &str =
    "a pattern for directories selects these directories; if their names collide, that is reported";
const TAKEN: &str = "an item with a name of another source is refused with an error, not ignored";

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
