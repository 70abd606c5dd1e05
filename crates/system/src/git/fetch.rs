//! Bringing one commit of a repository here.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{GitError, GitErrorKind};
use super::object_id::ObjectId;
use super::program::{Git, LOCAL_TIME, answer, finish, keep_errors};
use super::progress::{Progress, ProgressReader};
use super::remote::RemoteUrl;
use super::revision::Revision;
use crate::process::{Listener, run};

/// Where the commit that was fetched stands in our repository.
const PIN: &str = "refs/minds/pin";
/// How many bytes the names of branches and tags of a repository may have.
const MAX_NAMES: usize = 32 << 20;

/// What is to be fetched.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// From where.
    pub remote: RemoteUrl,
    /// Which commit.
    pub revision: Revision,
    /// The absolute path of the bare repository that is made for it, where nothing is yet. What is there after a failure is
    /// the caller's to remove.
    pub into: PathBuf,
    /// The commit that is here already: if it is the one that is wanted, nothing is fetched and nothing is made.
    pub known: Option<ObjectId>,
}

/// How much a fetch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// How long each conversation with the other side may last.
    pub time: Duration,
    /// How many bytes the objects may have as they are sent.
    pub most_bytes: u64,
}

impl Default for FetchLimits {
    /// Five minutes and 512 MiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(5), most_bytes: 512 << 20 }
    }
}

/// What came of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// This commit is in the new repository.
    New(ObjectId),
    /// The known commit is the one that is wanted.
    Unchanged(ObjectId),
}

impl Fetched {
    /// Returns the commit.
    pub fn commit(&self) -> &ObjectId {
        match self {
            Self::New(commit) | Self::Unchanged(commit) => commit,
        }
    }
}

