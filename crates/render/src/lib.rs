//! What other programs read, made of checked files.
//!
//! [`clients`] makes the files in which MCP clients look for their servers. Nothing here touches a disk: texts come in,
//! texts and findings go out.

pub mod clients;
