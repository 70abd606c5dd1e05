//! Where plans are shown and questions are asked.

use super::Preview;

/// What a verb needs of whoever started it: somebody to show a plan to, and to ask.
pub trait Desk: Send {
    /// Returns whether somebody is there to be asked.
    fn is_attended(&self) -> bool;
    /// Shows what is planned, before it is asked for.
    fn show(&mut self, preview: &Preview);
    /// Asks a question of which No is the default answer.
    fn ask(&mut self, question: &str) -> bool;
    /// Asks for a text, of which an empty one is the default answer; none if nobody answers.
    fn answer(&mut self, question: &str) -> Option<String>;
    /// Says how far a long step has come.
    fn progress(&mut self, text: &str);
}
