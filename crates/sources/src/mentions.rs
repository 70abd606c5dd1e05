//! References between the items of a source: in braces, and as bare names.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_vfs::WorkspacePath;

use crate::dependencies::Siblings;
use crate::front_matter::body_start;
use crate::name_search::{find_item_names, is_in_path};
use crate::source_items::{OfferedItem, SourceItems};
use crate::{ItemContent, ItemFile, ItemKey};

/// The references of one item to other items of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemMentions {
    /// The item, by its name in the source.
    pub item: ItemKey,
    /// Its dependencies: from `requires` in its front matter, and from references in braces.
    pub needs: Vec<ItemKey>,
    /// The bare names of other items in its text, in the order of its files.
    pub mentions: Vec<Mention>,
}

/// A bare name of an item in the text of another item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The path of the file, relative to the root of the source.
    pub path: WorkspacePath,
    /// The line, counted from 1.
    pub line: usize,
    /// The name.
    pub name: String,
}

/// A Markdown file in which bare names are replaced by references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceRewrite {
    /// The path of the file, relative to the root of the source.
    pub path: WorkspacePath,
    /// The current content.
    pub old: String,
    /// The content with references.
    pub new: String,
    /// Whether the file is executable.
    pub is_executable: bool,
}

/// Returns the references of each item to other items of the source, in the order of the items. Takes time
/// linear in the text.
///
/// A bare name is a whole word of letters, digits, `_` and `-` in the body of a Markdown file, outside of
/// braces and not a part of a path.
pub fn find_mentions(source: &SourceItems) -> Vec<ItemMentions> {
    let siblings = Siblings::of(&source.items);
    let mentioned = |(at, offered): (usize, &OfferedItem)| {
        let mut mentions = Vec::new();
        for (path, _, text) in markdown_files(offered) {
            let (mut line, mut counted) = (1, 0);
            for (place, name) in find_bare_names(text, offered, &siblings) {
                line += text.get(counted..place.start).map_or(0, |part| part.matches('\n').count());
                counted = place.start;
                mentions.push(Mention { path: path.clone(), line, name: name.to_owned() });
            }
        }
        let needs = source.graph.needs(at).iter().filter_map(|at| source.items.get(*at));
        ItemMentions {
            item: offered.item.key(),
            needs: needs.map(|other| other.item.key()).collect(),
            mentions,
        }
    };
    source.items.iter().enumerate().map(mentioned).collect()
}

/// Returns the files with bare names, each with its content after every bare name is replaced by
/// `{{ns:NAME}}`, which stays correct under a prefix. A file that belongs to several items is returned once.
pub fn rewrite_bare_names(source: &SourceItems) -> Vec<ReferenceRewrite> {
    let siblings = Siblings::of(&source.items);
    let mut seen: BTreeSet<WorkspacePath> = BTreeSet::new();
    let mut rewrites = Vec::new();
    for offered in &source.items {
        for (path, file, text) in markdown_files(offered) {
            let mut new = String::with_capacity(text.len());
            let mut copied = 0;
            for (place, name) in find_bare_names(text, offered, &siblings) {
                new.push_str(text.get(copied..place.start).unwrap_or_default());
                new.push_str("{{ns:");
                new.push_str(name);
                new.push_str("}}");
                copied = place.end;
            }
            if copied == 0 || !seen.insert(path.clone()) {
                continue;
            }
            new.push_str(text.get(copied..).unwrap_or_default());
            rewrites.push(ReferenceRewrite {
                path,
                old: text.to_owned(),
                new,
                is_executable: file.is_executable,
            });
        }
    }
    rewrites
}

/// Returns the Markdown files of an item, each with its path relative to the root of the source.
fn markdown_files(offered: &OfferedItem) -> impl Iterator<Item = (WorkspacePath, &ItemFile, &str)> {
    let files = offered.content.as_ref().ok().into_iter().flat_map(ItemContent::files);
    files.filter_map(|(inside, file)| {
        let path = if inside.is_root() {
            offered.item.path.clone()
        } else {
            offered.item.path.join(inside.as_str()).ok()?
        };
        let (_, ending) = path.as_str().rsplit_once('.')?;
        let text = file.bytes.text().ok()?;
        ending.eq_ignore_ascii_case("md").then_some((path, file, text))
    })
}

