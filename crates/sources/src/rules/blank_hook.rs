use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document, Field, List, Spanned};

use crate::manifest::{HookEntry, Manifest};

rule! {
    pub(crate) static RULE {
        code: "source/blank-hook",
        summary: "a hook has a blank command and is ignored",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "blank_hook.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let mut commands: Vec<&Spanned<String>> = Vec::new();
    commands.extend(manifest.source_table().and_then(|head| head.install.as_given()));
    commands.extend(hook_commands(&manifest.hooks));
    for item in manifest.items.as_given().into_iter().flat_map(|list| &list.value.items) {
        let item = &item.value;
        commands
            .extend([&item.build, &item.install, &item.uninstall].into_iter().filter_map(Field::as_given));
        commands.extend(hook_commands(&item.hooks));
    }
    let nested = manifest.discover.as_given().and_then(|discover| discover.value.sources.as_given());
    for source in nested.into_iter().flat_map(|list| &list.value.items) {
        commands.extend(hook_commands(&source.value.hooks));
    }
    for command in commands.into_iter().filter(|command| command.value.trim().is_empty()) {
        let node = document.node(command.node);
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "the command is blank, so nothing runs")
                .primary(node.label())
                .help("write a command, or remove the hook")
        });
    }
}

fn hook_commands(hooks: &Field<List<HookEntry>>) -> impl Iterator<Item = &Spanned<String>> {
    hooks.as_given().into_iter().flat_map(|list| &list.value.items).map(|hook| &hook.value.run)
}
