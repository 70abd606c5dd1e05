use std::cell::LazyCell;
use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::{Check, ProjectCheck};

rule! {
    pub(super) static RULE {
        code: "compose/unknown-channel",
        summary: "a reference names a channel that the project does not have",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_channel.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let Some(names) = channel_names(project) else { return };
    let candidates = LazyCell::new(|| Candidates::new(names.iter().copied()));
    for agent in &project.agents {
        let channels = agent.fields().and_then(|fields| fields.can_broadcast.as_given());
        for channel in channels.into_iter().flat_map(|channels| &channels.value.items) {
            if names.contains(&*channel.value) {
                continue;
            }
            check.report(project.document, &RULE, channel, |label| {
                let message = format!("project `{1}` has no channel `{0}`", channel.value, project.name());
                let help = candidates
                    .did_you_mean(&channel.value)
                    .unwrap_or_else(|| format!("add `{}` to `channels`", channel.value));
                Diagnostic::new(&RULE, message).primary(label.message("not in `channels`")).help(help)
            });
        }
    }
}

/// Returns the names of the channels, or `None` if not all channels could be read.
fn channel_names<'f>(project: &ProjectCheck<'f>) -> Option<BTreeSet<&'f str>> {
    let field = &project.project.channels;
    if field.is_unreadable() || project.document.is_partial() {
        return None;
    }
    let Some(channels) = field.as_given() else { return Some(BTreeSet::new()) };
    if !channels.value.is_complete {
        return None;
    }
    channels.value.items.iter().map(|channel| Some(&*channel.value.name.as_given()?.value)).collect()
}
