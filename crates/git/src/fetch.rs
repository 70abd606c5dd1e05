//! Fetching one commit of a repository.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_process::{Listener, run_program};

use crate::error::{GitError, GitErrorKind};
use crate::object_id::ObjectId;
use crate::program::{Git, LOCAL_TIME, append_errors, finish, read_output};
use crate::progress::{Progress, ProgressReader};
use crate::remote::RemoteUrl;
use crate::revision::Revision;

/// The ref of the fetched commit in the local repository.
const PIN: &str = "refs/minds/pin";
/// The maximum size of the list of branches and tags in bytes.
const MAX_NAMES: usize = 32 << 20;

/// A fetch to be made.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// The remote repository.
    pub remote: RemoteUrl,
    /// The requested revision.
    pub revision: Revision,
    /// The absolute path of the bare repository to be created, which must not exist. After a failure, the
    /// caller removes what was created.
    pub into: PathBuf,
    /// A commit that is available locally: if it is the requested one, nothing is fetched or created.
    pub known: Option<ObjectId>,
}

/// The limits of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// The timeout of each connection to the remote.
    pub time: Duration,
    /// The maximum size of the received objects in bytes.
    pub max_bytes: u64,
}

impl Default for FetchLimits {
    /// Five minutes and 512 MiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(5), max_bytes: 512 << 20 }
    }
}

/// The result of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchResult {
    /// The commit was fetched into the new repository.
    New(ObjectId),
    /// The known commit is the requested one.
    Unchanged(ObjectId),
}

impl FetchResult {
    /// Returns the commit.
    pub fn commit(&self) -> &ObjectId {
        match self {
            Self::New(commit) | Self::Unchanged(commit) => commit,
        }
    }
}

/// The hash function of a repository. Both sides of a fetch must use the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// Returns the format of an id; nearly all repositories use SHA-1.
    fn of(id: Option<&ObjectId>) -> Self {
        const SHA256_DIGITS: usize = 64;
        let is_long = id.is_some_and(|id| id.as_str().len() == SHA256_DIGITS);
        if is_long { Self::Sha256 } else { Self::Sha1 }
    }

    const fn other(self) -> Self {
        match self {
            Self::Sha1 => Self::Sha256,
            Self::Sha256 => Self::Sha1,
        }
    }

    /// Returns the option of `git init`.
    const fn option(self) -> &'static str {
        match self {
            Self::Sha1 => "--object-format=sha1",
            Self::Sha256 => "--object-format=sha256",
        }
    }
}

/// A branch or a tag of a repository.
struct Advertised {
    name: String,
    commit: ObjectId,
}

impl Git {
    /// Fetches one commit, without its history, into a new bare repository, and reports the progress.
    ///
    /// The new repository uses the object format of the remote, SHA-1 or SHA-256. Each fetch is independent
    /// of earlier ones, so a rewritten history does not matter. Everything is fetched only for an abbreviated
    /// id, or if the remote does not serve commits by id.
    ///
    /// # Errors
    ///
    /// Fails if the revision is not valid or not found, or cannot be fetched within the limits.
    pub fn fetch(
        &self,
        request: &FetchRequest,
        limits: FetchLimits,
        report: &mut dyn FnMut(Progress),
    ) -> Result<FetchResult, GitError> {
        let FetchRequest { remote, revision, into, known } = request;
        revision.check()?;
        let full_id = revision.full_id();
        if let Some(known) = known {
            let is_wanted = match &full_id {
                Some(id) => id == known,
                None => self
                    .find_advertised(remote, revision, limits.time)?
                    .is_some_and(|found| found.commit == *known),
            };
            if is_wanted {
                return Ok(FetchResult::Unchanged(known.clone()));
            }
        }
        let source = match revision {
            Revision::Default => Some("HEAD".to_owned()),
            Revision::Branch(name) => Some(format!("refs/heads/{name}")),
            Revision::Tag(name) => Some(format!("refs/tags/{name}")),
            Revision::Name(_) if full_id.is_some() => full_id.as_ref().map(ToString::to_string),
            Revision::Name(_) => self.find_advertised(remote, revision, limits.time)?.map(|found| found.name),
        };
        let format = ObjectFormat::of(full_id.as_ref());
        self.make_bare(into, format)?;
        match self.fetch_source(request, source.as_deref(), limits, report) {
            Err(error) if *error.kind() == GitErrorKind::ObjectFormat => {
                // Asking for the format first would add a connection to every fetch.
                fs::remove_dir_all(into)?;
                self.make_bare(into, format.other())?;
                self.fetch_source(request, source.as_deref(), limits, report)
            }
            fetched => fetched,
        }
    }

