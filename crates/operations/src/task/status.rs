//! What is known of a package without reading its sections.

use minds_system::{FileErrorKind, Kind, Metadata, Stamp};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{BEAR_IN_MIND, BearInMind, BearInMindState, Section, SectionState, Status, TopLevel};

use super::package::Package;

/// How many entries the category of what is to be borne in mind is looked through for.
const MAX_BEARINMIND_ENTRIES: usize = 64;

/// Changes whenever the text of a package may have changed; made of a look at each of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextStamp(Vec<Result<Stamp, FileErrorKind>>);

impl Package<'_> {
    /// Returns what is known of the package without reading it.
    pub fn status(&self) -> Status {
        let state = |section: &Section| match self.look_at(&section.path()) {
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

    /// Returns what changes when a section that is always in the context changes. Nothing is read.
    pub fn text_stamp(&self) -> TextStamp {
        let stamp = |section: Section| {
            let path = self.below(&section.path()).map_err(|_| FileErrorKind::NameTooLong)?;
            self.root.scoped().stamp(&path).map_err(|error| error.kind())
        };
        TextStamp(Section::injected_sections().map(stamp).collect())
    }

    /// Returns what is at a place of the package, or that this is not known; none if nothing is.
    fn look_at(&self, below: &str) -> Option<Result<Metadata, ()>> {
        let Ok(path) = self.below(below) else { return Some(Err(())) };
        match self.root.scoped().metadata(&path) {
            Ok(found) => Some(Ok(found)),
            Err(error) if error.kind() == FileErrorKind::NotFound => None,
            Err(_) => Some(Err(())),
        }
    }

    fn bear_in_mind(&self) -> BearInMindState {
        match self.look_at(BEAR_IN_MIND) {
            None => return BearInMindState::Absent,
            Some(Ok(found)) if found.kind == Kind::Directory => {}
            Some(_) => return BearInMindState::Invalid,
        }
        let listing =
            self.below(BEAR_IN_MIND).ok().map(|path| self.root.scoped().list(&path, MAX_BEARINMIND_ENTRIES));
        let Some(Ok(listing)) = listing else { return BearInMindState::Invalid };
        let path = |bear: BearInMind| self.below(&Section::BearInMind(bear).path()).ok();
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
