//! `config.toml`: the settings of the user, such as the agent homes.

use std::fmt::Write as _;

use minds_diagnostics::{Problems, SourceFile};
use minds_document::{Context, Decode, Field, List, Node, Text, Value, decode_list, toml};
use schemars::JsonSchema;
use serde::Serialize;

use super::document::StateError;
use super::lock_text::quote;

/// The name of the file, in the data directory.
pub const CONFIG_FILE: &str = "config.toml";

/// How items are placed in an agent home.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LobeMode {
    /// As links to the store.
    #[default]
    Link,
    /// As copies, for homes on other file systems or machines, and programs that do not follow links.
    Copy,
}

/// An agent home, as written: `~/` and relative paths are not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lobe {
    /// The path.
    pub path: String,
    /// How items are placed in it, if it has its own setting.
    pub mode: Option<LobeMode>,
}

/// The settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The agent homes; `None` if they are not set.
    pub lobes: Option<Vec<Lobe>>,
    /// Whether repositories are fetched by SSH if their URL is HTTPS.
    pub ssh: bool,
    /// How items are placed in homes without their own setting.
    pub mode: LobeMode,
    /// The directories that are trusted although another user owns them or can write them: `*` for all, an
    /// absolute path, or a path that begins with `~/`; a path that ends with `/*` includes everything below
    /// it.
    pub safe_directories: Vec<String>,
}

impl LobeMode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Link, Self::Copy];

    /// Returns the name of the mode, as in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Copy => "copy",
        }
    }

    /// Returns the mode with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

impl Config {
    /// Parses the file.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn parse(text: impl Into<minds_diagnostics::Contents>) -> Result<Self, StateError> {
        let source = SourceFile::new(CONFIG_FILE, text);
        decode(&source).map(|raw: Raw| Self {
            lobes: raw
                .lobes
                .as_given()
                .map(|lobes| lobes.value.items.iter().map(|lobe| lobe.value.clone()).collect()),
            ssh: raw.ssh.as_given().is_some_and(|ssh| ssh.value),
            mode: raw.mode.as_given().map_or(LobeMode::Link, |mode| mode.value),
            safe_directories: raw
                .safe_directories
                .as_given()
                .map(|list| list.value.items.iter().map(|entry| entry.value.0.clone()).collect())
                .unwrap_or_default(),
        })
    }

    /// Serializes the settings.
    pub fn write(&self) -> String {
        let mut text = String::new();
        if let Some(lobes) = &self.lobes {
            let entry = |lobe: &Lobe| match lobe.mode {
                None => quote(&lobe.path),
                Some(mode) => format!("{{ path = {}, mode = \"{}\" }}", quote(&lobe.path), mode.name()),
            };
            let entries: Vec<String> = lobes.iter().map(entry).collect();
            let _ = writeln!(text, "lobes = [{}]", entries.join(", "));
        }
        if self.ssh {
            text.push_str("ssh = true\n");
        }
        if self.mode != LobeMode::Link {
            let _ = writeln!(text, "mode = \"{}\"", self.mode.name());
        }
        if !self.safe_directories.is_empty() {
            let entries: Vec<String> = self.safe_directories.iter().map(|entry| quote(entry)).collect();
            let _ = writeln!(text, "safe_directories = [{}]", entries.join(", "));
        }
        text
    }
}

/// Decodes a state file in TOML, which must not have any problem.
pub(super) fn decode<T: Decode>(source: &SourceFile) -> Result<T, StateError> {
    let mut problems = Problems::new();
    let document = toml::parse(source).take(&mut problems);
    let mut cx = Context::new();
    let value = document.as_ref().and_then(|document| T::decode(document.root(), &mut cx));
    problems.append(cx.into_problems());
    if let Some(found) = problems.into_sorted().into_iter().next() {
        let line = found
            .primary
            .as_ref()
            .map(|label| usize::try_from(source.range(label.span).start.line).unwrap_or_default());
        return Err(StateError { line, ..StateError::new(source.name(), found.message) });
    }
    value.ok_or_else(|| StateError::new(source.name(), "it is not a TOML document"))
}

#[derive(Default)]
struct Raw {
    lobes: Field<List<Lobe>>,
    ssh: Field<bool>,
    mode: Field<LobeMode>,
    safe_directories: Field<List<SafeDirectory>>,
}

/// An entry of `safe_directories`, as written.
struct SafeDirectory(String);

impl Decode for SafeDirectory {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        // The meaning of a relative path would depend on the working directory.
        let is_usable = &*text == "*" || text.starts_with('/') || text.starts_with("~/");
        if !is_usable {
            cx.value_error(node, "`*`, an absolute path, or one that begins with `~/`", |found| found);
        }
        is_usable.then(|| Self(text.clone()))
    }
}

impl Decode for Raw {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let raw = Self {
            lobes: fields
                .read_with("lobes", |node, cx| decode_list(node, cx, "a list of agent homes", Lobe::decode)),
            ssh: fields.read("ssh"),
            mode: fields.read("mode"),
            safe_directories: fields.read_with("safe_directories", |node, cx| {
                decode_list(node, cx, "a list of directories", SafeDirectory::decode)
            }),
        };
        let _ = fields.finish();
        Some(raw)
    }
}

impl Decode for Lobe {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if let Value::String(path) = node.value() {
            return Some(Self { path: path.to_owned(), mode: None });
        }
        let mut fields = cx.fields(node)?;
        let path: Field<Text> = fields.require("path");
        let mode: Field<LobeMode> = fields.read("mode");
        let _ = fields.finish();
        Some(Self { path: path.as_given()?.value.clone(), mode: mode.as_given().map(|mode| mode.value) })
    }
}

impl Decode for LobeMode {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        let mode = Self::find(&text);
        if mode.is_none() {
            cx.value_error(node, "`link` or `copy`", |found| found);
        }
        mode
    }
}
