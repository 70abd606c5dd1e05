//! What an agent is told: shown, and changed.

mod agent;
mod file;

use std::fmt;
use std::path::Path;

use minds_document::{ContentHash, Expected, FileMode, Snapshot, SnapshotEntry};
use minds_fleet::prompt::{self, TOOLBOX, Violation};
use minds_fleet::tools::{BUILTIN, Denial, Descriptor, ToolName};
use minds_fleet::{AgentEntry, FleetFamily, Prompt};
use minds_paths::Location;
use minds_system::Root;

use crate::OperationError;
use crate::diff::unified_diff;
use crate::fleet::{Stack, unknown_agent};

/// What is said of tools that a list which cannot be read may give or withhold.
pub const UNKNOWN_TOOLS: &str =
    "not all lists of tools can be read, so it is not known which tools the agent has; see `minds check`";

/// The prompt of an agent, to be shown and changed.
#[derive(Debug)]
pub struct Prompting {
    stack: Stack,
    family: FleetFamily,
    agent: String,
}

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The text.
    pub text: String,
    /// Whether the tools in it are those of the agent: a list that cannot be read withholds them.
    pub has_all_tools: bool,
}

/// The overlay of an agent, to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay<'p> {
    /// The file; one of another layer with the name of the mount before it.
    pub file: String,
    /// The name of the file alone.
    pub name: String,
    /// The text; empty if there is no file yet.
    pub text: &'p str,
}

/// Why a prompt stays as it is, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptRefusal {
    violation: Violation,
    old: String,
    new: String,
}

impl PromptRefusal {
    /// Returns the stable code of the refusal; none where the text could not be taken anyway.
    pub fn code(&self) -> Option<&'static str> {
        self.violation.code().map(minds_fleet::ErrorCode::as_str)
    }
}

impl fmt::Display for PromptRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.violation.describe(&self.old, &self.new))
    }
}

