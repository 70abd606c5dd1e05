//! The tools that every fleet has.

use super::{Argument, Descriptor, ToolName};

/// The built-in tools, by name.
pub static BUILTIN: &[Descriptor<'static>] = &[
    Descriptor { name: "agents.list", doc: "List the agents of the fleet.", args: &[] },
    Descriptor {
        name: "agents.spawn",
        doc: "Start another agent; a person has to confirm it.",
        args: &[
            needed("project", "string"),
            needed("name", "string"),
            needed("cwd", "string"),
            needed("model_id", "string"),
            optional("system_base_path", "string"),
            optional("kb_seeds", "list"),
        ],
    },
    Descriptor {
        name: "fs.list",
        doc: "List a directory within the sandboxed cwd.",
        args: &[needed("path", "string")],
    },
    Descriptor {
        name: "fs.read",
        doc: "Read file contents within the sandboxed cwd.",
        args: &[needed("path", "string")],
    },
    Descriptor {
        name: "fs.stat",
        doc: "Describe a file or a directory within the sandboxed cwd.",
        args: &[needed("path", "string")],
    },
    Descriptor {
        name: "fs.write",
        doc: "Write file contents within the sandboxed cwd.",
        args: &[needed("path", "string"), needed("content", "string"), optional("create_dirs", "boolean")],
    },
    Descriptor {
        name: "kb.copy_from",
        doc: "Copy documents that are named by their ids from the knowledge base of another agent.",
        args: &[needed("source_agent_id", "string"), needed("ids", "list")],
    },
    Descriptor {
        name: "kb.ingest",
        doc: "Take documents into the knowledge base of a scope.",
        args: &[
            needed("scope", "string"),
            optional("paths", "list"),
            optional("urls", "list"),
            optional("docs", "list"),
        ],
    },
    Descriptor {
        name: "kb.search",
        doc: "Search the knowledge base of a scope.",
        args: &[needed("query", "string"), needed("scope", "string"), optional("k", "integer")],
    },
    Descriptor {
        name: "os.exec",
        doc: "Run a shell command that starts in the sandboxed cwd; the command itself is not confined.",
        args: &[
            needed("cmd", "string"),
            optional("cwd", "string"),
            optional("timeout", "integer"),
            optional("env", "object"),
            optional("pty", "boolean"),
        ],
    },
];

/// Returns the descriptor of a built-in tool in exactly this version.
pub fn find_builtin(name: &ToolName) -> Option<&'static Descriptor<'static>> {
    BUILTIN.iter().find(|tool| ToolName::parse(tool.name).as_ref() == Ok(name))
}

const fn needed(name: &'static str, kind: &'static str) -> Argument<'static> {
    Argument { name, kind, is_required: true }
}

const fn optional(name: &'static str, kind: &'static str) -> Argument<'static> {
    Argument { name, kind, is_required: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tools_have_names_and_are_in_order() {
        for tool in BUILTIN {
            let name = ToolName::parse(tool.name).unwrap();
            assert_eq!(name.to_string(), tool.name);
            assert_eq!(find_builtin(&name), Some(tool));
        }
        assert!(BUILTIN.is_sorted_by_key(|tool| tool.name));
        assert!(find_builtin(&ToolName::parse("fs.read@v2").unwrap()).is_none());
    }
}
