//! A file of JSON lines to which this process appends.

use minds_fleet_protocol::{Failure, Repair};
use minds_fs::{FileErrorKind, LogFile};
use minds_vfs::Expected;
use serde::Serialize;

use crate::failure::{file_failure, storage};
use crate::folder::{Folder, path_of};

/// A file of JSON lines. What is appended is on disk after [`LineFile::sync`].
///
/// If the disk does not confirm it, the kernel may have dropped the bytes, and a second call would succeed without
/// writing them. So everything after the last success is taken back, and nothing is appended until the file has been
/// opened again, cut off there, and brought to disk.
#[derive(Debug)]
pub(crate) struct LineFile {
    name: &'static str,
    /// None if the file has to be opened again.
    log: Option<LogFile>,
    /// The size up to which the content is known to be on disk, in bytes.
    durable: u64,
}

impl LineFile {
    /// Opens a file that has been read, creates it if it does not exist, and repairs its end.
    pub(crate) fn open(
        folder: &Folder,
        name: &'static str,
        size: u64,
        repair: Repair,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let kept = match repair {
            Repair::Truncate(kept) => {
                let kept = u64::try_from(kept).unwrap_or(u64::MAX).min(size);
                let lost = size - kept;
                warnings
                    .push(format!("cut off the last line of `{name}`, which was not complete: {lost} bytes"));
                kept
            }
            Repair::None | Repair::AppendNewline => size,
        };
        let mut file = Self { name, log: None, durable: kept };
        let log = file.ready(folder)?;
        if log.make_private().map_err(|error| file_failure("change the permissions of", name, &error))? {
            warnings.push(format!("`{name}` was accessible to other users: its mode is 600 now"));
        }
        if repair == Repair::AppendNewline {
            file.append(folder, b"\n")?;
            file.sync()?;
        }
        Ok(file)
    }

    /// Returns the size in bytes, of what is appended and not taken back.
    pub(crate) fn size(&self) -> u64 {
        self.log.as_ref().map_or(self.durable, LogFile::size)
    }

    /// Appends lines: all of them, or none if this fails.
    pub(crate) fn append(&mut self, folder: &Folder, lines: &[u8]) -> Result<(), Failure> {
        let name = self.name;
        self.ready(folder)?.append(lines).map_err(|error| file_failure("append to", name, &error))
    }

    /// Waits until everything that was appended is on disk. If this fails, everything since the last success is taken
    /// back.
    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        let Some(log) = &self.log else { return Ok(()) };
        match log.sync() {
            Ok(()) => self.durable = log.size(),
            Err(error) => {
                if let Some(mut log) = self.log.take() {
                    // If this fails too, the file is cut off when it is opened again.
                    let _ = log.truncate(self.durable);
                }
                return Err(file_failure("write", self.name, &error));
            }
        }
        Ok(())
    }

    /// Replaces the file atomically. Everything that was appended before is on disk.
    ///
    /// If this fails, the file has the old or the new content, and both are durable before something is appended.
    pub(crate) fn replace(&mut self, folder: &Folder, lines: &[u8]) -> Result<(), Failure> {
        self.log = None;
        let replaced = folder.replace(self.name, lines, Expected::Any);
        let is_new = match &replaced {
            Ok(()) => true,
            Err(error) => error.kind() == Some(FileErrorKind::Unconfirmed),
        };
        if is_new {
            self.durable = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        }
        replaced.map_err(crate::folder::ReplaceError::into_failure)
    }

    /// Closes the file, because it is moved. What was appended is on disk.
    pub(crate) fn close(&mut self) {
        self.log = None;
    }

    /// Begins an empty file, because this one was moved.
    pub(crate) fn begin_empty(&mut self) {
        self.log = None;
        self.durable = 0;
    }

    /// Opens the file again if that is necessary.
    fn ready(&mut self, folder: &Folder) -> Result<&mut LogFile, Failure> {
        let log = match self.log.take() {
            Some(log) => log,
            None => self.reopen(folder)?,
        };
        Ok(self.log.insert(log))
    }

    /// Opens the file, cuts off what was taken back, and brings the rest and the name to disk: an earlier process may
    /// have ended in between.
    fn reopen(&self, folder: &Folder) -> Result<LogFile, Failure> {
        let failed = |error| file_failure("write", self.name, &error);
        let mut log = folder.view().open_log(&path_of(self.name)?).map_err(storage)?;
        if log.size() < self.durable {
            return Err(storage(format!("`{}` was truncated by another program", self.name)));
        }
        if log.size() > self.durable {
            log.truncate(self.durable).map_err(failed)?;
        }
        log.sync().map_err(failed)?;
        folder.sync_names()?;
        Ok(log)
    }
}

/// Returns records as lines.
pub(crate) fn to_lines<'r, T: Serialize + 'r>(
    records: impl IntoIterator<Item = &'r T>,
) -> Result<Vec<u8>, Failure> {
    let mut lines = Vec::new();
    for record in records {
        serde_json::to_writer(&mut lines, record).map_err(storage)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
