//! Programs of which several items contain a copy.

use std::collections::BTreeMap;

use minds_diagnostics::SourceFile;
use minds_vfs::ContentHash;

use super::{Review, rules, span};
use crate::ItemContent;
use crate::discovery::Discovery;

/// The minimum size in bytes; shorter files are equal by chance.
const MIN_BYTES: usize = 64;

pub(super) fn check(review: &mut Review<'_>, discovered: &Discovery) {
    let mut seen: BTreeMap<ContentHash, String> = BTreeMap::new();
    let items = review.items;
    for (offered, _) in items.items.iter().zip(&discovered.places) {
        let Ok(ItemContent::Folder(files)) = &offered.content else { continue };
        for (inside, file) in files {
            if !file.is_executable || file.bytes.len() < MIN_BYTES {
                continue;
            }
            let name = format!("{}/{inside}", offered.item.path);
            let hash = ContentHash::of(&file.bytes);
            let Some(first) = seen.get(&hash) else {
                seen.insert(hash, name);
                continue;
            };
            let source = SourceFile::new(name.as_str(), file.bytes.clone());
            let message = || format!("`{name}` is the same program as `{first}`");
            review.report(&rules::DUPLICATE_TOOLING, &source, span(0, 0), message, |found| {
                found.help("move it to a tool, and refer to it with `{{tools:NAME}}`")
            });
        }
    }
}
