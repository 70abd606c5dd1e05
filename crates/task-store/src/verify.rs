//! Verifying a package against its journal.

use std::collections::BTreeMap;

use minds_diagnostics::Report;
use minds_fs::{FileErrorKind, Kind, Sharing};
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_SECTION_BYTES};
use minds_taskdoc::verification::{Evidence, HistoryFile, SectionContent, verify};
use minds_taskdoc::{Section, TaskError};
use minds_vfs::ContentHash;

use crate::errors::task_error;
use crate::package::{MAX_ENTRIES, Package};

impl Package<'_> {
    /// Checks the journal, and that all sections and saved contents match it. Nothing is written. An
    /// interrupted change is treated as the next change would complete it.
    ///
    /// # Errors
    ///
    /// Fails if the journal or the package cannot be read.
    pub fn verify(&self) -> Result<Report, TaskError> {
        let journal = self.path_of(JOURNAL)?;
        // Without write permission the lock is not available, and a change in progress may be visible.
        let lock = match self.root.no_follow().lock(&journal, Sharing::Shared) {
            Err(error) if matches!(error.kind(), FileErrorKind::Locked(_)) => return Err(task_error(&error)),
            lock => lock.ok(),
        };
        let evidence = self.evidence(journal.as_str())?;
        drop(lock);
        Ok(Report {
            root: ".".to_owned(),
            files: vec![evidence.journal.clone()],
            diagnostics: verify(&evidence).into_sorted(),
            allowed: 0,
        })
    }

    fn evidence(&self, journal: &str) -> Result<Evidence, TaskError> {
        let listing =
            self.root.no_follow().walk(self.path(), MAX_ENTRIES).map_err(|error| task_error(&error))?;
        let prefix = format!("{}/", self.path());
        let below = |path: &'_ str| path.strip_prefix(prefix.as_str()).map(ToOwned::to_owned);
        let named: Vec<(String, Kind)> = listing
            .entries
            .iter()
            .filter_map(|entry| Some((below(entry.real.as_str())?, entry.kind)))
            .collect();
        let mut sections = BTreeMap::new();
        for section in named.iter().filter_map(|(path, _)| Section::of_path(path)) {
            let held = match self.bytes(&section.path(), MAX_SECTION_BYTES) {
                Ok(Some(bytes)) => match std::str::from_utf8(&bytes) {
                    Ok(_) => SectionContent::Content(ContentHash::of(&bytes)),
                    Err(_) => SectionContent::Unreadable("it is not valid UTF-8".to_owned()),
                },
                Ok(None) => SectionContent::Missing,
                Err(error) => SectionContent::Unreadable(error.message),
            };
            sections.insert(section, held);
        }
        let mut kept = Vec::new();
        for (path, _) in &named {
            let name = path.strip_prefix(HISTORY).and_then(|name| name.strip_prefix('/'));
            let Some(change) = name.and_then(|name| name.replacen('-', ":", 1).parse().ok()) else {
                continue;
            };
            kept.push(HistoryFile {
                path: path.clone(),
                change,
                is_intact: self.has_content_of(path, &change),
            });
        }
        let settled = self.settled_journal()?;
        let is_there = !settled.is_empty() || self.journal_bytes()?.is_some();
        let bytes = is_there.then_some(settled);
        Ok(Evidence {
            name: self.name().as_str().to_owned(),
            journal: journal.to_owned(),
            bytes,
            sections,
            history: kept,
        })
    }
}
