//! Asking for consent to a plan.

use crate::{Consent, Interaction, Preview};

/// The answer to the question about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The plan is applied.
    Yes,
    /// The plan is not applied, because the user declined or could not be asked.
    No,
    /// Only the plan was requested.
    Planned,
}

/// Returns a number of items, with the unit.
pub(crate) fn count(number: usize) -> String {
    if number == 1 { "1 item".to_owned() } else { format!("{number} items") }
}

/// Asks for consent to a plan. With a terminal, the plan is shown and the user is asked, except with `--yes`.
/// Without one, the plan is applied only if the command line itself is sufficient consent (`is_free`).
pub(crate) fn ask_consent(
    consent: &Consent,
    is_free: bool,
    preview: &Preview,
    question: &str,
    interaction: &mut dyn Interaction,
) -> Answer {
    if consent.dry_run {
        return Answer::Planned;
    }
    if consent.yes {
        warn(preview, interaction);
        return Answer::Yes;
    }
    if interaction.is_interactive() {
        interaction.show(preview);
        return if interaction.ask(question) { Answer::Yes } else { Answer::No };
    }
    if is_free {
        warn(preview, interaction);
        return Answer::Yes;
    }
    interaction.show(preview);
    Answer::No
}

/// Shows the warnings of a plan about which the user is not asked.
fn warn(preview: &Preview, interaction: &mut dyn Interaction) {
    if !preview.warnings.is_empty() {
        interaction.show(&Preview { warnings: preview.warnings.clone(), ..Preview::default() });
    }
}
