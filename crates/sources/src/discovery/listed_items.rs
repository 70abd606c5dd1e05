//! Discovery of the items that `mind.toml` lists.

use minds_document::Spanned;

use super::convention::{USE_REGULAR_FILE, explain_not_directory};
use super::finder::Finder;
use super::offer::{Offer, OfferName, is_skill};
use super::partial_tree::Target;
use super::{SKILL_FILE, rules};
use crate::{ItemEntry, ItemKind};

impl Finder<'_> {
    pub(crate) fn find_listed(&mut self) {
        let items = self.manifest.and_then(|manifest| manifest.items.as_given());
        for entry in items.into_iter().flat_map(|items| &items.value.items) {
            self.find_listed_item(entry);
        }
    }

    fn find_listed_item(&mut self, entry: &Spanned<ItemEntry>) {
        let entry = &entry.value;
        let (kind, name, path) = (entry.kind.value, &entry.name, &entry.path);
        let declared = path.value.clone();
        let Some(real) = self.tree.real(&declared) else { return };
        let real = match (real, kind.is_folder()) {
            (Target::Nothing | Target::Dangling, _) => {
                let message = format!("the path of the {kind} `{}` does not exist: `{declared}`", name.value);
                return self.refuse(&rules::MISSING_ITEM, path, message, |found| {
                    found.help("write the path relative to the root of the source")
                });
            }
            (Target::Outside(target), _) => {
                let message = format!(
                    "`{declared}` is a symbolic link to `{}`, outside of the source",
                    target.escape_debug()
                );
                return self.refuse(&rules::LINK_OUTSIDE, path, message, |found| {
                    found.help("put the target of the link into the source")
                });
            }
            (Target::Closed(reason), _) => {
                let message = format!("`{declared}` cannot be read: {reason}");
                return self
                    .refuse(&rules::UNREADABLE_ITEM, path, message, |found| found.help(USE_REGULAR_FILE));
            }
            (Target::Directory(real), true) | (Target::File(real), false) => real,
            (real, is_folder) => {
                let expected = if is_folder { "a folder" } else { "a file" };
                let message = format!(
                    "{} must be {expected}, but `{declared}` is not: {}",
                    kind.with_article(),
                    explain_not_directory(&real)
                );
                return self.refuse(&rules::ITEM_SHAPE, path, message, |found| {
                    found.help(format!("write the path of {expected}"))
                });
            }
        };
        if kind == ItemKind::Skill {
            match is_skill(self.tree, &real) {
                None => return,
                Some(true) => {}
                Some(false) => {
                    let message = format!("the skill `{declared}` does not contain a `{SKILL_FILE}`");
                    self.report_at(&rules::NO_SKILL_FILE, path, message, |found| {
                        found
                            .help(format!("add `{SKILL_FILE}` to the folder, or write the path of the skill"))
                    });
                }
            }
        }
        let name = OfferName::Given(name.value.as_str());
        self.offer(&Offer { kind, declared, real, name, entry: Some(entry) });
    }
}
