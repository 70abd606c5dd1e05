//! The interface to the user of a verb.

use crate::Preview;

/// The interaction of a verb with its user: showing plans and asking questions.
pub trait Interaction: Send {
    /// Returns whether a user can be asked.
    fn is_interactive(&self) -> bool;
    /// Shows a plan before the user is asked for consent.
    fn show(&mut self, preview: &Preview);
    /// Asks a yes-or-no question; No is the default answer.
    fn ask(&mut self, question: &str) -> bool;
    /// Asks for a line of text, where an empty line is the default answer; `None` if there is no answer.
    fn answer(&mut self, question: &str) -> Option<String>;
    /// Reports the progress of a long operation.
    fn progress(&mut self, text: &str);
}
