//! What an agent is told: shown, and changed.

use std::path::Path;

use minds_document::{ContentHash, Expected, FileMode, Snapshot, SnapshotEntry};
use minds_fleet::prompt::{self, TOOLBOX, Violation};
use minds_fleet::{AgentEntry, FleetFamily, Prompt};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{Root, SystemError, current_directory};

use crate::OperationError;
use crate::diff::unified_diff;
use crate::fleet::{Stack, unknown_agent};

pub use minds_fleet::prompt::MAX_PROMPT_BYTES;

/// The prompt of an agent, to be shown and changed.
#[derive(Debug)]
pub struct Prompting {
    stack: Stack,
    family: FleetFamily,
    agent: String,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The file; one of another layer with the name of the mount before it.
    pub file: String,
    /// Whether it was written; otherwise it said the same already.
    pub is_changed: bool,
}

/// What became of the generated block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refreshing {
    /// The file with the block.
    pub file: String,
    /// The change as a unified diff; empty if the block is up to date.
    pub diff: String,
}

/// A file of a prompt, and its text; empty if it is not there yet.
struct PromptFile<'p> {
    location: Location,
    text: &'p str,
    is_there: bool,
}

impl Prompting {
    /// Opens the prompt of the agent with a name, in the fleet of the workspace at or above `base`; without a name that of
    /// the agent which `defaults/agent` of the highest layer names, else that of the only one.
    ///
    /// # Errors
    ///
    /// Fails if `base` does not exist, a layer cannot be opened, there is no such agent, or none is named where there are
    /// several.
    pub fn open(base: &Path, agent: Option<&str>) -> Result<Self, OperationError> {
        let stack = Stack::open(base)?;
        let family = FleetFamily::load(&stack.snapshot).value;
        let names: Vec<String> = family.agents().into_keys().map(str::to_owned).collect();
        let agent = match agent {
            Some(agent) => agent.to_owned(),
            None => default_agent(&family, &names)?,
        };
        if !names.contains(&agent) {
            return Err(unknown_agent(&agent, names.iter().map(String::as_str)));
        }
        refuse_uncertain(&family, &agent)?;
        Ok(Self { stack, family, agent })
    }

    /// Returns what the agent is told: base, overlay and tools.
    ///
    /// # Errors
    ///
    /// Fails if a text that the agent names is not there or cannot be read.
    pub fn effective(&self) -> Result<String, OperationError> {
        let entry = self.entry()?;
        let lacks = || {
            unusable("the agent has no base; add `base: system_base.md` below `prompt` of its `agent.yaml`")
        };
        let base = self.base()?.ok_or_else(lacks)?;
        if !base.is_there {
            return Err(unusable(&format!("the base of the prompt, `{}`, is not there", base.location)));
        }
        let overlay = self.overlay()?;
        let overlay = overlay.as_ref().map_or("", |overlay| overlay.text);
        Ok(prompt::effective(base.text, overlay, self.family.descriptors_of(entry)))
    }

    /// Returns the overlay as it is, and the name of its file.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, or it cannot be read.
    pub fn overlay_text(&self) -> Result<(&str, String), OperationError> {
        let overlay = self.needed_overlay()?;
        let name = overlay.location.path.file_name().unwrap_or("overlay.md").to_owned();
        Ok((overlay.text, name))
    }

    /// Adds a line to the overlay, outside of protected blocks.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, it cannot be read, it changed meanwhile, or it cannot be written. A line that
    /// cannot be added is none of these.
    pub fn append(&self, line: &str) -> Result<Result<Saved, Violation>, OperationError> {
        let overlay = self.needed_overlay()?;
        match prompt::append(overlay.text, line) {
            Ok(text) => self.save(&overlay, &text).map(Ok),
            Err(violation) => Ok(Err(violation)),
        }
    }

