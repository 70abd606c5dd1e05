//! Commands that a source runs on the machine of its users.

use minds_diagnostics::SourceFile;

use super::{Review, ReviewedItem, rules, span};
use crate::MANIFEST_FILE;
use crate::discovery::Discovery;

const READ_COMMAND: &str = "review the command, and everything that it runs, before you install the source";

/// Reports the commands of the source itself.
pub(super) fn check_source(review: &mut Review<'_>, discovered: &Discovery) {
    let Some(manifest) = &discovered.manifest else { return };
    let source = discovered.manifest_source.clone().unwrap_or_else(|| SourceFile::new(MANIFEST_FILE, ""));
    let manifest = manifest.manifest();
    let entries = manifest.hooks.as_given().into_iter().flat_map(|hooks| &hooks.value.items);
    let listed = entries.map(|entry| (entry.span, entry.value.hook()));
    let old = manifest.source_table().and_then(|head| head.install.as_given());
    let first = old.map(|run| (run.span, manifest.hooks().into_iter().next()));
    for (place, hook) in first.into_iter().chain(listed) {
        let Some(hook) = hook else { continue };
        let message =
            || format!("the {} hook of the source runs `{}`", hook.event.name(), hook.run.escape_debug());
        review.report(&rules::INSTALL_HOOK, &source, place, message, |found| found.help(READ_COMMAND));
    }
}

/// Reports the commands of an item.
pub(super) fn check_item(review: &mut Review<'_>, subject: &ReviewedItem<'_>) {
    let item = subject.item();
    let build = item.build.as_ref().map(|run| ("build", run));
    let hooks = item.hooks.iter().map(|hook| (hook.event.name(), &hook.run));
    for (event, run) in build.into_iter().chain(hooks) {
        let message = || format!("the {event} hook of {} runs `{}`", item.key(), run.escape_debug());
        review.report(&rules::ITEM_HOOK, &subject.main_file(), span(0, 0), message, |found| {
            found.help(READ_COMMAND)
        });
    }
}
