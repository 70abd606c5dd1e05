#![doc = include_str!("../README.md")]

mod character;
mod diff;
mod hidden_characters;
mod script;
pub mod secrets;

pub use character::{
    is_control, is_direction_control, is_direction_mark, is_directional, is_ignorable, is_invisible,
    is_joiner, is_variation_selector,
};
pub use diff::{diff_header, unchanged_lines, unified_diff};
pub use hidden_characters::{HiddenKind, HiddenText, hidden_text, hidden_text_of_bytes};
