//! Changes of text files that are planned first and applied then, through the tools.

mod access;
mod applying;
mod crashes;
mod creatable;
mod descriptions;
mod hunks;
mod previews;
mod properties;
mod site;
mod writers;
