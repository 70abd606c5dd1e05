//! Deciding which hooks run, and running them.

use std::collections::BTreeMap;
use std::path::Path;

use minds_inventory::RegisteredSource;
use minds_inventory::plan::{HookOwner, PlannedHook};
use minds_process::{SHELL_VARIABLES, ShellEnd, ShellLimits, ShellOutcome, run_shell};
use minds_sources::{HookEvent, Identity};

use crate::{Consent, HookDecision, HookRun, HookStep, Interaction, SourceError, SourceErrorKind};

/// Decides about hooks by the options of the user.
pub(crate) struct Hooks<'c> {
    consent: &'c Consent,
    is_interactive: bool,
    /// The location of each source.
    places: BTreeMap<Identity, String>,
}

impl<'c> Hooks<'c> {
    /// Creates the decisions for hooks of these sources.
    pub(crate) fn new<'s>(
        consent: &'c Consent,
        interaction: &dyn Interaction,
        sources: impl IntoIterator<Item = &'s RegisteredSource>,
    ) -> Self {
        let place = |source: &RegisteredSource| (source.identity.clone(), source.url().to_owned());
        Self {
            consent,
            is_interactive: interaction.is_interactive(),
            places: sources.into_iter().map(place).collect(),
        }
    }

    /// Returns a warning for each accepted hash that does not match any of these hooks; it may be outdated or
    /// mistyped.
    pub(crate) fn unmatched_hash_warnings(&self, steps: &[HookStep]) -> Vec<String> {
        let is_of_none = |given: &&String| steps.iter().all(|step| !is_hash(&step.hash, given));
        let unmatched = self.consent.accepted_hooks.iter().filter(is_of_none);
        unmatched
            .map(|given| format!("`--accept-hooks {given}` does not match any hook that would run"))
            .collect()
    }

    /// Returns the step for a hook. `is_named` is whether it is defined in a file of a source that the
    /// command line names.
    pub(crate) fn step(&self, planned: &PlannedHook, is_named: bool) -> HookStep {
        let from = self.places.get(&planned.source).cloned().unwrap_or_default();
        let hash = planned.consent_hash(&from).to_string();
        let given = self.consent.hook_variables.iter().map(String::as_str);
        let is_accepted = self.consent.accepted_hooks.iter().any(|given| is_hash(&hash, given));
        let decision = if is_accepted || (is_named && self.consent.skip_hook_check) {
            HookDecision::Accepted
        } else if self.is_interactive {
            HookDecision::Asked
        } else {
            HookDecision::Skipped
        };
        let (item, event) = match &planned.owner {
            HookOwner::Source => (None, Some(planned.hook.event)),
            HookOwner::Item(key) => (Some(key.clone()), Some(planned.hook.event)),
            HookOwner::Build(key) => (Some(key.clone()), None),
        };
        HookStep {
            source: planned.source.to_string(),
            item,
            event,
            run: planned.hook.run.clone(),
            name: planned.hook.name.clone(),
            is_optional: planned.hook.is_optional,
            from,
            version: planned.version.clone(),
            variables: SHELL_VARIABLES.iter().copied().chain(given).map(str::to_owned).collect(),
            key: planned.hash,
            hash,
            decision,
        }
    }
}

/// Returns whether a given string is this hash, with or without the prefix for its algorithm.
fn is_hash(hash: &str, given: &str) -> bool {
    hash == given || hash.rsplit(':').next() == Some(given)
}

/// Returns the hooks of a source for an event; their version is not computed yet.
pub(crate) fn of_source(
    source: &Identity,
    hooks: impl IntoIterator<Item = minds_sources::Hook>,
    event: HookEvent,
) -> Vec<PlannedHook> {
    let hooks = hooks.into_iter().filter(|hook| hook.event == event);
    hooks.map(|hook| PlannedHook::new(source.clone(), HookOwner::Source, hook, String::new())).collect()
}

/// Asks the user for consent to each hook that no flag covers; without a terminal, these hooks are skipped.
pub(crate) fn ask(steps: &mut [HookStep], interaction: &mut dyn Interaction) {
    for step in steps {
        if step.decision == HookDecision::Asked {
            let whose = step
                .item
                .as_ref()
                .map_or_else(|| step.source.clone(), |item| format!("{item} of {}", step.source));
            let answer = interaction.ask(&format!("run this command for {whose}: {}", step.run));
            step.decision = if answer { HookDecision::Accepted } else { HookDecision::Skipped };
        }
    }
}

/// Runs a hook in a folder.
///
/// # Errors
///
/// Fails if the hook cannot be started, or fails.
pub(crate) fn run(step: &HookStep, folder: &Path) -> (HookRun, Result<(), SourceError>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let target = || step.item.as_ref().map_or_else(|| step.source.clone(), ToString::to_string);
    let failed =
        |message: String| SourceError::new(SourceErrorKind::HookFailed, message).with_target(target());
    let (stdout, stderr, result) = match run_shell(&step.run, folder, &step.variables, ShellLimits::default())
    {
        Err(error) => (String::new(), String::new(), Err(failed(error.to_string()))),
        Ok(end) => (text(&end.stdout), text(&end.stderr), check_end(step, &end).map_err(failed)),
    };
    (HookRun { hook: step.clone(), is_done: result.is_ok(), stdout, stderr }, result)
}

/// The maximum number of characters of the output in an error.
const MAX_OUTPUT_CHARACTERS: usize = 200;

fn check_end(step: &HookStep, end: &ShellEnd) -> Result<(), String> {
    let event = step.event.map_or("build", HookEvent::name);
    let run = &step.run;
    match end.outcome {
        ShellOutcome::Exited(0) => Ok(()),
        ShellOutcome::Exited(code) => {
            let why = last_output_line(end).map(|line| format!(": {line}")).unwrap_or_default();
            Err(format!("the {event} hook `{run}` failed with exit code {code}{why}"))
        }
        ShellOutcome::Killed => Err(format!("the {event} hook `{run}` was killed")),
        ShellOutcome::TimedOut => Err(format!("the {event} hook `{run}` timed out and was killed")),
    }
}

/// Returns the last line of the output, preferably of stderr, which mostly gives the reason of a failure.
fn last_output_line(end: &ShellEnd) -> Option<String> {
    [&end.stderr, &end.stdout].into_iter().find_map(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        Some(line.chars().take(MAX_OUTPUT_CHARACTERS).collect())
    })
}
