//! Showing and changing the prompts of agents.

mod agent;
mod file;

use std::fmt;
use std::path::Path;

use minds_fleet::prompt::{self, TOOLBOX, Violation};
use minds_fleet::tools::{BUILTIN, Denial, Descriptor, ToolName};
use minds_fleet::{AgentEntry, FleetFamily, Prompt};
use minds_fs::Root;
use minds_vfs::{ContentHash, Expected, FileMode, Location, Snapshot, SnapshotEntry};

use crate::OperationError;
use crate::fleet::{Stack, unknown_agent};
use minds_workspace::unified_diff;

/// The message for tools that an unreadable list may allow or deny.
pub const UNKNOWN_TOOLS: &str =
    "not all tool lists can be read, so the tools of the agent are unknown; run `minds check`";

/// The prompt of an agent.
#[derive(Debug)]
pub struct AgentPrompt {
    stack: Stack,
    family: FleetFamily,
    agent: String,
}

/// The effective prompt of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectivePrompt {
    /// The text.
    pub text: String,
    /// Whether its list of tools is complete. Tools that an unreadable list may deny are left out.
    pub has_all_tools: bool,
}

/// The overlay of an agent, to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay<'p> {
    /// The path of the file, with the name of the mount in front if it is in another layer.
    pub file: String,
    /// The file name.
    pub name: String,
    /// The text; empty if the file does not exist yet.
    pub text: &'p str,
}

/// Why a prompt is not changed, with the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptRefusal {
    violation: Violation,
    old: String,
    new: String,
}

impl PromptRefusal {
    /// Returns the stable code of the refusal, if it has one.
    pub fn code(&self) -> Option<minds_fleet::ErrorCode> {
        self.violation.code()
    }
}

impl fmt::Display for PromptRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.violation.describe(&self.old, &self.new))
    }
}

impl std::error::Error for PromptRefusal {}

/// The result of saving a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFile {
    /// The path of the file, with the name of the mount in front if it is in another layer.
    pub file: String,
    /// Whether the file was written; otherwise its contents were the same already.
    pub is_changed: bool,
}

/// The result of refreshing the generated block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolboxRefresh {
    /// The file with the block.
    pub file: String,
    /// The change as a unified diff; empty if the block is up to date.
    pub diff: String,
}

/// A prompt file and its text, which is empty if the file does not exist yet.
struct PromptFile<'p> {
    location: Location,
    text: &'p str,
    exists: bool,
}

impl AgentPrompt {
    /// Opens the prompt of `agent` in the fleet of the workspace at or above `base`. Without a name, the
    /// default agent in `defaults/agent` of the first layer is used, else the only agent.
    ///
    /// # Errors
    ///
    /// Fails if `base` does not exist, a layer cannot be opened, there is no such agent, no name is given and
    /// there are several agents, or an unreadable file may select another agent.
    pub fn open(base: &Path, agent: Option<&str>) -> Result<Self, OperationError> {
        let stack = Stack::open(base)?;
        let family = FleetFamily::load(&stack.snapshot).value;
        let agent = agent::find(&stack, &family, agent)?;
        Ok(Self { stack, family, agent })
    }

    /// Returns the effective prompt: base, overlay and tools.
    ///
    /// # Errors
    ///
    /// Fails if a prompt file of the agent does not exist or cannot be read.
    pub fn effective(&self) -> Result<EffectivePrompt, OperationError> {
        let base = self.base()?.ok_or_else(|| self.missing_file("base"))?;
        let overlay = self.overlay()?;
        for (part, file) in [("base", Some(&base)), ("overlay", overlay.as_ref())] {
            if let Some(file) = file.filter(|file| !file.exists) {
                let place = &file.location;
                return Err(unusable(&format!("the {part} of the prompt, `{place}`, does not exist")));
            }
        }
        let overlay = overlay.as_ref().map_or("", |overlay| overlay.text);
        let (tools, has_all_tools) = self.tools()?;
        Ok(EffectivePrompt { text: prompt::effective(base.text, overlay, tools), has_all_tools })
    }

