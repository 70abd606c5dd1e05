#![doc = include_str!("../README.md")]

mod author;
mod change;
pub mod documents;
mod errors;
mod history;
mod migrate;
mod package;
mod pending;
mod previous_contents;
mod record;
mod scan;
mod settle;
mod status;
mod steps;
mod tasks;
mod undo;
mod verify;

pub use author::Author;
pub use change::{ChangeResult, Edit, Request};
pub use history::{BlamedLine, ChangeText, History};
pub use migrate::{MigratedPackage, Source};
pub use package::{Package, SectionText};
pub use scan::{ScanScope, is_section, package_of, scan_packages};
pub use status::TextStamp;
pub use tasks::Tasks;
pub use undo::UndoResult;