/// How a repository names its objects. Both sides of a fetch have to do it alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// Returns the format of an id; nearly all repositories have SHA-1.
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
    /// Fetches one commit, without those before it, into a new bare repository, and tells how far it is.
    ///
    /// It gets the hash by which the other side names its objects, SHA-1 or SHA-256. Each fetch begins anew, so it does not matter whether the other side went on, back, or elsewhere. Only for an
    /// abbreviated id, or if the other side does not give out a commit by its id, everything is fetched.
    ///
    /// # Errors
    ///
    /// Fails if the revision is none, is not there, or cannot be had within the limits.
    pub fn fetch(
        &self,
        request: &FetchRequest,
        limits: FetchLimits,
        hear: &mut dyn FnMut(Progress),
    ) -> Result<Fetched, GitError> {
        let FetchRequest { remote, revision, into, known } = request;
        revision.check()?;
        let full_id = revision.full_id();
        if let Some(known) = known {
            let is_wanted = match &full_id {
                Some(id) => id == known,
                None => self
                    .advertised(remote, revision, limits.time)?
                    .is_some_and(|found| found.commit == *known),
            };
            if is_wanted {
                return Ok(Fetched::Unchanged(known.clone()));
            }
        }
        let source = match revision {
            Revision::Default => Some("HEAD".to_owned()),
            Revision::Branch(name) => Some(format!("refs/heads/{name}")),
            Revision::Tag(name) => Some(format!("refs/tags/{name}")),
            Revision::Name(_) if full_id.is_some() => full_id.as_ref().map(ToString::to_string),
            Revision::Name(_) => self.advertised(remote, revision, limits.time)?.map(|found| found.name),
        };
        let format = ObjectFormat::of(full_id.as_ref());
        self.make_bare(into, format)?;
        match self.fetch_source(request, source.as_deref(), limits, hear) {
            Err(error) if *error.kind() == GitErrorKind::ObjectFormat => {
                // Asking beforehand would be one conversation more for each of the others.
                fs::remove_dir_all(into)?;
                self.make_bare(into, format.other())?;
                self.fetch_source(request, source.as_deref(), limits, hear)
            }
            fetched => fetched,
        }
    }

    /// Fetches what has a name on the other side, or else a commit by its id.
    fn fetch_source(
        &self,
        request: &FetchRequest,
        source: Option<&str>,
        limits: FetchLimits,
        hear: &mut dyn FnMut(Progress),
    ) -> Result<Fetched, GitError> {
        let Some(source) = source else {
            return self.fetch_by_id(request, limits, hear);
        };
        let is_id = request.revision.full_id().is_some();
        let refspec = format!("+{source}:{PIN}");
        match self.fetch_objects(request, &["--depth=1"], &[&refspec], limits, hear) {
            Err(error) if is_id && *error.kind() == GitErrorKind::NoRevision => {
                self.fetch_by_id(request, limits, hear)
            }
            Err(error) => Err(error),
            Ok(()) => self.commit_of(&request.into, PIN).map(Fetched::New),
        }
    }

    /// Returns the commit that a branch, a tag, or the default branch of a repository has now, without fetching it.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or the other side cannot be asked. For an abbreviated id, none can be told so.
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
        let found = self.advertised(remote, revision, time)?;
        found.map(|found| found.commit).ok_or_else(|| GitError::new(GitErrorKind::NoRevision))
    }

    /// Fetches all branches and tags to find a commit by its id.
    fn fetch_by_id(
        &self,
        request: &FetchRequest,
        limits: FetchLimits,
        hear: &mut dyn FnMut(Progress),
    ) -> Result<Fetched, GitError> {
        let Revision::Name(name) = &request.revision else {
            return Err(GitError::new(GitErrorKind::NoRevision));
        };
        if !request.revision.may_be_short_id() {
            return Err(GitError::new(GitErrorKind::NoRevision));
        }
        let all = ["+refs/heads/*:refs/minds/heads/*", "+refs/tags/*:refs/minds/tags/*"];
        self.fetch_objects(request, &[], &all, limits, hear)?;
        self.commit_of(&request.into, name).map(Fetched::New)
    }

    /// Asks which commit a branch or a tag has.
    fn advertised(
        &self,
        remote: &RemoteUrl,
        revision: &Revision,
        time: Duration,
    ) -> Result<Option<Advertised>, GitError> {
        // Where two have the name, git takes the tag.
        let names = match revision {
            Revision::Default => vec!["HEAD".to_owned()],
            Revision::Branch(name) => vec![format!("refs/heads/{name}")],
            Revision::Tag(name) => vec![format!("refs/tags/{name}")],
            Revision::Name(name) if Revision::is_whole(name) => vec![name.clone()],
            Revision::Name(name) => vec![format!("refs/tags/{name}"), format!("refs/heads/{name}")],
        };
        let mut command = self.command(Some(remote.protocol()));
        command.args(["ls-remote", "--quiet", "--", remote.as_str()]);
        for name in &names {
            // What an annotated tag is a tag of has a line of its own.
            command.args([name.clone(), format!("{name}^{{}}")]);
        }
        let answer = answer(command, &[], MAX_NAMES, time)?;
        let text = String::from_utf8_lossy(&answer);
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
        answer(command, &[], 1 << 16, LOCAL_TIME).map(|_| ())
    }

    fn fetch_objects(
        &self,
        request: &FetchRequest,
        options: &[&str],
        refspecs: &[&str],
        limits: FetchLimits,
        hear: &mut dyn FnMut(Progress),
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
            most_bytes: limits.most_bytes,
            errors: Vec::new(),
            reader: ProgressReader::default(),
            hear,
        };
        let end = run(command, &[], limits.time, &mut listener)?;
        let is_over = listener.is_too_much();
        let errors = listener.errors;
        let too_large = || GitErrorKind::TooLarge(format!("{} MiB", limits.most_bytes >> 20));
        finish(end, limits.time, &errors, too_large)?;
        // It may have been quicker than the last look.
        if is_over { Err(GitError::new(too_large())) } else { Ok(()) }
    }

    /// Returns the commit that a name of our choice, or hexadecimal digits, stand for in a repository of ours.
    fn commit_of(&self, repository: &Path, name: &str) -> Result<ObjectId, GitError> {
        let mut command = self.command_in(repository, None);
        command.args(["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
        let answer = answer(command, &[], 1 << 12, LOCAL_TIME)?;
        let text = String::from_utf8_lossy(&answer);
        ObjectId::parse(text.trim()).map_err(|_| GitError::new(GitErrorKind::Unexpected))
    }
}

/// Hears how far a fetch is, and ends one that brings too much.
struct FetchListener<'h> {
    packs: PathBuf,
    most_bytes: u64,
    errors: Vec<u8>,
    reader: ProgressReader,
    hear: &'h mut dyn FnMut(Progress),
}

impl FetchListener<'_> {
    fn is_too_much(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.packs) else { return false };
        let sizes = entries.flatten().filter_map(|entry| Some(entry.metadata().ok()?.len()));
        sizes.fold(0, u64::saturating_add) > self.most_bytes
    }
}

impl Listener for FetchListener<'_> {
    fn output(&mut self, _: &[u8]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        if let Some(progress) = self.reader.take(bytes) {
            (self.hear)(progress);
        }
        keep_last(&mut self.errors, bytes);
        ControlFlow::Continue(())
    }

    fn tick(&mut self) -> ControlFlow<()> {
        if self.is_too_much() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Keeps the end of what is printed: behind all progress it says why it failed.
fn keep_last(kept: &mut Vec<u8>, bytes: &[u8]) {
    const MOST: usize = 1 << 13;
    keep_errors(kept, bytes.get(bytes.len().saturating_sub(MOST)..).unwrap_or(bytes));
    if kept.len() > MOST {
        kept.drain(..kept.len() - MOST);
    }
}
