//! What is known of a package without reading its sections.

use minds_system::{FileErrorKind, Kind, Stamp};
use minds_taskdoc::{BEAR_IN_MIND, BearInMind, BearInMindState, Section, Status, TaskError, TopLevel};

use super::fault::fault;
use super::package::Package;

/// How many entries the category of what is to be borne in mind is looked through for.
const MOST_BEARS: usize = 64;

/// By what it is seen that the text of a package is another than before; a look at each of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextStamp(Vec<Option<Stamp>>);

impl Package<'_> {
    /// Returns what is known of the package without reading it.
    ///
    /// # Errors
    ///
    /// Fails if the system does not say what is there.
    pub fn status(&self) -> Result<Status, TaskError> {
        let mut sections = Vec::new();
        for top in TopLevel::ALL {
            let section = Section::Top(*top);
            sections.push((section.clone(), self.kind(&section.path())? == Some(Kind::File)));
        }
        Ok(Status {
            name: self.name().as_str().to_owned(),
            path: self.path().as_str().to_owned(),
            maintainers: self.maintainers().clone(),
            sections,
            bear_in_mind: self.bear_in_mind()?,
            extras: self.extras().ok(),
        })
    }

    /// Returns by what it is seen that a section which is always in the context changed. Nothing is read; what cannot be
    /// looked at is as if it were not there.
    pub fn text_stamp(&self) -> TextStamp {
        let stamp = |section: Section| self.root.scoped().stamp(&self.below(&section.path()).ok()?).ok();
        TextStamp(Section::injected().map(stamp).collect())
    }

    /// Returns what stands at a place of the package; none if nothing does.
    fn kind(&self, below: &str) -> Result<Option<Kind>, TaskError> {
        match self.root.scoped().metadata(&self.below(below)?) {
            Ok(found) => Ok(Some(found.kind)),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(&error)),
        }
    }

    fn bear_in_mind(&self) -> Result<BearInMindState, TaskError> {
        match self.kind(BEAR_IN_MIND)? {
            None => return Ok(BearInMindState::Absent),
            Some(Kind::Directory) => {}
            Some(_) => return Ok(BearInMindState::Invalid),
        }
        let directory = self.below(BEAR_IN_MIND)?;
        let Ok(listing) = self.root.scoped().list(&directory, MOST_BEARS) else {
            return Ok(BearInMindState::Invalid);
        };
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
        Ok(if is_valid { BearInMindState::Present(sections) } else { BearInMindState::Invalid })
    }
}
