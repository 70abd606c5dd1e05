//! How large a document may be.

/// The number of bytes that a file may have: 16 MiB.
pub const MAX_BYTES: usize = 16 << 20;

/// How deep lists and mappings may lie in each other.
pub const MAX_DEPTH: usize = 64;

/// The number of nodes, keys included, that a document may have. A team of 10,000 members has about 500,000.
pub const MAX_NODES: usize = 1_000_000;

/// The number of bytes that one scalar may have: 1 MiB.
pub const MAX_SCALAR_BYTES: usize = 1 << 20;

/// The number of nodes that all aliases of a document may stand for together.
pub const MAX_ALIASED_NODES: u64 = 100_000;
