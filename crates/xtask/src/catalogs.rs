//! The tables of built-in providers and toolsets, from the recorded catalogs and the published models.

use std::fmt::Write as _;

use serde_json::Value;

use crate::files::{Generated, read};

const DATA: &str = "crates/minds-core/data";
const TABLES: &str = "crates/minds-core/src/catalog";

pub(crate) fn generate() -> Vec<Generated> {
    vec![
        Generated { path: format!("{TABLES}/providers.rs"), text: rustfmt(&providers()) },
        Generated { path: format!("{TABLES}/toolsets.rs"), text: rustfmt(&toolsets()) },
    ]
}

fn data(name: &str) -> Value {
    serde_json::from_str(&read(&format!("{DATA}/{name}"))).expect("the recorded data is JSON")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn providers() -> String {
    let catalogs = data("llm-defaults.json");
    // In the order of first appearance; a later version replaces the fields of a provider and of a model.
    let mut merged: Vec<Provider> = Vec::new();
    for version in ["seed0", "seed2", "head"] {
        for provider in catalogs[version].as_array().expect("a version is a list of providers") {
            let key = text(provider, "key");
            let index = merged.iter().position(|(known, ..)| known == key).unwrap_or_else(|| {
                merged.push((key.to_owned(), Value::Null, Vec::new()));
                merged.len() - 1
            });
            let (_, fields, models) = &mut merged[index];
            *fields = provider.clone();
            for (key, model) in provider["models"].as_object().expect("models are a mapping") {
                match models.iter_mut().find(|(known, _)| known == key) {
                    Some((_, known)) => *known = model.clone(),
                    None => models.push((key.clone(), model.clone())),
                }
            }
        }
    }
    let published = data("published-models.json");
    add_published(&mut merged, &published);
    merged.sort_by(|a, b| a.0.cmp(&b.0));
    let mut out =
        header("BuiltinModel, BuiltinProvider", "llm-defaults.json` and `data/published-models.json");
    let _ = writeln!(
        out,
        "/// The date on which the published models were collected.\npub static PUBLISHED_ON: &str = {:?};\n",
        text(&published, "as_of")
    );
    // One line for each model.
    out.push_str("/// The built-in providers, by key.\n#[rustfmt::skip]\npub static PROVIDERS: &[BuiltinProvider] = &[\n");
    for (key, fields, mut models) in merged {
        models.sort_by(|a, b| a.0.cmp(&b.0));
        let _ = writeln!(
            out,
            "    BuiltinProvider {{\n        key: {key:?}, name: {:?}, api_type: {:?},\n        base_url: {:?}, api_key_env_var: {:?},\n        is_dashed: {}, aliases: &{:?},\n        models: &[",
            text(&fields, "name"),
            text(&fields, "apiType"),
            text(&fields, "baseUrl"),
            text(&fields, "apiKeyEnvVar"),
            fields["dashed"].as_bool().unwrap_or(false),
            strings(&fields["aliases"]),
        );
        for (key, model) in models {
            let length = |name: &str| match model[name].as_u64() {
                Some(tokens) => format!("Some({})", format_with_separators(tokens)),
                None => "None".to_owned(),
            };
            let name = model["name"].as_str().unwrap_or(&key);
            let _ = writeln!(
                out,
                "            BuiltinModel::new({key:?}, {name:?}, [{}, {}, {}]),",
                length("context_length"),
                length("input_length"),
                length("output_length"),
            );
        }
        out.push_str("        ],\n    },\n");
    }
    out.push_str("];\n");
    out
}

/// Adds what vendors published after the last recorded version; what was recorded stays as it is.
fn add_published(merged: &mut Vec<Provider>, published: &Value) {
    for provider in published["providers"].as_array().expect("the published providers are a list") {
        let key = text(provider, "key");
        let index = merged.iter().position(|(known, ..)| known == key).unwrap_or_else(|| {
            merged.push((key.to_owned(), provider.clone(), Vec::new()));
            merged.len() - 1
        });
        let (_, fields, models) = &mut merged[index];
        for name in ["dashed", "aliases"] {
            fields[name] = provider[name].clone();
        }
        for model in strings(&provider["models"]) {
            if models.iter().all(|(known, _)| *known != model) {
                models.push((model, Value::Null));
            }
        }
    }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A provider during merging: its key, its fields, and its models by key.
type Provider = (String, Value, Vec<(String, Value)>);

/// Returns a number with `_` as thousands separator.
fn format_with_separators(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join("_")
}

fn toolsets() -> String {
    let data = data("toolsets.json");
    let list = strings;
    let mut out = header("BuiltinToolset", "toolsets.json");
    out.push_str("/// The built-in toolsets.\npub static TOOLSETS: &[BuiltinToolset] = &[\n");
    let mut names = Vec::new();
    for (index, toolset) in data["toolsets"].as_array().expect("toolsets are a list").iter().enumerate() {
        names.push((text(toolset, "name").to_owned(), index));
        names.extend(list(&toolset["aliases"]).into_iter().map(|alias| (alias, index)));
        let flag = |name: &str| toolset[name].as_bool().unwrap_or(true);
        let mut tools = list(&toolset["tools"]);
        tools.extend(list(&toolset["later_tools"]));
        tools.extend(list(&toolset["minds_tools"]));
        let _ = writeln!(
            out,
            "BuiltinToolset {{ name: {:?}, aliases: &{:?}, is_assignable: {}, in_wildcard: {}, has_tools: {}, tools: &{tools:?} }},",
            text(toolset, "name"),
            list(&toolset["aliases"]),
            flag("assignable") && flag("assignable_later"),
            flag("wildcard"),
            toolset["minds"].as_bool().unwrap_or(false),
        );
    }
    names.sort();
    out.push_str("];\n\n/// Every name and alias of a toolset, sorted, with its index.\n");
    let _ = writeln!(out, "pub(super) static TOOLSET_NAMES: &[(&str, usize)] = &{names:?};");
    out.push_str("\n/// The tools that run commands of the operating system.\n");
    let _ = writeln!(out, "pub static SHELL_TOOLS: &[&str] = &{:?};", list(&data["shell_tools"]));
    out
}

fn header(types: &str, source: &str) -> String {
    format!(
        "//! Generated by `cargo xtask generate` from `data/{source}`; change the data instead.\n\nuse super::{{{types}}};\n\n"
    )
}

/// Formats Rust source with the configuration of the project.
fn rustfmt(source: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(crate::files::root().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt starts");
    child.stdin.take().expect("rustfmt reads").write_all(source.as_bytes()).expect("rustfmt reads");
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt refuses:\n{source}");
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}
