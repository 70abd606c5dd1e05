//! The short forms of engines: programs that speak the protocol.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::permissions::{Permissions, ToolKind};

/// The table. Its names are those that `engine` in `agent.yaml` accepts.
const TABLE: &str = include_str!("../data/engines.json");

/// A program that speaks the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShortEngine {
    /// The program, which is searched in `PATH`.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// The files and folders below the home directory that the program writes: its settings, its login and its sessions.
    #[serde(default)]
    pub home: Vec<String>,
    /// How its own permissions are set; none if the program asks for each call by itself.
    #[serde(default)]
    settings: Option<Settings>,
}

/// An environment variable with permissions, as a JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    variable: String,
    /// The keys of the object, and the kinds that each of them is about.
    keys: BTreeMap<String, Vec<String>>,
}

/// Returns the short forms by their names.
pub fn short_engines() -> &'static BTreeMap<String, ShortEngine> {
    // A test reads the table.
    static ENGINES: LazyLock<BTreeMap<String, ShortEngine>> =
        LazyLock::new(|| serde_json::from_str(TABLE).unwrap_or_default());
    &ENGINES
}

/// Returns the short form with a name.
pub fn find_short_engine(name: &str) -> Option<&'static ShortEngine> {
    short_engines().get(name)
}

impl ShortEngine {
    /// Returns the environment variable, its name and its value, that makes the program ask where it would not by default.
    pub fn render_permissions(&self, permissions: &Permissions) -> Option<(String, String)> {
        let settings = self.settings.as_ref()?;
        let members = settings.keys.iter().map(|(key, kinds)| {
            let kinds = ToolKind::ALL.into_iter().filter(|kind| kinds.iter().any(|one| one == kind.as_str()));
            (key.clone(), permissions.strictest(kinds).as_str().into())
        });
        let object: serde_json::Map<String, serde_json::Value> = members.collect();
        Some((settings.variable.clone(), serde_json::Value::Object(object).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::Permission;

    #[test]
    fn the_table_is_valid() {
        let table: BTreeMap<String, ShortEngine> = serde_json::from_str(TABLE).unwrap();
        assert_eq!(&table, short_engines());
        let names = ToolKind::ALL.map(ToolKind::as_str);
        for (name, engine) in table {
            assert!(engine.home.iter().all(|path| !path.starts_with('/') && !path.contains("..")), "{name}");
            let kinds = engine.settings.iter().flat_map(|settings| settings.keys.values().flatten());
            assert!(kinds.into_iter().all(|kind| names.contains(&kind.as_str())), "{name}");
        }
    }

    #[test]
    fn permissions_become_settings_of_the_program() {
        let permissions = Permissions::of_tools(|tool| match tool {
            "fs.write" => Permission::Ask,
            "os.exec" => Permission::Deny,
            _ => Permission::Allow,
        });
        let rendered = find_short_engine("opencode").unwrap().render_permissions(&permissions);
        let expected = r#"{"bash":"deny","edit":"ask","webfetch":"deny"}"#;
        assert_eq!(rendered, Some(("OPENCODE_PERMISSION".to_owned(), expected.to_owned())));
        assert_eq!(find_short_engine("codex").unwrap().render_permissions(&permissions), None);
    }
}
