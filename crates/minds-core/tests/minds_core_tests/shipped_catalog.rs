//! The recorded catalogs of providers, written as `llm.yaml`, have no findings.

use minds_core::{TeamFamily, check};
use minds_vfs::{Snapshot, WorkspacePath};
use serde_json::{Map, Value};

const RECORDED: &str = include_str!("../../data/llm-defaults.json");

/// Returns a list of providers as the mapping of an `llm.yaml`, written as JSON.
fn llm(providers: &Value) -> String {
    let mut mapping = Map::new();
    for provider in providers.as_array().expect("a version is a list of providers") {
        let mut fields = provider.as_object().expect("a provider is a mapping").clone();
        let key = fields.remove("key").expect("a provider has a key");
        // Missing values were recorded as null.
        fields.retain(|_, value| !value.is_null());
        mapping.insert(key.as_str().expect("a key is a string").to_owned(), fields.into());
    }
    serde_json::to_string_pretty(&serde_json::json!({ "providers": mapping })).expect("it is JSON")
}

#[test]
fn every_recorded_catalog_is_clean() {
    let recorded: Value = serde_json::from_str(RECORDED).expect("the recorded data is JSON");
    for (version, providers) in recorded.as_object().expect("by version") {
        let path = WorkspacePath::parse(".minds/llm.yaml").expect("the path is valid");
        let parsed = TeamFamily::load(&Snapshot::new().with_file(path, llm(providers)));
        let mut problems = parsed.problems;
        problems.append(check(&parsed.value));
        let found: Vec<String> = problems
            .into_sorted()
            .into_iter()
            .map(|found| format!("{}: {}", found.rule.code, found.message))
            .collect();
        assert_eq!(found, Vec::<String>::new(), "{version}");
        let (llm, _) = parsed.value.readable_llm().expect("it was read");
        assert!(llm.providers.len() > 5 && llm.models().count() > 10, "{version}");
    }
}
