//! The TOML text of `mind.lock`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minds_document::{Context, Decode, Field, List, Node, Text, Value, decode_list};
use minds_sources::{Identity, ItemKey, Pin, Prefix, RevisionName};
use minds_vfs::WorkspacePath;

use super::document::{StateError, VERSION};
use super::lock::{LOCK_FILE, Lock, LockedItem, LockedSource};
use super::registry::{Alias, parse_object_id};

/// Returns a TOML basic string.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a TOML array of strings on one line.
pub(crate) fn array<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| quote(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// Returns a root as written in `mind.toml`.
pub(crate) fn root(path: &WorkspacePath) -> &str {
    if path.as_str().is_empty() { "." } else { path.as_str() }
}

pub(super) fn write(lock: &Lock) -> String {
    let mut text = format!("version = {VERSION}\n");
    for source in &lock.sources {
        text.push_str("\n[[source]]\n");
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key} = {value}");
        };
        line("name", quote(source.identity.as_str()));
        line("url", quote(&source.url));
        match &source.alias {
            Alias::Declared => {}
            Alias::None => line("as", quote("")),
            Alias::Prefix(prefix) => line("as", quote(prefix.as_str())),
        }
        line("pin", quote(source.pin.kind().as_str()));
        if let Some(revision) = source.pin.revision() {
            line("revision", quote(revision.as_str()));
        }
        if let Some(roots) = &source.roots {
            line("roots", array(roots.iter().map(root)));
        }
        if let Some(commit) = &source.commit {
            line("commit", quote(commit));
        }
        if let Some(tree) = &source.tree {
            line("tree", quote(tree));
        }
        line("whole", source.is_whole.to_string());
        for (key, item) in &source.items {
            let _ = write!(
                text,
                "\n[[source.item]]\nitem = {}\nhash = \"{}\"\n",
                quote(&key.to_string()),
                item.hash
            );
        }
    }
    text
}

/// The file, as written.
pub(super) struct Raw {
    version: Field<i64>,
    sources: Field<List<RawSource>>,
}

pub(super) struct RawSource {
    name: Field<Text>,
    url: Field<Text>,
    r#as: Field<Text>,
    pin: Field<Text>,
    revision: Field<Text>,
    roots: Field<List<Text>>,
    commit: Field<Text>,
    tree: Field<Text>,
    whole: Field<bool>,
    items: Field<List<RawItem>>,
}

pub(super) struct RawItem {
    item: Field<Text>,
    hash: Field<Text>,
}

impl Decode for Raw {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let raw = Self {
            version: fields.require_with("version", |node, cx| {
                let Value::Integer(version) = node.value() else {
                    cx.type_error(node, "an integer");
                    return None;
                };
                Some(version)
            }),
            sources: fields
                .read_with("source", |node, cx| decode_list(node, cx, "a list of tables", RawSource::decode)),
        };
        let _ = fields.finish();
        Some(raw)
    }
}

impl Decode for RawSource {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let source = Self {
            name: fields.require("name"),
            url: fields.require("url"),
            r#as: fields.read("as"),
            pin: fields.require("pin"),
            revision: fields.read("revision"),
            roots: fields.read("roots"),
            commit: fields.read("commit"),
            tree: fields.read("tree"),
            whole: fields.require("whole"),
            items: fields
                .read_with("item", |node, cx| decode_list(node, cx, "a list of tables", RawItem::decode)),
        };
        let _ = fields.finish();
        Some(source)
    }
}

impl Decode for RawItem {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let item = Self { item: fields.require("item"), hash: fields.require("hash") };
        let _ = fields.finish();
        Some(item)
    }
}

/// Returns the value of a required field, which is present after decoding.
fn text(field: &Field<Text>) -> String {
    field.as_given().map(|text| text.value.clone()).unwrap_or_default()
}

fn optional_text(field: &Field<Text>) -> Option<String> {
    field.as_given().map(|text| text.value.clone())
}

pub(super) fn parse_lock(raw: &Raw) -> Result<Lock, StateError> {
    let version = raw.version.as_given().map(|version| version.value);
    if version != Some(i64::from(VERSION)) {
        let problem = format!("only `version` {VERSION} is supported");
        return Err(StateError::new(LOCK_FILE, problem));
    }
    let mut lock = Lock::default();
    let sources = raw.sources.as_given().map(|sources| sources.value.items.as_slice()).unwrap_or_default();
    for source in sources {
        let raw = &source.value;
        let wrong = |problem: String| {
            StateError::new(LOCK_FILE, format!("source `{}`: {problem}", text(&raw.name).escape_debug()))
        };
        let source = parse_locked_source(raw).map_err(wrong)?;
        if lock.find(&source.identity).is_some() {
            return Err(wrong("it is listed twice".to_owned()));
        }
        lock.sources.push(source);
    }
    Ok(lock)
}

fn parse_locked_source(raw: &RawSource) -> Result<LockedSource, String> {
    let mut source = LockedSource {
        identity: Identity::parse(&text(&raw.name)).map_err(|error| error.to_string())?,
        url: text(&raw.url),
        alias: match optional_text(&raw.r#as).as_deref().map(Prefix::parse) {
            None => Alias::Declared,
            Some(Ok(None)) => Alias::None,
            Some(Ok(Some(prefix))) => Alias::Prefix(prefix),
            Some(Err(error)) => return Err(format!("`as`: {error}")),
        },
        pin: parse_pin(&text(&raw.pin), optional_text(&raw.revision).as_deref())?,
        roots: None,
        commit: optional_text(&raw.commit).map(parse_object_id).transpose()?,
        tree: optional_text(&raw.tree).map(parse_object_id).transpose()?,
        is_whole: raw.whole.as_given().is_some_and(|whole| whole.value),
        items: BTreeMap::new(),
    };
    if let Some(roots) = raw.roots.as_given() {
        let parse = |root: &str| match root {
            "." => Ok(WorkspacePath::root()),
            _ => WorkspacePath::parse(root).map_err(|error| error.to_string()),
        };
        source.roots =
            Some(roots.value.items.iter().map(|root| parse(&root.value)).collect::<Result<_, _>>()?);
    }
    for item in raw.items.as_given().map(|items| items.value.items.as_slice()).unwrap_or_default() {
        let name = text(&item.value.item);
        let key = ItemKey::parse(&name)
            .map_err(|_| format!("`{}` is not a valid kind and name", name.escape_debug()))?;
        let hash = text(&item.value.hash).parse().map_err(|error| format!("`{key}`: {error}"))?;
        if source.items.insert(key, LockedItem { hash }).is_some() {
            return Err(format!("`{name}` is listed twice"));
        }
    }
    Ok(source)
}

fn parse_pin(kind: &str, revision: Option<&str>) -> Result<Pin, String> {
    Pin::parse(kind, || {
        let revision = revision.ok_or("`revision` is missing")?;
        RevisionName::parse(revision).map_err(|error| format!("`revision`: {error}"))
    })
}