    /// Replaces the overlay by what somebody made of it. Protected blocks must be as they were.
    ///
    /// # Errors
    ///
    /// Fails as [`append`](Self::append) does. An edit that touches a protected block is no error.
    pub fn save_overlay(&self, text: &str) -> Result<Result<Saved, Violation>, OperationError> {
        let overlay = self.needed_overlay()?;
        match prompt::validate_edit(overlay.text, text) {
            Ok(edited) => self.save(&overlay, &edited.text).map(Ok),
            Err(violation) => Ok(Err(violation)),
        }
    }

    /// Brings the generated block up to date where the prompt has it, or at the end of the overlay; without `write` it is
    /// only said what would change.
    ///
    /// # Errors
    ///
    /// Fails as [`append`](Self::append) does.
    pub fn refresh_toolbox(&self, write: bool) -> Result<Result<Refreshing, Violation>, OperationError> {
        let tools = self.family.descriptors_of(self.entry()?);
        let in_base =
            self.base()?.filter(|base| prompt::Blocks::find(base.text).named(TOOLBOX).next().is_some());
        let text = match in_base {
            Some(base) => base,
            None => self.needed_overlay()?,
        };
        let refreshed = match prompt::refresh(text.text, tools) {
            Ok(refreshed) => refreshed,
            Err(violation) => return Ok(Err(violation)),
        };
        let file = text.location.to_string();
        let before = text.is_there.then_some(text.text);
        let diff =
            if refreshed.is_changed { unified_diff(&file, before, &refreshed.text) } else { String::new() };
        if write {
            self.save(&text, &refreshed.text)?;
        }
        Ok(Ok(Refreshing { file, diff }))
    }

    fn entry(&self) -> Result<&AgentEntry, OperationError> {
        let agents = self.family.agents();
        agents
            .get(self.agent.as_str())
            .map(|(_, entry)| *entry)
            .ok_or_else(|| unknown_agent(&self.agent, std::iter::empty()))
    }

    fn needed_overlay(&self) -> Result<PromptFile<'_>, OperationError> {
        let lacks = || {
            unusable(
                "the agent has no overlay; add `overlay: system_overlay.md` below `prompt` of its `agent.yaml`",
            )
        };
        self.overlay()?.ok_or_else(lacks)
    }

    fn base(&self) -> Result<Option<PromptFile<'_>>, OperationError> {
        self.text(|files| &files.base)
    }

    fn overlay(&self) -> Result<Option<PromptFile<'_>>, OperationError> {
        self.text(|files| &files.overlay)
    }

    /// Returns a text that the agent names; none if it names none.
    fn text(
        &self,
        get: fn(&minds_fleet::model::PromptFiles) -> &minds_document::Field<minds_fleet::model::PromptPath>,
    ) -> Result<Option<PromptFile<'_>>, OperationError> {
        let entry = self.entry()?;
        let unreadable = || unusable("`agent.yaml` cannot be read; see `minds check`");
        let agent = entry.content().ok_or_else(unreadable)?;
        if agent.prompt.is_unreadable() {
            return Err(unreadable());
        }
        let Some(files) = agent.prompt.given() else { return Ok(None) };
        let field = get(&files.value);
        if field.is_unreadable() {
            return Err(unreadable());
        }
        let Some(path) = field.given() else { return Ok(None) };
        let location = entry.prompt_location(&path.value);
        let (text, is_there) = match entry.prompt_at(&location) {
            Prompt::Text(source) => (source.text().unwrap_or_default(), true),
            Prompt::Missing => ("", false),
            Prompt::Unreadable => {
                return Err(unusable(&format!("`{location}` cannot be read; see `minds check`")));
            }
        };
        Ok(Some(PromptFile { location, text, is_there }))
    }

    /// Writes a file of a prompt if it says something else now.
    fn save(&self, text: &PromptFile<'_>, new: &str) -> Result<Saved, OperationError> {
        let is_changed = !text.is_there || text.text != new;
        if is_changed {
            let (expected, mode) = before(&self.stack.snapshot, text);
            let root = self.root(&text.location)?;
            root.resolving().replace(&text.location.path, new.as_bytes(), mode, expected)?;
        }
        Ok(Saved { file: text.location.to_string(), is_changed })
    }

    fn root(&self, location: &Location) -> Result<&Root, OperationError> {
        let found = self.stack.roots.iter().find(|(mount, _)| *mount == location.mount);
        found.map(|(_, root)| root).ok_or_else(|| unusable(&format!("`{location}` is in no open layer")))
    }
}