    /// Fetches a ref of the remote, or a commit by its id.
    fn fetch_source(
        &self,
        request: &FetchRequest,
        source: Option<&str>,
        limits: FetchLimits,
        report: &mut dyn FnMut(Progress),
    ) -> Result<FetchResult, GitError> {
        let Some(source) = source else {
            return self.fetch_by_id(request, limits, report);
        };
        let is_id = request.revision.full_id().is_some();
        let refspec = format!("+{source}:{PIN}");
        match self.fetch_objects(request, &["--depth=1"], &[&refspec], limits, report) {
            Err(error) if is_id && *error.kind() == GitErrorKind::NoRevision => {
                self.fetch_by_id(request, limits, report)
            }
            Err(error) => Err(error),
            Ok(()) => self.commit_of(&request.into, PIN).map(FetchResult::New),
        }
    }

    /// Returns the current commit of a branch, a tag, or the default branch of a repository, without fetching
    /// it.
    ///
    /// # Errors
    ///
    /// Fails if the revision is not found, or the remote cannot be reached. Abbreviated ids are not found.
    pub fn remote_commit(
        &self,
        remote: &RemoteUrl,
        revision: &Revision,
        time: Duration,
    ) -> Result<ObjectId, GitError> {
        revision.check()?;
        if let Some(id) = revision.full_id() {
            return Ok(id);
        }
        let found = self.find_advertised(remote, revision, time)?;
        found.map(|found| found.commit).ok_or_else(|| GitError::new(GitErrorKind::NoRevision))
    }

    /// Fetches all branches and tags to find a commit by its id.
    fn fetch_by_id(
        &self,
        request: &FetchRequest,
        limits: FetchLimits,
        report: &mut dyn FnMut(Progress),
    ) -> Result<FetchResult, GitError> {
        let Revision::Name(name) = &request.revision else {
            return Err(GitError::new(GitErrorKind::NoRevision));
        };
        if !request.revision.may_be_short_id() {
            return Err(GitError::new(GitErrorKind::NoRevision));
        }
        let all = ["+refs/heads/*:refs/minds/heads/*", "+refs/tags/*:refs/minds/tags/*"];
        self.fetch_objects(request, &[], &all, limits, report)?;
        self.commit_of(&request.into, name).map(FetchResult::New)
    }

    /// Asks the remote for the commit of a branch or a tag.
    fn find_advertised(
        &self,
        remote: &RemoteUrl,
        revision: &Revision,
        time: Duration,
    ) -> Result<Option<Advertised>, GitError> {
        // If a branch and a tag have the same name, git prefers the tag.
        let names = match revision {
            Revision::Default => vec!["HEAD".to_owned()],
            Revision::Branch(name) => vec![format!("refs/heads/{name}")],
            Revision::Tag(name) => vec![format!("refs/tags/{name}")],
            Revision::Name(name) if Revision::is_full_ref(name) => vec![name.clone()],
            Revision::Name(name) => vec![format!("refs/tags/{name}"), format!("refs/heads/{name}")],
        };
        let mut command = self.command(Some(remote.protocol()));
        command.args(["ls-remote", "--quiet", "--", remote.as_str()]);
        for name in &names {
            // The commit of an annotated tag is on a line of its own.
            command.args([name.clone(), format!("{name}^{{}}")]);
        }
        let output = read_output(command, &[], MAX_NAMES, time)?;
        let text = String::from_utf8_lossy(&output);
        let lines: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let id_of = |wanted: &str| lines.iter().find(|(_, name)| *name == wanted).map(|(id, _)| *id);
        for name in names {
            if let Some(id) = id_of(&format!("{name}^{{}}")).or_else(|| id_of(&name)) {
                let commit = ObjectId::parse(id).map_err(|_| GitError::new(GitErrorKind::Unexpected))?;
                return Ok(Some(Advertised { name, commit }));
            }
        }
        Ok(None)
    }

