//! The short forms of engines: programs that speak the protocol.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::permissions::{Permission, Permissions, ToolKind};

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

/// An environment variable with permissions, as a JSON object in which later members count more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    variable: String,
    /// The keys of the object, and the kinds that each of them is about.
    keys: BTreeMap<String, Vec<String>>,
    /// The key that stands for every other tool, and comes before the others.
    rest: String,
    /// The key for all tools of an MCP server, with `{server}` for its name.
    servers: String,
    /// Further variables, without which files of the workspace would give the program more.
    variables: BTreeMap<String, String>,
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
    /// Returns the environment variables, their names and their values, that make the program ask where it would not by default,
    /// and keep it from reading other permissions. `servers` are the MCP servers that the program receives: they decide themselves.
    pub fn render_permissions(&self, permissions: &Permissions, servers: &[&str]) -> Vec<(String, String)> {
        let Some(settings) = &self.settings else { return Vec::new() };
        // What has no key is never allowed without a question: the program may put the key after those that its user wrote.
        let rest = permissions.get(ToolKind::Other).max(Permission::Ask);
        let keys = settings.keys.iter().map(|(key, kinds)| {
            let kinds = ToolKind::ALL.into_iter().filter(|kind| kinds.iter().any(|one| one == kind.as_str()));
            (key.clone(), permissions.strictest(kinds))
        });
        let servers =
            servers.iter().map(|name| (settings.servers.replace("{server}", name), Permission::Allow));
        let members = std::iter::once((settings.rest.clone(), rest)).chain(keys).chain(servers);
        // The order is that of the keys, in which the one for the rest is the first.
        let object: BTreeMap<String, &str> =
            members.map(|(key, permission)| (key, permission.as_str())).collect();
        let rendered = (settings.variable.clone(), serde_json::json!(object).to_string());
        let more = settings.variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        std::iter::once(rendered).chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid() {
        let table: BTreeMap<String, ShortEngine> = serde_json::from_str(TABLE).unwrap();
        assert_eq!(&table, short_engines());
        let names = ToolKind::ALL.map(ToolKind::as_str);
        for (name, engine) in table {
            assert!(engine.home.iter().all(|path| !path.starts_with('/') && !path.contains("..")), "{name}");
            let kinds = engine.settings.iter().flat_map(|settings| settings.keys.values().flatten());
            assert!(kinds.into_iter().all(|kind| names.contains(&kind.as_str())), "{name}");
            let mut rest = engine
                .settings
                .iter()
                .flat_map(|settings| settings.keys.keys().map(move |key| (&settings.rest, key)));
            assert!(rest.all(|(rest, key)| rest < key), "{name}");
        }
    }

    fn render(name: &str, permissions: &Permissions, servers: &[&str]) -> Vec<(String, String)> {
        find_short_engine(name).unwrap().render_permissions(permissions, servers)
    }

    #[test]
    fn permissions_become_settings_of_the_program() {
        let permissions = Permissions::of_tools(|tool| match tool {
            "fs.write" => Permission::Ask,
            "os.exec" => Permission::Deny,
            _ => Permission::Allow,
        });
        let expected = concat!(
            r#"{"*":"deny","bash":"deny","codesearch":"deny","edit":"ask","external_directory":"deny","glob":"allow","#,
            r#""grep":"allow","list":"allow","lsp":"allow","minds_*":"allow","read":"allow","skill":"deny","task":"deny","#,
            r#""todoread":"allow","todowrite":"allow","webfetch":"deny","websearch":"deny"}"#
        );
        let more = ("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned());
        let rendered = render("opencode", &permissions, &["minds"]);
        assert_eq!(rendered, [("OPENCODE_PERMISSION".to_owned(), expected.to_owned()), more]);
        assert_eq!(render("codex", &permissions, &["minds"]), []);
    }

    #[test]
    fn settings_follow_the_strictest_kind_and_never_allow_the_rest() {
        let value = |permissions: &Permissions, key: &str| {
            let rendered = render("opencode", permissions, &[]);
            let object: serde_json::Value = serde_json::from_str(&rendered[0].1).unwrap();
            object[key].as_str().unwrap().to_owned()
        };
        let all = || Permissions::of_tools(|_| Permission::Allow);
        for (kind, permission, key, expected) in [
            (ToolKind::Edit, Permission::Deny, "edit", "deny"),
            (ToolKind::Delete, Permission::Deny, "edit", "deny"),
            (ToolKind::Move, Permission::Ask, "edit", "ask"),
            (ToolKind::Read, Permission::Deny, "read", "deny"),
            (ToolKind::Search, Permission::Ask, "grep", "ask"),
            (ToolKind::Fetch, Permission::Allow, "webfetch", "allow"),
            (ToolKind::Other, Permission::Allow, "task", "allow"),
            (ToolKind::Other, Permission::Allow, "*", "ask"),
            (ToolKind::Other, Permission::Ask, "*", "ask"),
            (ToolKind::Other, Permission::Deny, "*", "deny"),
        ] {
            let mut permissions = all();
            permissions.set(kind, permission);
            assert_eq!(value(&permissions, key), expected, "{kind:?} {permission:?}");
        }
    }
}
