//! The short forms of engines: programs that speak the protocol.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

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
    /// The mode of a session in which the program asks before it acts; none if it has no modes, or `args` or `variables` set it.
    #[serde(default)]
    pub mode: Option<String>,
    /// Environment variables without which the program would not ask, or would read settings that its agent can write.
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// How permissions become settings of the program; none if it can only ask.
    #[serde(default)]
    permissions: Option<PermissionSettings>,
}

/// How permissions become settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PermissionSettings {
    /// The tools of the program, and the kinds that each of them is about.
    tools: BTreeMap<String, Vec<String>>,
    /// The name for all tools of an MCP server, with `{server}` for the name of the server.
    servers: String,
    form: Form,
}

/// Where a program reads permissions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Form {
    /// An environment variable with a JSON object in which later members count more.
    Variable {
        name: String,
        /// The member that stands for every other tool, and comes before the others.
        rest: String,
        /// The member with patterns of directories outside of the working directory.
        directories: String,
    },
    /// What is sent with the request for a session: a template, in which the strings `{given}`, `{asked}`, `{denied}` and
    /// `{servers}` stand for lists of tools. Those that are asked are given.
    Session(Map<String, Value>),
}

/// What the settings of a program are made of.
#[derive(Clone, Copy, Debug)]
pub struct EngineRights<'r> {
    /// What the program may do.
    pub permissions: &'r Permissions,
    /// The MCP servers that it receives, which decide themselves.
    pub servers: &'r [&'r str],
    /// The directories outside of the working directory in which it may do the same as there, absolute paths.
    pub folders: &'r [&'r str],
}

/// Settings of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineSettings {
    /// Environment variables: names and values.
    pub variables: Vec<(String, String)>,
    /// What is sent with the request for a session.
    pub meta: Option<Map<String, Value>>,
    /// Whether they hold the permissions: what is denied is not possible, and the program asks where it should.
    pub hold_permissions: bool,
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
    /// Returns the settings that make the program ask where it would not by default, and keep it from reading other settings.
    pub fn settings(&self, rights: EngineRights<'_>) -> EngineSettings {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        let mut settings = EngineSettings { variables: variables.collect(), ..EngineSettings::default() };
        let Some(own) = &self.permissions else { return settings };
        settings.hold_permissions = true;
        match &own.form {
            Form::Variable { name, rest, directories } => {
                let object = own.object(rights, rest, directories);
                settings.variables.push((name.clone(), object.to_string()));
            }
            Form::Session(template) => {
                let lists = own.lists(rights);
                settings.meta =
                    Some(template.iter().map(|(key, value)| (key.clone(), fill(value, &lists))).collect());
            }
        }
        settings
    }
}

impl PermissionSettings {
    /// Returns each tool with its permission.
    fn tools(&self, permissions: &Permissions) -> impl Iterator<Item = (&String, Permission)> {
        self.tools.iter().map(|(tool, kinds)| {
            let kinds = ToolKind::ALL.into_iter().filter(|kind| kinds.iter().any(|one| one == kind.as_str()));
            (tool, permissions.strictest(kinds))
        })
    }

    fn servers(&self, servers: &[&str]) -> impl Iterator<Item = String> {
        servers.iter().map(|name| self.servers.replace("{server}", name))
    }

    /// Returns one object with everything. The order is that of the keys, in which the one for the rest is the first.
    fn object(&self, rights: EngineRights<'_>, rest: &str, directories: &str) -> Value {
        let other = rights.permissions.get(ToolKind::Other);
        // What has no key is never allowed without a question: the program may put the key after those that its user wrote.
        let of_rest = other.max(Permission::Ask);
        let tools = self.tools(rights.permissions).map(|(tool, permission)| (tool.clone(), permission));
        let servers = self.servers(rights.servers).map(|name| (name, Permission::Allow));
        let members = std::iter::once((rest.to_owned(), of_rest)).chain(tools).chain(servers);
        let mut object: BTreeMap<String, Value> =
            members.map(|(key, permission)| (key, permission.as_str().into())).collect();
        // A wildcard in the name of a directory has no other form, and would stand for more.
        let folders = rights.folders.iter().filter(|folder| !folder.contains(['*', '?']));
        let folders =
            folders.map(|folder| (format!("{}/*", folder.trim_end_matches('/')), Permission::Allow));
        let of_directories: BTreeMap<String, &str> = std::iter::once((rest.to_owned(), other))
            .chain(folders)
            .map(|(pattern, permission)| (pattern, permission.as_str()))
            .collect();
        object.insert(directories.to_owned(), json!(of_directories));
        json!(object)
    }