impl std::error::Error for PromptRefusal {}

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
    /// Fails if `base` does not exist, a layer cannot be opened, there is no such agent, none is named where there are
    /// several, or what cannot be read may say that another one is meant.
    pub fn open(base: &Path, agent: Option<&str>) -> Result<Self, OperationError> {
        let stack = Stack::open(base)?;
        let family = FleetFamily::load(&stack.snapshot).value;
        let agent = agent::find(&stack, &family, agent)?;
        Ok(Self { stack, family, agent })
    }

    /// Returns what the agent is told: base, overlay and tools.
    ///
    /// # Errors
    ///
    /// Fails if a text that the agent names is not there or cannot be read.
    pub fn effective(&self) -> Result<Told, OperationError> {
        let base = self.base()?.ok_or_else(|| self.lacks("base"))?;
        let overlay = self.overlay()?;
        for (part, file) in [("base", Some(&base)), ("overlay", overlay.as_ref())] {
            if let Some(file) = file.filter(|file| !file.is_there) {
                let place = &file.location;
                return Err(unusable(&format!("the {part} of the prompt, `{place}`, is not there")));
            }
        }
        let overlay = overlay.as_ref().map_or("", |overlay| overlay.text);
        let (tools, has_all_tools) = self.tools()?;
        Ok(Told { text: prompt::effective(base.text, overlay, tools), has_all_tools })
    }

    /// Returns the overlay as it is.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, or it cannot be read.
    pub fn overlay_text(&self) -> Result<Overlay<'_>, OperationError> {
        let overlay = self.needed_overlay()?;
        let name = overlay.location.path.file_name().unwrap_or("overlay.md").to_owned();
        Ok(Overlay { file: overlay.location.to_string(), name, text: overlay.text })
    }

    /// Adds a line to the overlay as it is by then, outside of protected blocks.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, it cannot be read or written, or others change it again and again. A line that
    /// cannot be added is none of these.
    pub fn append(&self, line: &str) -> Result<Result<Saved, PromptRefusal>, OperationError> {
        let place = self.needed_overlay()?.location;
        let appended = file::rewrite(self.root(&place)?, &place, |text| prompt::append(text, line))?;
        Ok(match appended {
            Ok(_) => Ok(Saved { file: place.to_string(), is_changed: true }),
            Err(violation) => Err(refusal(violation, &place, "")),
        })
    }

    /// Replaces the overlay by what somebody made of it, if it is still what was opened. Protected blocks must be as they
    /// were. `name` is what the new text is called in messages.
    ///
    /// # Errors
    ///
    /// Fails if the agent has no overlay, it changed since, or it cannot be written. An edit that touches a protected block
    /// is no error.
    pub fn save_overlay(
        &self,
        text: &str,
        name: &str,
    ) -> Result<Result<Saved, PromptRefusal>, OperationError> {
        let overlay = self.needed_overlay()?;
        match prompt::validate_edit(overlay.text, text) {
            Ok(edited) => self.save(&overlay, &edited.text).map(Ok),
            Err(violation) => Ok(Err(refusal(violation, &overlay.location, name))),
        }
    }

    /// Brings the generated block up to date where the prompt has it, or at the end of the overlay; without `write` it is
    /// only said what would change.
    ///
    /// # Errors
    ///
    /// Fails as [`append`](Self::append) does, and if a list that cannot be read may say which tools the agent has.
    pub fn refresh_toolbox(&self, write: bool) -> Result<Result<Refreshing, PromptRefusal>, OperationError> {
        let in_base =
            self.base()?.filter(|base| prompt::Blocks::find(base.text).with_name(TOOLBOX).next().is_some());
        let text = match in_base {
            Some(base) => base,
            None => self.needed_overlay()?,
        };
        let (tools, true) = self.tools()? else { return Err(unusable(UNKNOWN_TOOLS)) };
        let refresh =
            |text: &str| prompt::refresh(text, tools.iter().copied()).map(|refreshed| refreshed.text);
        let refreshed = if write {
            file::rewrite(self.root(&text.location)?, &text.location, refresh)?
        } else {
            let before = text.is_there.then(|| text.text.to_owned());
            refresh(text.text).map(|after| file::Rewritten { before, after })
        };
        let file = text.location.to_string();
        Ok(match refreshed {
            Err(violation) => Err(refusal(violation, &text.location, "")),
            Ok(refreshed) if refreshed.before.as_ref() == Some(&refreshed.after) => {
                Ok(Refreshing { file, diff: String::new() })
            }
            Ok(refreshed) => {
                let diff = unified_diff(&file, refreshed.before.as_deref(), &refreshed.after);
                Ok(Refreshing { file, diff })
            }
        })
    }

    /// Returns the built-in tools that the agent has, and whether it is known of all others that it does not have them.
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

    fn needed_overlay(&self) -> Result<PromptFile<'_>, OperationError> {
        self.overlay()?.ok_or_else(|| self.lacks("overlay"))
    }

    /// Returns what to say where the agent names no such file.
    fn lacks(&self, part: &str) -> OperationError {
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
            "the agent has no {part}; {first}add `{part}: system_{part}.md` below `prompt` of its `agent.yaml`"
        ))
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
        let Some(files) = agent.prompt.as_given() else { return Ok(None) };
        let field = get(&files.value);
        if field.is_unreadable() {
            return Err(unreadable());
        }
        let Some(path) = field.as_given() else { return Ok(None) };
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
        let is_changed = text.text != new;
        if is_changed {
            let (expected, mode) = before(&self.stack.snapshot, text);
            file::write(self.root(&text.location)?, &text.location, new, expected, mode)?;
        }
        Ok(Saved { file: text.location.to_string(), is_changed })
    }

    fn root(&self, location: &Location) -> Result<&Root, OperationError> {
        let found = self.stack.roots.iter().find(|(mount, _)| *mount == location.mount);
        found.map(|(_, root)| root).ok_or_else(|| unusable(&format!("`{location}` is in no open layer")))
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

fn refusal(violation: Violation, old: &Location, new: &str) -> PromptRefusal {
    PromptRefusal { violation, old: old.to_string(), new: new.to_owned() }
}

fn unusable(reason: &str) -> OperationError {
    OperationError::UnusablePrompt { reason: reason.to_owned() }
}
