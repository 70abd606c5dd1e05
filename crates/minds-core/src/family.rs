//! The files of the family, read.

use minds_diagnostics::{Parsed, Problems, SourceFile};
use minds_document::{Context, Decode, Document, Format, Scope, Snapshot};
use minds_paths::{Location, MountId, WorkspacePath};

use crate::effective::SHADOW_MEMBERS;
use crate::llm::Llm;
use crate::llm::providers::Providers;
use crate::mcp::Mcp;
use crate::mcp::servers::Servers;
use crate::mind_files::{self, MindFolders};
use crate::model::Team;
use crate::settings::{DEFAULT_TASK_HOME, Settings};

/// The file that says who is on the team.
pub const TEAM_FILE: &str = ".minds/team.yaml";
/// The file that adds providers of models.
pub const LLM_FILE: &str = ".minds/llm.yaml";
/// The file that adds MCP servers.
pub const MCP_FILE: &str = ".minds/mcp.yaml";
/// The file that says how `minds` itself works here.
pub const SETTINGS_FILE: &str = ".minds/minds.toml";

/// The directory that holds the files of the family.
const FOLDER: &str = ".minds";

/// Returns what the family reads.
pub fn scope() -> Scope {
    let files = [TEAM_FILE, LLM_FILE, MCP_FILE, SETTINGS_FILE].into_iter().filter_map(location);
    Scope { below: mind_files::below().into_iter().collect(), ..Scope::of_files(files) }
}

/// Returns whether a path in the workspace is that of the directory of the family, or lies in it.
pub fn is_of_family(path: &str) -> bool {
    path.strip_prefix(FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// What the files of the family say together.
#[derive(Debug, Default)]
pub struct TeamFamily {
    /// `team.yaml`, if it is there.
    pub team: Option<TeamFile>,
    /// `llm.yaml`, if it is there.
    pub llm: Option<LlmFile>,
    /// `mcp.yaml`, if it is there.
    pub mcp: Option<McpFile>,
    /// `minds.toml`, if it is there.
    pub settings: Option<SettingsFile>,
    /// The providers: built-in ones, and those of `llm.yaml`.
    pub providers: Providers,
    /// The servers of `mcp.yaml`.
    pub servers: Servers,
    /// The directories of minds files.
    pub minds: MindFolders,
    /// The text of each file that could be read, even if it says nothing that could be understood.
    pub texts: Vec<SourceFile>,
}

/// `team.yaml` as far as it could be read.
#[derive(Debug)]
pub struct TeamFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub team: Option<Team>,
}

/// `llm.yaml` as far as it could be read.
#[derive(Debug)]
pub struct LlmFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub llm: Option<Llm>,
}

/// `mcp.yaml` as far as it could be read.
#[derive(Debug)]
pub struct McpFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub mcp: Option<Mcp>,
}

/// `minds.toml` as far as it could be read.
#[derive(Debug)]
pub struct SettingsFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if there is no tree.
    pub settings: Option<Settings>,
}

impl TeamFamily {
    /// Reads the files of the family in `snapshot`; files that are not there count as not written.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut problems = Problems::new();
        if location(FOLDER).is_some_and(|folder| snapshot.is_closed(&folder, &mut problems)) {
            return Parsed { value: Self::default(), problems };
        }
        let mut cx = Context::new();
        let mut texts = Vec::new();
        // None if the file is not there; no document if why it has no tree was reported.
        let mut read = |path: &str| -> Option<Option<Document>> {
            let location = location(path).filter(|location| snapshot.get(location).is_some())?;
            let format = Format::of(path)?;
            let Some(source) = snapshot.source(&location, &mut problems) else { return Some(None) };
            texts.push(source.clone());
            Some(format.parse(&source).take(&mut problems))
        };
        let team =
            read(TEAM_FILE).map(|document| TeamFile { team: decode(document.as_ref(), &mut cx), document });
        let llm =
            read(LLM_FILE).map(|document| LlmFile { llm: decode(document.as_ref(), &mut cx), document });
        let mcp =
            read(MCP_FILE).map(|document| McpFile { mcp: decode(document.as_ref(), &mut cx), document });
        let settings = read(SETTINGS_FILE)
            .map(|document| SettingsFile { settings: decode(document.as_ref(), &mut cx), document });
        let minds = mind_files::load(snapshot, &mut texts, &mut problems);
        let providers = Providers::merge(llm.as_ref());
        let servers = Servers::of(mcp.as_ref());
        problems.append(cx.into_problems());
        Parsed { value: Self { team, llm, mcp, settings, providers, servers, minds, texts }, problems }
    }

    /// Returns the team and its tree, if there is one to speak about.
    pub fn readable_team(&self) -> Option<(&Team, &Document)> {
        let file = self.team.as_ref()?;
        Some((file.team.as_ref()?, file.document.as_ref()?))
    }

    /// Returns the ids of all members; none if there may be others.
    pub fn member_ids(&self) -> Option<Vec<&str>> {
        if self.team.is_none() {
            return Some(SHADOW_MEMBERS.iter().map(|shadow| shadow.id).collect());
        }
        let (team, document) = self.readable_team()?;
        team.is_whole(document).then(|| team.ids().collect())
    }

    /// Returns the tree of a file, if there is one.
    pub fn document(&self, file: &str) -> Option<&Document> {
        match file {
            TEAM_FILE => self.team.as_ref()?.document.as_ref(),
            LLM_FILE => self.llm.as_ref()?.document.as_ref(),
            MCP_FILE => self.mcp.as_ref()?.document.as_ref(),
            _ => None,
        }
    }

    /// Returns what `llm.yaml` says and its tree, if there is something to speak about.
    pub fn readable_llm(&self) -> Option<(&Llm, &Document)> {
        let file = self.llm.as_ref()?;
        Some((file.llm.as_ref()?, file.document.as_ref()?))
    }

    /// Returns what `minds.toml` says, if there is something to speak about.
    pub fn readable_settings(&self) -> Option<&Settings> {
        self.settings.as_ref()?.settings.as_ref()
    }

    /// Returns where task packages lie; nothing if `minds.toml` says so in a way that could not be read.
    pub fn task_home(&self) -> Option<WorkspacePath> {
        match &self.settings {
            None => WorkspacePath::parse(DEFAULT_TASK_HOME).ok(),
            Some(file) => file.settings.as_ref()?.task_home(),
        }
    }

    /// Returns what `mcp.yaml` says and its tree, if there is something to speak about.
    pub fn readable_mcp(&self) -> Option<(&Mcp, &Document)> {
        let file = self.mcp.as_ref()?;
        Some((file.mcp.as_ref()?, file.document.as_ref()?))
    }
}

fn decode<T: Decode>(document: Option<&Document>, cx: &mut Context) -> Option<T> {
    T::decode(document?.root(), cx)
}