/// Returns where names of other items occur in text.
fn find_bare_names<'t>(
    text: &'t str,
    offered: &OfferedItem,
    siblings: &Siblings<'_>,
) -> impl Iterator<Item = (Range<usize>, &'t str)> {
    find_item_names(text, body_start(text), &offered.item, siblings)
        .filter(|(place, _)| !is_in_path(text, place))
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::Contents;

    use super::*;
    use crate::{Catalog, Identity, Item, ItemKind, ItemName};

    fn rule(name: &str) -> Item {
        Item {
            kind: ItemKind::Rule,
            name: ItemName::parse(name).unwrap(),
            path: WorkspacePath::parse(&format!("rules/{name}.md")).unwrap(),
            description: None,
            requires: Vec::new(),
            link: None,
            bin: None,
            build: None,
            hooks: Vec::new(),
        }
    }

    fn source(texts: &[(&str, &str)]) -> SourceItems {
        let catalog =
            Catalog { items: texts.iter().map(|(name, _)| rule(name)).collect(), is_authoritative: false };
        let content = |text: &&str| {
            Ok(ItemContent::File(ItemFile { bytes: Contents::from(*text), is_executable: false }))
        };
        let contents: Vec<_> = texts.iter().map(|(_, text)| content(text)).collect();
        SourceItems::new(Identity::parse("local/a/b").unwrap(), None, None, catalog, contents)
    }

    /// Rewrites text next to the items `style` and `tests`.
    fn rewrite(text: &str) -> Option<String> {
        let files = rewrite_bare_names(&source(&[("own", text), ("style", ""), ("tests", "")]));
        assert!(files.len() < 2);
        files.into_iter().next().map(|file| file.new)
    }

    #[test]
    fn bare_names_become_references() {
        assert_eq!(
            rewrite("See style, then `tests`.").as_deref(),
            Some("See {{ns:style}}, then `{{ns:tests}}`.")
        );
        assert_eq!(rewrite("style\n").as_deref(), Some("{{ns:style}}\n"));
        assert_eq!(rewrite("first style: x").as_deref(), Some("first {{ns:style}}: x"));
        assert_eq!(rewrite("é style").as_deref(), Some("é {{ns:style}}"));
    }

    #[test]
    fn other_text_does_not_change() {
        for text in [
            "",
            "own text",
            "code-style, styles, _style, Style",
            "{{ns:style}} and {{path:rule:style}}",
            "rules/style.md, ./style, style.md, style/x, http:style, @style, #style",
            "---\nname: own\ndescription: after style\n---\nnothing",
            "---\nrequires: style\n",
            "\u{feff}--- \nname: own\n ---\n",
            " ---\nrequires: style\n---\n",
        ] {
            assert_eq!(rewrite(text), None, "{text}");
        }
    }

    #[test]
    fn rewriting_is_idempotent() {
        let once = rewrite("---\nname: own\n---\nSee style, {{ns:tests}} and tests.\n").unwrap();
        assert_eq!(once, "---\nname: own\n---\nSee {{ns:style}}, {{ns:tests}} and {{ns:tests}}.\n");
        assert_eq!(rewrite(&once), None);
    }

    #[test]
    fn mentions_have_their_lines() {
        let found = find_mentions(&source(&[
            ("own", "a\nstyle\n\ntests style {{ns:tests}}\n"),
            ("style", ""),
            ("tests", ""),
        ]));
        let lines: Vec<(usize, &str)> =
            found[0].mentions.iter().map(|mention| (mention.line, mention.name.as_str())).collect();
        assert_eq!(lines, [(2, "style"), (4, "tests"), (4, "style")]);
        assert_eq!(found[0].needs.iter().map(ToString::to_string).collect::<Vec<_>>(), ["rule:tests"]);
        assert_eq!(found[0].mentions[0].path.as_str(), "rules/own.md");
        assert!(found[1].mentions.is_empty() && found[1].needs.is_empty());
    }
}
