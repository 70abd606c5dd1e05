//! Discovery by convention: folders and files in `skills`, `agents`, `rules` and `tools`.

use minds_diagnostics::Diagnostic;
use minds_document::Spanned;
use minds_vfs::WorkspacePath;

use super::finder::{Finder, is_ignored_name};
use super::offer::{Offer, OfferName, is_skill};
use super::partial_tree::{Entry, Listing, Target};
use super::rules;
use crate::ItemKind;
use crate::rules::escape;

/// The help for an entry that cannot be read.
pub(super) const USE_REGULAR_FILE: &str = "put a regular file in its place";

/// Where a root comes from.
enum Root<'m> {
    Manifest(&'m Spanned<WorkspacePath>),
    Option(&'m str),
}

/// Whether an entry in a folder of items has the form of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Item,
    Other,
}

impl Finder<'_> {
    pub(crate) fn find_by_convention(&mut self) {
        let Some(roots) = self.roots() else { return };
        for kind in ItemKind::ALL {
            for (declared, real) in &roots {
                self.find_kind(kind, declared, real);
            }
        }
    }

    /// Returns the roots, each as written and as its real path. Returns `None` if one cannot be used, or not
    /// all is known yet.
    fn roots(&mut self) -> Option<Vec<(WorkspacePath, WorkspacePath)>> {
        let given = match (&self.options.roots, self.manifest, &self.options.curator_roots) {
            (Some(roots), _, _) | (None, None, Some(roots)) => {
                Some(roots.iter().map(|root| Root::Option(root)).collect::<Vec<_>>())
            }
            (None, Some(manifest), _) => {
                let roots = manifest.source.as_given().and_then(|source| source.value.roots.as_given());
                roots.map(|roots| roots.value.items.iter().map(Root::Manifest).collect())
            }
            (None, None, None) => None,
        };
        let Some(given) = given else { return Some(vec![(WorkspacePath::root(), WorkspacePath::root())]) };
        let mut roots = Vec::with_capacity(given.len());
        let mut is_usable = true;
        for root in given {
            let (text, path) = match &root {
                Root::Manifest(path) => (path.value.to_string(), Ok(path.value.clone())),
                Root::Option(text) => ((*text).to_owned(), WorkspacePath::normalize(text)),
            };
            let problem = match path {
                Err(error) => error.kind().to_string(),
                Ok(declared) => match self.tree.real(&declared) {
                    // Request everything that is needed next in the same step.
                    None => {
                        is_usable = false;
                        continue;
                    }
                    Some(Target::Directory(real)) => {
                        roots.push((declared, real));
                        continue;
                    }
                    Some(real) => explain_not_directory(&real),
                },
            };
            is_usable = false;
            let message = format!("invalid root `{text}`: {problem}");
            let help = |found: Diagnostic| {
                found.help("write the path of a folder, relative to the root of the source")
            };
            match root {
                Root::Manifest(place) => self.refuse(&rules::INVALID_ROOT, place, message, help),
                Root::Option(_) => {
                    self.report(&rules::INVALID_ROOT, &WorkspacePath::root(), message, help);
                    self.invalidate();
                }
            }
        }
        is_usable.then_some(roots)
    }

    fn find_kind(&mut self, kind: ItemKind, declared: &WorkspacePath, real: &WorkspacePath) {
        let (Ok(declared), Ok(folder)) = (declared.join(kind.folder()), real.join(kind.folder())) else {
            return;
        };
        let folder = match self.tree.real(&folder) {
            None | Some(Target::Nothing) => return,
            Some(Target::Directory(folder)) => folder,
            Some(Target::Outside(target)) => return self.report_outside(&declared, &target),
            Some(Target::Dangling) => return self.report_dangling(&declared),
            Some(real) => {
                let message =
                    format!("`{declared}` cannot be searched for items: {}", explain_not_directory(&real));
                return self.report(&rules::NO_FOLDER, &declared, message, |found| {
                    found.help("replace it with a folder, or rename it")
                });
            }
        };
        let tree = self.tree;
        match tree.listing(&folder) {
            None => {}
            Some(Listing::Closed(reason)) => {
                let message = format!("`{declared}` cannot be read: {reason}");
                self.report(&rules::NO_FOLDER, &declared, message, |found| {
                    found.help("make the folder readable")
                });
            }
            Some(Listing::Entries { named, unnamed }) => {
                for name in unnamed {
                    self.report_unsafe_name(&declared, name);
                }
                let mut unfit: Vec<&str> = Vec::new();
                for (name, entry) in named {
                    let found = self.find_entry(kind, &declared, &folder, name, entry);
                    // A hidden entry is intentional, not a typo.
                    if found == Form::Other && !is_ignored_name(name) {
                        unfit.push(name);
                    }
                }
                self.report_unfit_entries(kind, &declared, &unfit);
            }
        }
    }

    /// Offers an entry of a folder of items, or reports why it is not offered. An entry that does not have
    /// the form of an item is not reported here.
    fn find_entry(
        &mut self,
        kind: ItemKind,
        declared: &WorkspacePath,
        folder: &WorkspacePath,
        name: &str,
        entry: &Entry,
    ) -> Form {
        // A name whose only dot is the first character has no extension.
        let stem = match kind {
            ItemKind::Skill | ItemKind::Tool => name,
            ItemKind::Agent | ItemKind::Rule => {
                match name.strip_suffix(".md").filter(|stem| !stem.is_empty()) {
                    Some(stem) => stem,
                    None => return Form::Other,
                }
            }
        };
        let (Ok(declared), Ok(path)) = (declared.join(name), folder.join(name)) else { return Form::Item };
        let Some(real) = self.tree.real_entry(path, entry) else { return Form::Item };
        let real = match real {
            Target::Nothing => return Form::Item,
            _ if is_ignored_name(name) && !matches!(real, Target::File(_) | Target::Directory(_)) => {
                return Form::Other;
            }
            Target::Dangling => {
                self.report_dangling(&declared);
                return Form::Item;
            }
            Target::Outside(target) => {
                self.report_outside(&declared, &target);
                return Form::Item;
            }
            Target::Closed(reason) => {
                let message = format!("`{declared}` cannot be read: {reason}");
                self.report_unreadable(&declared, message);
                return Form::Item;
            }
            Target::File(real) if !kind.is_folder() => real,
            Target::Directory(real) if kind == ItemKind::Tool => real,
            Target::Directory(real) if kind == ItemKind::Skill => match is_skill(self.tree, &real) {
                Some(true) => real,
                Some(false) => return Form::Other,
                None => return Form::Item,
            },
            Target::File(_) | Target::Directory(_) => return Form::Other,
        };
        if is_ignored_name(name) {
            self.report_skipped(kind, &declared);
        } else {
            self.offer(&Offer { kind, declared, real, name: OfferName::Given(stem), entry: None });
        }
        Form::Item
    }

    /// Reports, once per folder of items, the entries that are not items.
    fn report_unfit_entries(&mut self, kind: ItemKind, folder: &WorkspacePath, names: &[&str]) {
        const MAX_NAMED: usize = 3;
        if names.is_empty() {
            return;
        }
        let listed: Vec<String> =
            names.iter().take(MAX_NAMED).map(|name| format!("`{}`", escape(name))).collect();
        let more = match names.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message =
            format!("`{folder}` has entries that are not {}: {}{more}", kind.folder(), listed.join(", "));
        self.report(&rules::NO_ITEM, folder, message, |found| {
            found.help(match kind {
                ItemKind::Skill => {
                    "a skill is a direct subfolder with a file `SKILL.md`, in exactly this case"
                }
                ItemKind::Agent | ItemKind::Rule => {
                    "use files with the extension `.md`, in lowercase, directly in this folder"
                }
                ItemKind::Tool => "a tool is a direct subfolder",
            })
        });
    }

    pub(crate) fn report_skipped(&mut self, kind: ItemKind, declared: &WorkspacePath) {
        let message = format!(
            "the {kind} `{declared}` is not offered: its name is hidden, or the name of a vendored folder"
        );
        self.report(&rules::PASSED_OVER, declared, message, |found| found.help("rename it to offer it"));
    }

    pub(crate) fn report_outside(&mut self, declared: &WorkspacePath, target: &str) {
        let message =
            format!("`{declared}` is a symbolic link to `{}`, outside of the source", target.escape_debug());
        self.report(&rules::LINK_OUTSIDE, declared, message, |found| {
            found.help("copy the target into the source")
        });
    }

    pub(crate) fn report_dangling(&mut self, declared: &WorkspacePath) {
        let message = format!("`{declared}` is a dangling symbolic link");
        self.report(&rules::DANGLING_LINK, declared, message, |found| {
            found.help("restore the target of the link, or remove the link")
        });
    }

    pub(crate) fn report_unreadable(&mut self, declared: &WorkspacePath, message: String) {
        self.report(&rules::UNREADABLE_ITEM, declared, message, |found| found.help(USE_REGULAR_FILE));
    }

    pub(crate) fn report_unsafe_name(&mut self, folder: &WorkspacePath, name: &str) {
        let message = format!("`{}` in `{folder}` cannot be the name of an item", name.escape_debug());
        self.report(&rules::UNSAFE_NAME, folder, message, |found| found.help("rename it to offer it"));
    }
}

/// Returns why a path is not a directory, for a message.
pub(crate) fn explain_not_directory(real: &Target) -> String {
    match real {
        Target::Nothing => "it does not exist".to_owned(),
        Target::Dangling => "it is a dangling symbolic link".to_owned(),
        Target::Outside(target) => {
            format!("it is a symbolic link to `{}`, outside of the source", target.escape_debug())
        }
        Target::Closed(reason) => reason.clone(),
        Target::File(_) => "it is a file".to_owned(),
        Target::Directory(_) => "it is a folder".to_owned(),
    }
}
