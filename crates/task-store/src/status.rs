//! The status of a package, without reading its sections.

use minds_fs::{FileErrorKind, Kind, Metadata, Stamp};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{BEAR_IN_MIND, BearInMind, BearInMindState, Section, SectionState, Status, TopLevel};

use crate::package::Package;

/// The maximum number of entries of the category `bearinmind`.
const MAX_BEARINMIND_ENTRIES: usize = 64;

/// A value that changes whenever the text of a package may have changed, based on the metadata of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextStamp(Vec<Result<Stamp, FileErrorKind>>);

impl Package<'_> {
    /// Returns the status of the package.
    pub fn status(&self) -> Status {
        let state = |section: &Section| match self.metadata_of(&section.path()) {
            Some(Ok(found))
                if found.kind == Kind::File && found.links <= 1 && found.size <= MAX_SECTION_BYTES =>
            {
                SectionState::Present
            }
            None => SectionState::Missing,
            Some(_) => SectionState::Unusable,
        };
        let sections = TopLevel::ALL.iter().map(|top| Section::Top(*top));
        Status {
            name: self.name().as_str().to_owned(),
            path: self.path().as_str().to_owned(),
            maintainers: self.maintainers().clone(),
            sections: sections.map(|section| (section.clone(), state(&section))).collect(),
            bear_in_mind: self.bear_in_mind(),
            extras: self.extras().ok(),
        }
    }

    /// Returns a stamp of the sections that are always in the context, without reading them.
    pub fn text_stamp(&self) -> TextStamp {
        let stamp = |section: Section| {
            let path = self.path_of(&section.path()).map_err(|_| FileErrorKind::NameTooLong)?;
            self.root.no_follow().stamp(&path).map_err(|error| error.kind())
        };
        TextStamp(Section::injected_sections().map(stamp).collect())
    }

    /// Returns the metadata of a path in the package, or an error; `None` if the path does not exist.
    fn metadata_of(&self, below: &str) -> Option<Result<Metadata, ()>> {
        let Ok(path) = self.path_of(below) else { return Some(Err(())) };
        match self.root.no_follow().metadata(&path) {
            Ok(found) => Some(Ok(found)),
            Err(error) if error.kind() == FileErrorKind::NotFound => None,
            Err(_) => Some(Err(())),
        }
    }

    fn bear_in_mind(&self) -> BearInMindState {
        match self.metadata_of(BEAR_IN_MIND) {
            None => return BearInMindState::Absent,
            Some(Ok(found)) if found.kind == Kind::Directory => {}
            Some(_) => return BearInMindState::Invalid,
        }
        let listing = self
            .path_of(BEAR_IN_MIND)
            .ok()
            .map(|path| self.root.no_follow().list(&path, MAX_BEARINMIND_ENTRIES));
        let Some(Ok(listing)) = listing else { return BearInMindState::Invalid };
        let path = |bear: BearInMind| self.path_of(&Section::BearInMind(bear).path()).ok();
        let sections: Vec<Section> = BearInMind::ALL
            .iter()
            .copied()
            .filter(|bear| {
                let path = path(*bear);
                listing
                    .entries
                    .iter()
                    .any(|entry| entry.kind == Kind::File && Some(&entry.real) == path.as_ref())
            })
            .map(Section::BearInMind)
            .collect();
        let is_valid = sections.len() == listing.entries.len() && listing.unnamed == 0;
        if is_valid { BearInMindState::Present(sections) } else { BearInMindState::Invalid }
    }
}
