//! Zed: `.zed/`.

use super::jsonc::{self, Entry};
use super::{EditorSchema, Setting, for_yaml};

pub(super) const SETTINGS: &[Setting] = &[Setting { path: ".zed/settings.json", merge: settings }];

fn settings(old: &str, schemas: &[EditorSchema]) -> Result<String, String> {
    let entries: Vec<Entry<'_>> = for_yaml(schemas)
        .map(|schema| Entry {
            objects: &["lsp", "yaml-language-server", "settings", "yaml", "schemas"],
            // The leading `./` makes Zed resolve the path relative to the workspace.
            key: schema.relative(),
            text: schema.files.clone(),
            is_list: false,
        })
        .collect();
    jsonc::merge(old, &entries)
}
