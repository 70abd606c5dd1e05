//! The team that is rendered, what its members are asked to do, and what their lists say about it.

use std::fmt::Write as _;

use minds_access_control::{Access, EntryList, Extension, ListKey, ListKind, Lists, Pattern, Policy};
use minds_vfs::WorkspacePath;
use serde_json::{Value, json};

use crate::clients::recorded::record::Operation;

/// A member.
pub(super) struct Member {
    pub(super) id: &'static str,
    toolsets: &'static [&'static str],
    lists: &'static [(&'static str, &'static [&'static str])],
}

pub(super) const MEMBERS: [Member; 7] = [
    Member {
        id: "coder",
        toolsets: &["ws_read", "ws_mod"],
        lists: &[
            ("write_dirs", &["src", "docs/draft-*"]),
            ("no_write_dirs", &["src/gen"]),
            ("no_read_dirs", &["secret"]),
        ],
    },
    Member {
        id: "reviewer",
        toolsets: &["ws_read"],
        lists: &[("no_read_dirs", &["secret", "**/private", "we ird"])],
    },
    Member {
        id: "writer",
        toolsets: &["ws_read", "ws_mod"],
        lists: &[
            ("read_dirs", &["docs", "src"]),
            ("write_dirs", &["docs"]),
            ("no_write_dirs", &["docs/draft-1"]),
        ],
    },
    Member {
        id: "typist",
        toolsets: &["ws_read", "ws_mod"],
        lists: &[("write_file_ext_names", &["md"]), ("no_read_file_ext_names", &["lock"])],
    },
    Member {
        id: "runner",
        toolsets: &["ws_read", "ws_mod", "os"],
        lists: &[("write_dirs", &["src"]), ("no_write_dirs", &["src/gen"]), ("no_read_dirs", &["secret"])],
    },
    Member { id: "keeper", toolsets: &["ws_read", "ws_mod"], lists: &[] },
    Member { id: "helper", toolsets: &[], lists: &[] },
];

/// The files of the workspace, each with its text.
pub(super) const FILES: [&str; 13] = [
    "README.md",
    "src/a.txt",
    "src/deep/b.md",
    "src/gen/g.txt",
    "src/private/p.txt",
    "src/y.lock",
    "docs/d.md",
    "docs/draft-1/x.md",
    "secret/k.txt",
    "a/secret/k.txt",
    "we ird/z.txt",
    "SRC/a.txt",
    "w.tsk/goals.md",
];

/// A link, and the directory to which it leads.
const LINK: (&str, &str) = ("src/link", "secret");
/// A pattern of a shell, and the directory to which it leads.
const PATTERN: (&str, &str) = ("sec*", "secret");

/// What stands for a directory outside of the workspace.
const OUTSIDE: &str = "@OUTSIDE@";