    /// Returns what the strings of a template stand for.
    fn lists(&self, rights: EngineRights<'_>) -> BTreeMap<&'static str, Vec<String>> {
        let with = |wanted: &[Permission]| {
            let tools = self.tools(rights.permissions).filter(|(_, permission)| wanted.contains(permission));
            tools.map(|(tool, _)| tool.clone()).collect()
        };
        BTreeMap::from([
            ("{given}", with(&[Permission::Allow, Permission::Ask])),
            ("{asked}", with(&[Permission::Ask])),
            ("{denied}", with(&[Permission::Deny])),
            ("{servers}", self.servers(rights.servers).collect()),
        ])
    }
}

/// Returns a template with lists in place of the strings that stand for them.
fn fill(template: &Value, lists: &BTreeMap<&str, Vec<String>>) -> Value {
    match template {
        Value::String(text) => lists.get(text.as_str()).map_or_else(|| template.clone(), |list| json!(list)),
        Value::Array(items) => items.iter().map(|item| fill(item, lists)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), fill(value, lists))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
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
            let Some(settings) = engine.permissions else { continue };
            let mut kinds = settings.tools.values().flatten();
            assert!(kinds.all(|kind| names.contains(&kind.as_str())), "{name}");
            if let Form::Variable { rest, directories, .. } = &settings.form {
                assert!(settings.tools.keys().chain([directories]).all(|key| rest < key), "{name}");
            }
        }
    }

    fn settings(name: &str, permissions: &Permissions, servers: &[&str], folders: &[&str]) -> EngineSettings {
        find_short_engine(name).unwrap().settings(EngineRights { permissions, servers, folders })
    }

    /// Reading is allowed, writing is asked, commands are denied.
    fn mixed() -> Permissions {
        Permissions::of_tools(|tool| match tool {
            "fs.write" => Permission::Ask,
            "os.exec" => Permission::Deny,
            _ => Permission::Allow,
        })
    }

    #[test]
    fn permissions_become_a_variable() {
        let expected = concat!(
            r#"{"*":"deny","bash":"deny","codesearch":"deny","edit":"ask","#,
            r#""external_directory":{"*":"deny","/data/*":"allow"},"glob":"allow","grep":"allow","list":"allow","#,
            r#""lsp":"allow","minds_*":"allow","read":"allow","skill":"deny","task":"deny","todoread":"allow","#,
            r#""todowrite":"allow","webfetch":"deny","websearch":"deny"}"#
        );
        let made = settings("opencode", &mixed(), &["minds"], &["/data", "/odd*name"]);
        let own = ("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned());
        assert_eq!(made.variables, [own, ("OPENCODE_PERMISSION".to_owned(), expected.to_owned())]);
        assert!(made.hold_permissions && made.meta.is_none());
    }

    #[test]
    fn permissions_become_a_part_of_the_request_for_a_session() {
        let made = settings("claude-code", &mixed(), &["minds"], &[]);
        let options = &made.meta.as_ref().unwrap()["claudeCode"]["options"];
        assert_eq!(options["settingSources"], json!([]));
        assert_eq!(options["allowedTools"], json!(["mcp__minds"]));
        assert_eq!(
            options["tools"],
            json!([
                "Edit",
                "EnterPlanMode",
                "ExitPlanMode",
                "Glob",
                "Grep",
                "NotebookEdit",
                "Read",
                "TaskCreate",
                "TaskGet",
                "TaskList",
                "TaskUpdate",
                "TodoWrite",
                "Write"
            ])
        );
        let denied = &options["disallowedTools"];
        assert_eq!(
            denied,
            &json!([
                "Bash",
                "BashOutput",
                "KillShell",
                "Skill",
                "SlashCommand",
                "Task",
                "WebFetch",
                "WebSearch"
            ])
        );
        let rules = &options["settings"]["permissions"];
        assert_eq!((&rules["ask"], &rules["deny"]), (&json!(["Edit", "NotebookEdit", "Write"]), denied));
        assert!(made.hold_permissions && made.variables.is_empty());
    }

    #[test]
    fn a_program_that_can_only_ask_holds_no_permissions() {
        for (name, variables) in [
            ("codex", &[][..]),
            ("gemini", &[]),
            ("goose", &[("GOOSE_MODE".to_owned(), "approve".to_owned())]),
        ] {
            let made = settings(name, &mixed(), &["minds"], &["/data"]);
            assert_eq!(made.variables, variables, "{name}");
            assert!(!made.hold_permissions && made.meta.is_none(), "{name}");
        }
    }

    #[test]
    fn settings_follow_the_strictest_kind_and_never_allow_the_rest() {
        let value = |permissions: &Permissions, key: &str| {
            let made = settings("opencode", permissions, &[], &[]);
            let object: Value = serde_json::from_str(&made.variables[1].1).unwrap();
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
