//! Visual Studio Code: `.vscode/`.

use super::jsonc::{self, Entry};
use super::{EditorSchema, Setting, for_yaml};

/// The extension that runs the YAML language server.
const EXTENSION: &str = "redhat.vscode-yaml";

pub(super) const SETTINGS: &[Setting] = &[
    Setting { path: ".vscode/extensions.json", merge: extensions },
    Setting { path: ".vscode/settings.json", merge: settings },
];

fn extensions(old: &str, _: &[EditorSchema]) -> Result<String, String> {
    // Respect users who reject the recommendation.
    if jsonc::contains(old, "unwantedRecommendations", EXTENSION)? {
        return Ok(old.to_owned());
    }
    jsonc::merge(
        old,
        &[Entry { objects: &[], key: "recommendations".into(), text: EXTENSION.into(), is_list: true }],
    )
}

fn settings(old: &str, schemas: &[EditorSchema]) -> Result<String, String> {
    let entries: Vec<Entry<'_>> = for_yaml(schemas)
        .map(|schema| Entry {
            objects: &["yaml.schemas"],
            key: schema.relative(),
            text: schema.files.clone(),
            is_list: false,
        })
        .collect();
    jsonc::merge(old, &entries)
}
