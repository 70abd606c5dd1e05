//! The tools that an agent can have.

use serde_json::Value;

use minds_fleet::tools::{BUILTIN, ToolName};

use crate::arguments::{AgentsList, AgentsSpawn, FsPath, FsRead, FsWrite, OsExec};
use crate::policy_file::invalid;
use crate::schema;
use minds_fleet_protocol::Failure;

/// A tool that an agent can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The name in files, with its version unless it is 1.
    pub(crate) name: &'static str,
    /// What it does, for the model.
    pub(crate) description: &'static str,
    /// The schema of its arguments.
    pub(crate) schema: fn() -> Value,
    /// Whether a call can change something outside the agent.
    pub(crate) has_effect: bool,
    /// What it is.
    pub(crate) kind: ToolKind,
}

/// What runs a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    AgentsList,
    AgentsSpawn,
    FsList,
    FsRead,
    FsStat,
    FsWrite,
    OsExec,
}

/// The name of the tool that runs commands.
pub(crate) const OS_EXEC: &str = "os.exec";

/// The tools, by name.
pub(crate) static TOOLS: &[Tool] = &[
    Tool {
        name: "agents.list",
        description: "List the agents of the fleet. The result is `agents`, an array of their registry entries.",
        schema: schema::arguments::<AgentsList>,
        has_effect: false,
        kind: ToolKind::AgentsList,
    },
    Tool {
        name: "agents.spawn",
        description: "Create another agent with at most the rights of this one, and start it; a person has to confirm it. The result is `id` and `pid`.",
        schema: schema::arguments::<AgentsSpawn>,
        has_effect: true,
        kind: ToolKind::AgentsSpawn,
    },
    Tool {
        name: "fs.list",
        description: "List a directory. The result is `entries`, an array of `name`, `kind` (file, directory, link, special), `size` in bytes and `modified` in seconds since 1970.",
        schema: schema::arguments::<FsPath>,
        has_effect: false,
        kind: ToolKind::FsList,
    },
    Tool {
        name: "fs.read",
        description: "Read a file of UTF-8 text, at most 256 KiB per call. The result is `content`, `bytes` (its length) and `truncated` (whether the file goes on).",
        schema: schema::arguments::<FsRead>,
        has_effect: false,
        kind: ToolKind::FsRead,
    },
    Tool {
        name: "fs.stat",
        description: "Describe a file or directory: `name`, `kind` (file, directory, link, special), `size` in bytes and `modified` in seconds since 1970.",
        schema: schema::arguments::<FsPath>,
        has_effect: false,
        kind: ToolKind::FsStat,
    },
    Tool {
        name: "fs.write",
        description: "Replace the content of a file, or create it. The result is `ok` and `hash`, the hash of the new content.",
        schema: schema::arguments::<FsWrite>,
        has_effect: true,
        kind: ToolKind::FsWrite,
    },
    Tool {
        name: OS_EXEC,
        description: "Run a shell command in the sandbox of the agent. The result is `rc` (its exit code), `stdout`, `stderr`, `duration_ms`, `timed_out` and `truncated`.",
        schema: schema::arguments::<OsExec>,
        has_effect: true,
        kind: ToolKind::OsExec,
    },
];

/// Returns the tool with a name for models.
pub(crate) fn find_by_model_name(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| model_name(tool.name) == name)
}

/// Returns the name of a built-in tool for models, which accept no dots: `fs_read`, `fs_read_v2`.
pub fn model_name(name: &str) -> String {
    name.replace(['.', '@'], "_")
}

/// What the names of tools of MCP servers begin with.
const FOREIGN: &str = "mcp.";

/// Returns the name of a tool of an MCP server in files.
pub(crate) fn server_tool(server: &str, tool: &str) -> String {
    format!("{FOREIGN}{server}.{tool}")
}

/// Returns the name in files of all tools of an MCP server.
pub fn server_entry(server: &str) -> String {
    format!("{FOREIGN}{server}")
}