/// What each member is asked to do. `@WORK@` and `@OUTSIDE@` stand for directories.
const QUESTIONS: [(Operation, &str); 65] = [
    (Operation::Read, "README.md"),
    (Operation::Read, "src/a.txt"),
    (Operation::Read, "src/deep/b.md"),
    (Operation::Read, "src/gen/g.txt"),
    (Operation::Read, "src/private/p.txt"),
    (Operation::Read, "src/y.lock"),
    (Operation::Read, "docs/d.md"),
    (Operation::Read, "docs/draft-1/x.md"),
    (Operation::Read, "secret/k.txt"),
    (Operation::Read, "a/secret/k.txt"),
    (Operation::Read, "we ird/z.txt"),
    (Operation::Read, "SRC/a.txt"),
    (Operation::Read, "w.tsk/goals.md"),
    (Operation::Read, "./secret/k.txt"),
    (Operation::Read, "src/../secret/k.txt"),
    (Operation::Read, "@WORK@/secret/k.txt"),
    (Operation::Read, "secret//k.txt"),
    (Operation::Read, "src/link/k.txt"),
    (Operation::Read, "@OUTSIDE@/o.txt"),
    (Operation::Read, "./src/a.txt"),
    (Operation::Read, "docs/../src/a.txt"),
    (Operation::Read, "@WORK@/src/a.txt"),
    (Operation::Search, "."),
    (Operation::Search, "src/deep"),
    (Operation::Write, "n.txt"),
    (Operation::Write, "n.md"),
    (Operation::Write, "src/n1.txt"),
    (Operation::Write, "src/new/n.txt"),
    (Operation::Write, "src/n.md"),
    (Operation::Write, "src/gen/n.txt"),
    (Operation::Write, "src/gen/deep/n.txt"),
    (Operation::Write, "src/genx/n.txt"),
    (Operation::Write, "src/private/n.txt"),
    (Operation::Write, "docs/n.md"),
    (Operation::Write, "docs/n.txt"),
    (Operation::Write, "docs/draft-1/n.md"),
    (Operation::Write, "docs/drafts/n.md"),
    (Operation::Write, "secret/n.txt"),
    (Operation::Write, "a/secret/n.md"),
    (Operation::Write, "we ird/n.txt"),
    (Operation::Write, "SRC/n.txt"),
    (Operation::Write, ".minds/n.md"),
    (Operation::Write, "w.tsk/n.md"),
    (Operation::Write, "src/n.tsk/goals.md"),
    (Operation::Write, "src/.git/config"),
    (Operation::Write, ".git/hooks/n"),
    (Operation::Write, "src/../secret/n2.txt"),
    (Operation::Write, "@WORK@/src/n3.txt"),
    (Operation::Write, "@WORK@/src/gen/n3.txt"),
    (Operation::Write, "src//gen/n4.txt"),
    (Operation::Write, "src/link/m.txt"),
    (Operation::Write, "../outside/n.txt"),
    (Operation::Write, "@OUTSIDE@/n2.txt"),
    (Operation::Edit, "src/e.txt"),
    (Operation::Edit, "src/gen/e.txt"),
    (Operation::Edit, "docs/e.md"),
    (Operation::CommandRead, "src/a.txt"),
    (Operation::CommandRead, "secret/k.txt"),
    (Operation::CommandRead, "sec*/k.txt"),
    (Operation::CommandRead, "src/link/k.txt"),
    (Operation::CommandRead, "w.tsk/goals.md"),
    (Operation::CommandWrite, "src/c.txt"),
    (Operation::CommandWrite, "src/gen/c.txt"),
    (Operation::CommandWrite, "c.txt"),
    (Operation::CommandWrite, "../outside/c.txt"),
];

/// Returns the text of a file that exists before a session.
pub(super) fn text(path: &str) -> String {
    format!("text of {path}")
}

/// Returns the file of the team. Its members have a model of the provider.
pub(super) fn print_team(provider: &str, model: &str) -> String {
    let mut text = format!(
        "shell_specialists: [runner]\nmember_defaults:\n  provider: {provider}\n  model: {model}\nmembers:\n"
    );
    for member in &MEMBERS {
        // Writing to a string cannot fail, and a list of JSON is one of YAML.
        let _ = writeln!(text, "  {}:\n    toolsets: {}", member.id, json!(member.toolsets));
        for (key, entries) in member.lists {
            let _ = writeln!(text, "    {key}: {}", json!(entries));
        }
    }
    text
}

impl Member {
    /// Returns what the member is asked to do.
    pub(super) fn questions() -> impl Iterator<Item = (Operation, &'static str)> {
        QUESTIONS.into_iter()
    }

    /// Returns what the record says about the member.
    pub(super) fn describe(&self) -> Value {
        let lists = self.lists.iter().map(|(key, entries)| ((*key).to_owned(), json!(entries)));
        let toolsets = ("toolsets".to_owned(), json!(self.toolsets));
        Value::Object([toolsets].into_iter().chain(lists).collect())
    }

    pub(super) fn has_tools(&self) -> bool {
        !self.toolsets.is_empty()
    }

    pub(super) fn has_shell(&self) -> bool {
        self.toolsets.contains(&"os")
    }

