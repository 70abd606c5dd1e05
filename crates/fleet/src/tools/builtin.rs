//! The built-in tools.

use super::{Argument, Descriptor, ToolName};

/// The built-in tools, by name.
pub static BUILTIN: &[Descriptor<'static>] = &[
    Descriptor { name: "agents.list", doc: "List the agents of the fleet.", args: &[] },
    Descriptor {
        name: "agents.spawn",
        doc: "Start another agent; a person has to confirm it.",
        args: &[
            required("project", "string"),
            required("name", "string"),
            required("cwd", "string"),
            required("model_id", "string"),
            optional("system_base_path", "string"),
            optional("kb_seeds", "list"),
        ],
    },
    Descriptor {
        name: "fs.list",
        doc: "List a directory within the sandboxed cwd.",
        args: &[required("path", "string")],
    },
    Descriptor {
        name: "fs.read",
        doc: "Read file contents within the sandboxed cwd.",
        args: &[required("path", "string"), optional("offset", "integer"), optional("limit", "integer")],
    },
    Descriptor {
        name: "fs.stat",
        doc: "Describe a file or a directory within the sandboxed cwd.",
        args: &[required("path", "string")],
    },
    Descriptor {
        name: "fs.write",
        doc: "Write file contents within the sandboxed cwd.",
        args: &[
            required("path", "string"),
            required("content", "string"),
            optional("create_dirs", "boolean"),
            optional("expected_hash", "string"),
        ],
    },
    Descriptor {
        name: "kb.copy_from",
        doc: "Copy documents, given by their ids, from the knowledge base of another agent.",
        args: &[required("source_agent_id", "string"), required("ids", "list")],
    },
    Descriptor {
        name: "kb.ingest",
        doc: "Add documents to the knowledge base of a scope.",
        args: &[
            required("scope", "string"),
            optional("paths", "list"),
            optional("urls", "list"),
            optional("docs", "list"),
        ],
    },
    Descriptor {
        name: "kb.search",
        doc: "Search the knowledge base of a scope.",
        args: &[required("query", "string"), required("scope", "string"), optional("k", "integer")],
    },
    Descriptor {
        name: "os.exec",
        doc: "Run a shell command in the sandbox, starting in the sandboxed cwd.",
        args: &[
            required("cmd", "string"),
            optional("cwd", "string"),
            optional("timeout", "integer"),
            optional("env", "object"),
            optional("pty", "boolean"),
            optional("unsafe", "boolean"),
        ],
    },
];

/// Returns the descriptor of a built-in tool in exactly this version.
pub fn find_builtin(name: &ToolName) -> Option<&'static Descriptor<'static>> {
    BUILTIN.iter().find(|tool| ToolName::parse(tool.name).as_ref() == Ok(name))
}

const fn required(name: &'static str, kind: &'static str) -> Argument<'static> {
    Argument { name, kind, is_required: true }
}

const fn optional(name: &'static str, kind: &'static str) -> Argument<'static> {
    Argument { name, kind, is_required: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tools_have_valid_names_and_are_sorted() {
        for tool in BUILTIN {
            let name = ToolName::parse(tool.name).unwrap();
            assert_eq!(name.to_string(), tool.name);
            assert_eq!(find_builtin(&name), Some(tool));
        }
        assert!(BUILTIN.is_sorted_by_key(|tool| tool.name));
        assert!(find_builtin(&ToolName::parse("fs.read@v2").unwrap()).is_none());
    }
}