/// Returns the name of an MCP server if a name in files is that of its tools, or of one of them.
pub fn server_of(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(FOREIGN)?;
    Some(rest.split_once('.').map_or(rest, |(server, _)| server))
}

/// Returns whether a name for models is that of a known tool, also of one that this version does not have.
pub(crate) fn is_reserved_for_models(name: &str) -> bool {
    known_tools().any(|(known, _)| model_name(known) == name)
}

/// Returns the name of a tool in files, by its name for models; none if it is not built in.
pub fn file_name(name: &str) -> Option<&'static str> {
    find_by_model_name(name).map(|tool| tool.name)
}

/// Returns the names of all tools that are known, those of later versions too, and what they do.
pub(crate) fn known_tools() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILTIN.iter().map(|known| {
        let own = TOOLS.iter().find(|tool| tool.name == known.name);
        (known.name, own.map_or(known.doc, |tool| tool.description))
    })
}

/// Checks that no two tools have the same name, in files or for models.
///
/// # Errors
///
/// Returns `config.invalid` with the name.
pub(crate) fn check_names(tools: &[Tool]) -> Result<(), Failure> {
    for (at, tool) in tools.iter().enumerate() {
        let parsed = ToolName::parse(tool.name);
        let is_same = |other: &Tool| {
            ToolName::parse(other.name) == parsed || model_name(other.name) == model_name(tool.name)
        };
        if tools.iter().take(at).any(is_same) {
            return Err(invalid(format!("two built-in tools have the name `{}`", tool.name)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_one_name() {
        check_names(TOOLS).unwrap();
        let renamed = |name| Tool { name, ..TOOLS[0] };
        for names in
            [["fs.read", "fs.read"], ["fs.read", "fs.read@v1"], ["a.b_c", "a_b.c"], ["a.b@v2", "a.b_v2"]]
        {
            let failure = check_names(&names.map(renamed)).unwrap_err();
            assert_eq!(failure.code(), Some(minds_fleet_protocol::ErrorCode::ConfigInvalid), "{names:?}");
        }
        check_names(&["fs.read", "fs.read@v2"].map(renamed)).unwrap();
    }

    #[test]
    fn models_get_names_without_dots() {
        let names: Vec<String> = TOOLS.iter().map(|tool| model_name(tool.name)).collect();
        assert_eq!(
            names,
            ["agents_list", "agents_spawn", "fs_list", "fs_read", "fs_stat", "fs_write", "os_exec"]
        );
        assert_eq!(model_name("fs.read@v2"), "fs_read_v2");
        assert!(find_by_model_name("fs_read").is_some());
        for unknown in ["fs.read", "fs_read_v2", "FS_READ", "fs_read ", ""] {
            assert!(find_by_model_name(unknown).is_none(), "{unknown}");
        }
    }

    /// Prompts describe the same tools with the same arguments.
    #[test]
    fn schemas_describe_each_argument() {
        for tool in TOOLS {
            let schema = (tool.schema)();
            assert_eq!(schema["type"], "object", "{schema}");
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let known = BUILTIN.iter().find(|known| known.name == tool.name).unwrap();
            let mut names: Vec<&str> = known.args.iter().map(|argument| argument.name).collect();
            names.sort_unstable();
            let properties = schema["properties"].as_object().unwrap();
            let mut own: Vec<&String> = properties.keys().collect();
            own.sort_unstable();
            assert_eq!(own, names, "{}", tool.name);
            for argument in known.args {
                let property = &properties[argument.name];
                let kind = if argument.kind == "list" { "array" } else { argument.kind };
                assert_eq!(property["type"], kind, "{}: {property}", tool.name);
                let description = property["description"].as_str().unwrap_or_default();
                assert!(description.ends_with('.'), "{}: {}", tool.name, argument.name);
                assert_eq!(required.contains(&argument.name), argument.is_required, "{}", argument.name);
            }
        }
    }
}
