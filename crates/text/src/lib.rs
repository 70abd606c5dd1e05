//! Characters that are not displayed, and the text that they hide.
//!
//! A model reads every character of a text, and people review what is displayed. Text that is not displayed can
//! therefore give a model instructions that were never reviewed. [`hidden_text`] finds such text; the predicates say
//! the same of single characters, without regard to what is next to them.
//!
//! ```
//! use minds_text::{HiddenKind, hidden_text};
//!
//! assert_eq!(hidden_text("a family: 👩\u{200d}👧").count(), 0);
//! let found = hidden_text("plain\u{e0041}\u{e0042}").next();
//! assert_eq!(found.map(|found| (found.kind, found.start, found.count)), Some((HiddenKind::Tag, 5, 2)));
//! ```

mod character;
mod hidden;
mod script;

pub use character::{
    is_control, is_direction_control, is_direction_mark, is_directional, is_ignorable, is_invisible,
    is_joiner, is_variation_selector,
};
pub use hidden::{HiddenKind, HiddenText, hidden_text, hidden_text_of_bytes};