    /// Returns whether a list limits reading.
    pub(super) fn limits_reading(&self) -> bool {
        ListKind::ALL.into_iter().any(|kind| {
            let key = kind.key(Access::Read);
            self.lists.iter().any(|(known, _)| *known == key.as_str())
        })
    }

    /// Returns whether the member may do something, by its tools and lists.
    pub(super) fn may(&self, policy: &Policy, operation: Operation, path: &str) -> bool {
        let access = access_of(operation);
        let has_tool = match operation {
            Operation::Read | Operation::Search => self.has_tools(),
            Operation::Write | Operation::Edit => self.toolsets.contains(&"ws_mod"),
            Operation::CommandRead | Operation::CommandWrite => self.has_shell(),
        };
        has_tool && is_allowed(policy, access, path)
    }

    pub(super) fn policy(&self) -> Policy {
        Policy::new(self.lists(Access::Read), self.lists(Access::Write))
    }

    fn lists(&self, access: Access) -> Lists {
        let entries = |kind: ListKind| {
            let key: ListKey = kind.key(access);
            self.lists.iter().find(|(known, _)| *known == key.as_str()).map(|(_, entries)| *entries)
        };
        let patterns = |kind| {
            let parse = |entry: &&str| Pattern::parse(entry).expect("the entry is valid");
            entries(kind)
                .map_or(EntryList::Absent, |entries| EntryList::Given(entries.iter().map(parse).collect()))
        };
        let extensions = |kind| {
            let parse = |entry: &&str| Extension::parse(entry).expect("the entry is valid");
            entries(kind)
                .map_or(EntryList::Absent, |entries| EntryList::Given(entries.iter().map(parse).collect()))
        };
        Lists {
            deny: patterns(ListKind::Deny),
            deny_extensions: extensions(ListKind::DenyExtension),
            allow: patterns(ListKind::Allow),
            allow_extensions: extensions(ListKind::AllowExtension),
        }
    }
}

fn access_of(operation: Operation) -> Access {
    match operation {
        Operation::Read | Operation::Search | Operation::CommandRead => Access::Read,
        Operation::Write | Operation::Edit | Operation::CommandWrite => Access::Write,
    }
}

/// Returns whether the lists allow a path as it is written and where it leads.
pub(super) fn is_allowed(policy: &Policy, access: Access, path: &str) -> bool {
    let inner = path.strip_prefix("@WORK@/").unwrap_or(path);
    if inner == "." {
        return true;
    } else if inner.starts_with(OUTSIDE) {
        return false;
    }
    let Ok(path) = WorkspacePath::normalize(inner) else { return false };
    let mut places = vec![path.clone()];
    for (name, target) in [LINK, PATTERN] {
        if let Some(rest) = path.as_str().strip_prefix(name).filter(|rest| rest.starts_with('/')) {
            places.extend(WorkspacePath::parse(&format!("{target}{rest}")));
        }
    }
    places.iter().all(|path| policy.check(access, path).is_allowed())
}

/// Returns where a path leads on the disk, relative to the workspace; none if it is outside of it.
pub(super) fn find_file(path: &str) -> Option<String> {
    let inner = path.strip_prefix("@WORK@/").unwrap_or(path);
    let path = WorkspacePath::normalize(inner).ok()?;
    let moved = [LINK, PATTERN].into_iter().find_map(|(name, target)| {
        let rest = path.as_str().strip_prefix(name).filter(|rest| rest.starts_with('/'))?;
        Some(format!("{target}{rest}"))
    });
    Some(moved.unwrap_or_else(|| path.as_str().to_owned()))
}

/// Makes the link.
pub(super) fn link() -> (&'static str, String) {
    (LINK.0, format!("../{}", LINK.1))
}

/// Returns whether a path leads over the link.
pub(super) fn has_link(path: &str) -> bool {
    path.starts_with(LINK.0) && path.get(LINK.0.len()..).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether a path is in a task package.
pub(super) fn is_in_package(path: &str) -> bool {
    path.split('/').any(|name| name.rsplit_once('.').is_some_and(|(_, extension)| extension == "tsk"))
}
