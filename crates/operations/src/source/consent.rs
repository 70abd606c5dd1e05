//! Asking once for a whole plan.

use super::{Consent, Desk, Preview};

/// What whoever was asked for a plan said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It shall be done.
    Yes,
    /// It shall not, or nobody was there to say so.
    No,
    /// It was only to be planned.
    Planned,
}

/// Returns a number of items in words.
pub(super) fn count(number: usize) -> String {
    if number == 1 { "1 item".to_owned() } else { format!("{number} items") }
}

/// Asks for a plan. On a terminal it is shown and asked for, unless the user said yes beforehand; without one, it is done if
/// it is no more than what the command line says itself.
pub(super) fn agree(
    consent: &Consent,
    is_free: bool,
    preview: &Preview,
    question: &str,
    desk: &mut dyn Desk,
) -> Answer {
    if consent.dry_run {
        return Answer::Planned;
    }
    if consent.yes {
        warn(preview, desk);
        return Answer::Yes;
    }
    if desk.is_attended() {
        desk.show(preview);
        return if desk.ask(question) { Answer::Yes } else { Answer::No };
    }
    if is_free {
        warn(preview, desk);
        return Answer::Yes;
    }
    desk.show(preview);
    Answer::No
}

/// Shows what one should know before something happens that nobody is asked for.
fn warn(preview: &Preview, desk: &mut dyn Desk) {
    if !preview.warnings.is_empty() {
        desk.show(&Preview { warnings: preview.warnings.clone(), ..Preview::default() });
    }
}