/// Refuses an agent that one of a layer which cannot be read whole may hide: it would be another one that is told or
/// changed something.
fn refuse_uncertain(family: &FleetFamily, agent: &str) -> Result<(), OperationError> {
    let above = family.layers.iter().take_while(|layer| !layer.agents.contains_key(agent));
    match above.into_iter().find(|layer| !layer.has_all_agents) {
        None => Ok(()),
        Some(layer) => {
            let mount = match &layer.mount {
                mount if *mount == MountId::WORKSPACE => "the workspace".to_owned(),
                mount => format!("`{}`", mount.as_str()),
            };
            Err(unusable(&format!(
                "not all agents of {mount} can be read, and one of them may be `{agent}`; see `minds check`"
            )))
        }
    }
}

/// How many names of agents a message lists at most.
const MOST_LISTED: usize = 8;

/// Returns the name of the agent that is meant where none is named.
fn default_agent(family: &FleetFamily, names: &[String]) -> Result<String, OperationError> {
    let default = family.layers.iter().find_map(|layer| layer.default_agent.as_ref());
    match (default, names) {
        (Some(default), _) if !default.name.is_empty() => Ok(default.name.clone()),
        (Some(_), _) => Err(unusable("`.ateam/defaults/agent` names no agent; name one with `--agent`")),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(unusable("the fleet has no agent; `minds init --fleet` writes a first one")),
        (None, several) => {
            let mut listed: Vec<String> =
                several.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
            if several.len() > MOST_LISTED {
                listed.push("…".to_owned());
            }
            let listed = listed.join(", ");
            Err(unusable(&format!(
                "there are several agents: {listed}; name one with `--agent`, or in `.ateam/defaults/agent`"
            )))
        }
    }
}

/// Returns what a file must be to be replaced: what was read of it.
fn before(snapshot: &Snapshot, text: &PromptFile<'_>) -> (Expected, FileMode) {
    match snapshot.get(&text.location) {
        Some(SnapshotEntry::File { bytes, mode }) if text.is_there => {
            (Expected::Content(ContentHash::of(bytes)), *mode)
        }
        _ => (Expected::Absent, FileMode::Regular),
    }
}

fn unusable(reason: &str) -> OperationError {
    OperationError::UnusablePrompt { reason: reason.to_owned() }
}

/// Reads a file that was named on the way in, relative to `base`, of at most [`MAX_PROMPT_BYTES`].
///
/// # Errors
///
/// Fails if there is no such file, or it cannot be read.
pub fn read_text_file(base: &Path, file: &Path) -> Result<Vec<u8>, OperationError> {
    let path = current_directory()?.join(base).join(file);
    let missing = || OperationError::NotFound(SystemError::NotFound { path: file.to_owned() });
    let (parent, name) =
        (path.parent().ok_or_else(missing)?, path.file_name().and_then(|name| name.to_str()));
    let root = Root::open(parent, MountId::new("given"))?;
    let name = name.and_then(|name| WorkspacePath::parse(name).ok()).ok_or_else(missing)?;
    let most = u64::try_from(MAX_PROMPT_BYTES).unwrap_or(u64::MAX);
    root.resolving().read(&name, most).map(|read| read.bytes).map_err(|error| {
        let reason = error.kind().to_string();
        OperationError::UnreadableFile { path: file.display().to_string(), reason }
    })
}
