//! Tables of tools: which arguments of a tool are paths, patterns, patches or command lines.

use serde_json::Value;

use super::Fields;
use crate::{Action, patch};

/// A tool of a client. Without parts it touches no files of the workspace.
pub(super) struct Tool {
    /// Its names.
    pub(super) names: &'static [&'static str],
    /// What its arguments do.
    pub(super) parts: &'static [Part],
}

/// An argument of a tool.
pub(super) struct Part {
    kind: Kind,
    /// Its spellings in different versions of the client. If several are present, all of them are judged.
    keys: &'static [&'static str],
    /// The argument with the directory in which a command runs or from which a pattern is applied.
    base: &'static [&'static str],
    /// Whether the working directory is used if the argument is absent.
    is_optional: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Read,
    Search,
    Write,
    Delete,
    Glob,
    Shell,
    Patch,
    Server,
    /// A command line in another language than that of POSIX shells.
    OtherShell,
}

impl Part {
    const fn new(kind: Kind, keys: &'static [&'static str]) -> Self {
        Self { kind, keys, base: &[], is_optional: false }
    }

    /// A file or directory that is read.
    pub(super) const fn read(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Read, keys)
    }

    /// A directory that is listed; the working directory if it is absent.
    pub(super) const fn list(keys: &'static [&'static str]) -> Self {
        Self { is_optional: true, ..Self::new(Kind::Read, keys) }
    }

    /// A directory that is searched; the working directory if it is absent.
    pub(super) const fn search(keys: &'static [&'static str]) -> Self {
        Self { is_optional: true, ..Self::new(Kind::Search, keys) }
    }

    /// A file that is read, or a directory of which several levels are listed.
    pub(super) const fn tree(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Search, keys)
    }

    /// A file that is created or changed.
    pub(super) const fn write(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Write, keys)
    }

    /// A file or directory that is removed.
    pub(super) const fn delete(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Delete, keys)
    }

    /// A pattern, and the argument with the directory from which it is applied.
    pub(super) const fn glob(keys: &'static [&'static str], base: &'static [&'static str]) -> Self {
        Self { base, ..Self::new(Kind::Glob, keys) }
    }

    /// A command line, and the argument with its working directory.
    pub(super) const fn shell(keys: &'static [&'static str], base: &'static [&'static str]) -> Self {
        Self { base, ..Self::new(Kind::Shell, keys) }
    }

    /// A command line that is not understood.
    pub(super) const fn other_shell(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::OtherShell, keys)
    }

    /// A patch in the form of `apply_patch`.
    pub(super) const fn patch(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Patch, keys)
    }

    /// The name of an MCP server.
    pub(super) const fn server(keys: &'static [&'static str]) -> Self {
        Self::new(Kind::Server, keys)
    }

    fn actions(&self, arguments: Fields<'_>) -> Result<Vec<Action>, String> {
        let values = strings(arguments, self.keys)?;
        if values.is_empty() {
            return match (self.kind, self.is_optional) {
                (Kind::Read, true) => Ok(vec![Action::Read { path: ".".to_owned() }]),
                (Kind::Search, true) => Ok(vec![Action::Search { path: ".".to_owned() }]),
                _ => Err(format!("the argument `{}` is missing", self.keys.join("` or `"))),
            };
        }
        let bases = strings(arguments, self.base)?;
        let bases = if bases.is_empty() { vec![None] } else { bases.into_iter().map(Some).collect() };
        let mut actions = Vec::new();
        for text in values {
            match self.kind {
                Kind::Read => actions.push(Action::Read { path: text }),
                Kind::Search => actions.push(Action::Search { path: text }),
                Kind::Write => actions.push(Action::Write { path: text }),
                Kind::Delete => actions.push(Action::Delete { path: text }),
                Kind::Server => {
                    actions.push(Action::Foreign { name: text, separator: None, is_marked: true });
                }
                Kind::Patch => actions.extend(patch::actions(&text)?),
                Kind::Glob => actions.extend(
                    bases.iter().map(|base| Action::Glob { base: base.clone(), pattern: text.clone() }),
                ),
                Kind::Shell => {
                    actions.extend(bases.iter().map(|directory| Action::Shell {
                        command: text.clone(),
                        directory: directory.clone(),
                    }));
                }
                Kind::OtherShell => actions.push(Action::Unknown {
                    reason: "the command is not in the language of POSIX shells".to_owned(),
                }),
            }
        }
        Ok(actions)
    }
}

/// Returns the strings in arguments, which are strings or lists of strings.
fn strings(arguments: Fields<'_>, keys: &[&str]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for key in keys {
        match arguments.get(key) {
            None => {}
            Some(Value::String(text)) => found.push(text.clone()),
            // A command as a list of words is one command line.
            Some(Value::Array(items)) if ["command", "cmd"].contains(key) => found.push(quoted_words(items)?),
            Some(Value::Array(items)) => {
                for item in items {
                    let text = item
                        .as_str()
                        .ok_or_else(|| format!("`{key}` contains something else than strings"))?;
                    found.push(text.to_owned());
                }
            }
            Some(_) => return Err(format!("`{key}` is not a string or a list of strings")),
        }
    }
    Ok(found)
}

/// Returns a command line that a shell splits into these words.
fn quoted_words(items: &[Value]) -> Result<String, String> {
    let words = items.iter().map(|item| {
        let word = item.as_str().ok_or("the command contains something else than strings")?;
        Ok(format!("'{}'", word.replace('\'', r"'\''")))
    });
    Ok(words.collect::<Result<Vec<String>, &str>>()?.join(" "))
}

/// How a client names the tools of MCP servers.
#[derive(Clone, Copy)]
pub(super) struct Foreign {
    /// What the name begins with, longest first.
    pub(super) prefixes: &'static [&'static str],
    /// What is between the server and the tool.
    pub(super) separator: &'static str,
}

/// Returns what a call of a tool does.
///
/// # Errors
///
/// Fails if an argument is missing or has an unknown type.
pub(super) fn actions(
    tools: &[Tool],
    foreign: Foreign,
    name: &str,
    arguments: Fields<'_>,
) -> Result<Vec<Action>, String> {
    if let Some(tool) = tools.iter().find(|tool| tool.names.contains(&name)) {
        let mut actions = Vec::new();
        for part in tool.parts {
            actions.extend(part.actions(arguments)?);
        }
        return Ok(actions);
    }
    let found = foreign.prefixes.iter().find_map(|prefix| Some((prefix, name.strip_prefix(prefix)?)));
    Ok(vec![match found {
        Some((prefix, rest)) => Action::Foreign {
            name: rest.to_owned(),
            separator: Some(foreign.separator),
            is_marked: !prefix.is_empty(),
        },
        None => Action::Unknown { reason: format!("the tool `{}` is not known", name.escape_debug()) },
    }])
}