    /// Returns the current overlay.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, or it cannot be read.
    pub fn overlay_text(&self) -> Result<Overlay<'_>, OperationError> {
        let overlay = self.require_overlay()?;
        let name = overlay.location.path.file_name().unwrap_or("overlay.md").to_owned();
        Ok(Overlay { file: overlay.location.to_string(), name, text: overlay.text })
    }

    /// Adds a line to the current overlay, outside of protected blocks.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, or it cannot be read or written. A line that cannot be added is a
    /// refusal, not an error.
    pub fn append(&self, line: &str) -> Result<Result<SavedFile, PromptRefusal>, OperationError> {
        let place = self.require_overlay()?.location;
        let appended = file::rewrite(self.root(&place)?, &place, |text| prompt::append(text, line))?;
        Ok(match appended {
            Ok(_) => Ok(SavedFile { file: place.to_string(), is_changed: true }),
            Err(violation) => Err(refusal(violation, &place, "")),
        })
    }

    /// Replaces the overlay with an edited text, if it has not changed since it was opened. Protected blocks
    /// must be unchanged. `name` is the name of the new text in messages.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, it changed since, or it cannot be written. An edit that changes a
    /// protected block is a refusal, not an error.
    pub fn save_overlay(
        &self,
        text: &str,
        name: &str,
    ) -> Result<Result<SavedFile, PromptRefusal>, OperationError> {
        let overlay = self.require_overlay()?;
        match prompt::validate_edit(overlay.text, text) {
            Ok(edited) => self.save(&overlay, &edited.text).map(Ok),
            Err(violation) => Ok(Err(refusal(violation, &overlay.location, name))),
        }
    }

    /// Updates the generated block in the prompt, or adds it at the end of the overlay. Without `write`, only
    /// the change is returned.
    ///
    /// # Errors
    ///
    /// Fails if [`append`](Self::append) would fail, or if a tool list cannot be read.
    pub fn refresh_toolbox(
        &self,
        write: bool,
    ) -> Result<Result<ToolboxRefresh, PromptRefusal>, OperationError> {
        let in_base =
            self.base()?.filter(|base| prompt::Blocks::find(base.text).with_name(TOOLBOX).next().is_some());
        let text = match in_base {
            Some(base) => base,
            None => self.require_overlay()?,
        };
        let (tools, true) = self.tools()? else { return Err(unusable(UNKNOWN_TOOLS)) };
        let refresh =
            |text: &str| prompt::refresh(text, tools.iter().copied()).map(|refreshed| refreshed.text);
        let refreshed = if write {
            file::rewrite(self.root(&text.location)?, &text.location, refresh)?
        } else {
            let before = text.exists.then(|| text.text.to_owned());
            refresh(text.text).map(|after| file::FileChange { before, after })
        };
        let file = text.location.to_string();
        Ok(match refreshed {
            Err(violation) => Err(refusal(violation, &text.location, "")),
            Ok(refreshed) if refreshed.before.as_ref() == Some(&refreshed.after) => {
                Ok(ToolboxRefresh { file, diff: String::new() })
            }
            Ok(refreshed) => {
                let diff = unified_diff(&file, refreshed.before.as_deref(), &refreshed.after);
                Ok(ToolboxRefresh { file, diff })
            }
        })
    }

    /// Returns the built-in tools of the agent, and whether the list is complete.
    fn tools(&self) -> Result<(Vec<&'static Descriptor<'static>>, bool), OperationError> {
        let entry = self.entry()?;
        let verdicts = self.family.tools_of(entry);
        let is_known = |tool: &Descriptor<'_>| {
            let verdict = ToolName::parse(tool.name).ok().and_then(|name| verdicts.get(&name));
            !matches!(verdict, Some(Err(Denial::Unreadable(_))))
        };
        Ok((self.family.descriptors_of(entry), BUILTIN.iter().all(is_known)))
    }

    fn entry(&self) -> Result<&AgentEntry, OperationError> {
        let agents = self.family.agents();
        agents
            .get(self.agent.as_str())
            .map(|(_, entry)| *entry)
            .ok_or_else(|| unknown_agent(&self.agent, std::iter::empty()))
    }

    fn require_overlay(&self) -> Result<PromptFile<'_>, OperationError> {
        self.overlay()?.ok_or_else(|| self.missing_file("overlay"))
    }

    /// Returns the error for an agent without such a file.
    fn missing_file(&self, part: &str) -> OperationError {
        let is_legacy = self.entry().is_ok_and(|entry| entry.is_legacy);
        let first = if is_legacy {
            format!(
                "move `{agent}` from `agents.yaml` to `agents/{agent}/agent.yaml`, and ",
                agent = self.agent
            )
        } else {
            String::new()
        };
        unusable(&format!(
            "the agent has no {part}; {first}add `{part}: system_{part}.md` to `prompt` in its `agent.yaml`"
        ))
    }

    fn base(&self) -> Result<Option<PromptFile<'_>>, OperationError> {
        self.text(|files| &files.base)
    }

    fn overlay(&self) -> Result<Option<PromptFile<'_>>, OperationError> {
        self.text(|files| &files.overlay)
    }

    /// Returns a prompt file of the agent, if it has one.
    fn text(
        &self,
        get: fn(&minds_fleet::model::PromptFiles) -> &minds_document::Field<minds_fleet::model::PromptPath>,
    ) -> Result<Option<PromptFile<'_>>, OperationError> {
        let entry = self.entry()?;
        let unreadable = || unusable("`agent.yaml` cannot be read; run `minds check`");
        let agent = entry.content().ok_or_else(unreadable)?;
        if agent.prompt.is_unreadable() {
            return Err(unreadable());
        }
        let Some(files) = agent.prompt.as_given() else { return Ok(None) };
        let field = get(&files.value);
        if field.is_unreadable() {
            return Err(unreadable());
        }
        let Some(path) = field.as_given() else { return Ok(None) };
        let location = entry.prompt_location(&path.value);
        let (text, exists) = match entry.prompt_at(&location) {
            Prompt::Text(source) => (source.text().unwrap_or_default(), true),
            Prompt::Missing => ("", false),
            Prompt::Unreadable => {
                return Err(unusable(&format!("`{location}` cannot be read; run `minds check`")));
            }
        };
        Ok(Some(PromptFile { location, text, exists }))
    }

    /// Writes a prompt file if its text changed.
    fn save(&self, text: &PromptFile<'_>, new: &str) -> Result<SavedFile, OperationError> {
        let is_changed = text.text != new;
        if is_changed {
            let (expected, mode) = expected_contents(&self.stack.snapshot, text);
            file::write(self.root(&text.location)?, &text.location, new, expected, mode)?;
        }
        Ok(SavedFile { file: text.location.to_string(), is_changed })
    }

    fn root(&self, location: &Location) -> Result<&Root, OperationError> {
        let found = self.stack.roots.iter().find(|(mount, _)| *mount == location.mount);
        found.map(|(_, root)| root).ok_or_else(|| unusable(&format!("`{location}` is not in an open layer")))
    }
}

/// Returns the expected state for replacing a file: its contents as read.
fn expected_contents(snapshot: &Snapshot, text: &PromptFile<'_>) -> (Expected, FileMode) {
    match snapshot.get(&text.location) {
        Some(SnapshotEntry::File { bytes, mode }) if text.exists => {
            (Expected::Content(ContentHash::of(bytes)), *mode)
        }
        _ => (Expected::Absent, FileMode::Regular),
    }
}

fn refusal(violation: Violation, old: &Location, new: &str) -> PromptRefusal {
    PromptRefusal { violation, old: old.to_string(), new: new.to_owned() }
}

fn unusable(reason: &str) -> OperationError {
    OperationError::UnusablePrompt { reason: reason.to_owned() }
}
