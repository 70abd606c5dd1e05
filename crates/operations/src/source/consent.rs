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
        return Answer::Yes;
    }
    if desk.is_attended() {
        desk.show(preview);
        return if desk.ask(question) { Answer::Yes } else { Answer::No };
    }
    if is_free {
        return Answer::Yes;
    }
    desk.show(preview);
    Answer::No
}