    fn make_bare(&self, into: &Path, format: ObjectFormat) -> Result<(), GitError> {
        let mut command = self.command(None);
        command.args(["init", "--quiet", "--bare", "--template=", format.option(), "--"]).arg(into);
        read_output(command, &[], 1 << 16, LOCAL_TIME).map(|_| ())
    }

    fn fetch_objects(
        &self,
        request: &FetchRequest,
        options: &[&str],
        refspecs: &[&str],
        limits: FetchLimits,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(), GitError> {
        let mut command = self.command_in(&request.into, Some(request.remote.protocol()));
        command.args([
            "fetch",
            "--progress",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
        ]);
        command.args(["--no-auto-maintenance", "--force"]).args(options);
        command.args(["--", request.remote.as_str()]).args(refspecs);
        let mut listener = FetchListener {
            packs: request.into.join("objects/pack"),
            max_bytes: limits.max_bytes,
            errors: Vec::new(),
            reader: ProgressReader::default(),
            report,
        };
        let end = run_program(command, &[], limits.time, &mut listener)?;
        let exceeds_limit = listener.exceeds_limit();
        let errors = listener.errors;
        let too_large = || GitErrorKind::TooLarge(format!("{} MiB", limits.max_bytes >> 20));
        finish(end, limits.time, &errors, too_large)?;
        // The fetch may have finished before the next size check.
        if exceeds_limit { Err(GitError::new(too_large())) } else { Ok(()) }
    }

    /// Returns the commit of a local ref, or of hexadecimal digits, in a local repository.
    fn commit_of(&self, repository: &Path, name: &str) -> Result<ObjectId, GitError> {
        let mut command = self.command_in(repository, None);
        command.args(["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
        let output = read_output(command, &[], 1 << 12, LOCAL_TIME)?;
        let text = String::from_utf8_lossy(&output);
        ObjectId::parse(text.trim()).map_err(|_| GitError::new(GitErrorKind::Unexpected))
    }
}

/// Reports the progress of a fetch, and stops a fetch that exceeds the size limit.
struct FetchListener<'r> {
    packs: PathBuf,
    max_bytes: u64,
    errors: Vec<u8>,
    reader: ProgressReader,
    report: &'r mut dyn FnMut(Progress),
}

impl FetchListener<'_> {
    fn exceeds_limit(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.packs) else { return false };
        let sizes = entries.flatten().filter_map(|entry| Some(entry.metadata().ok()?.len()));
        sizes.fold(0, u64::saturating_add) > self.max_bytes
    }
}

impl Listener for FetchListener<'_> {
    fn output(&mut self, _: &[u8]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        if let Some(progress) = self.reader.update(bytes) {
            (self.report)(progress);
        }
        append_tail(&mut self.errors, bytes);
        ControlFlow::Continue(())
    }

    fn tick(&mut self) -> ControlFlow<()> {
        if self.exceeds_limit() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Keeps the end of the output: the reason of a failure follows the progress.
fn append_tail(errors: &mut Vec<u8>, bytes: &[u8]) {
    const MAX_BYTES: usize = 1 << 13;
    append_errors(errors, bytes.get(bytes.len().saturating_sub(MAX_BYTES)..).unwrap_or(bytes));
    if errors.len() > MAX_BYTES {
        errors.drain(..errors.len() - MAX_BYTES);
    }
}
