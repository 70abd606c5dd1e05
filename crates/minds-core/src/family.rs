//! Loads the files of the family.

use minds_diagnostics::{Parsed, Problems, SourceFile};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Document, Format};
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};

use crate::effective::SHADOW_MEMBERS;
use crate::llm::Llm;
use crate::llm::providers::Providers;
use crate::mcp::Mcp;
use crate::mcp::servers::Servers;
use crate::mind_files::{self, MindFolders};
use crate::model::Team;
use crate::settings::{DEFAULT_TASK_HOME, GatewaySettings, Settings};

/// The file that defines the members of the team.
pub const TEAM_FILE: &str = ".minds/team.yaml";
/// The file that defines additional model providers.
pub const LLM_FILE: &str = ".minds/llm.yaml";
/// The file that defines MCP servers.
pub const MCP_FILE: &str = ".minds/mcp.yaml";
/// The settings of `minds` itself for this workspace.
pub const SETTINGS_FILE: &str = ".minds/minds.toml";

/// The directory of the files of the family.
const FOLDER: &str = ".minds";

/// Returns the files that the family reads.
pub fn scope() -> Scope {
    let files = [TEAM_FILE, LLM_FILE, MCP_FILE, SETTINGS_FILE].into_iter().filter_map(location);
    Scope { directories: mind_files::subtree_scope().into_iter().collect(), ..Scope::of_files(files) }
}

/// Returns whether a path is at or below the directory of the family. `path` is relative to the workspace.
pub fn is_in_family_directory(path: &str) -> bool {
    path.strip_prefix(FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the key order of a file of the family; `path` is relative to the workspace.
pub fn key_order(path: &str) -> Option<&'static KeyOrder> {
    match path {
        TEAM_FILE => Some(const { &Team::ORDER }),
        LLM_FILE => Some(const { &Llm::ORDER }),
        MCP_FILE => Some(const { &Mcp::ORDER }),
        _ => None,
    }
}

fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// The content of all files of the family.
#[derive(Debug, Default)]
pub struct TeamFamily {
    /// `team.yaml`, if it exists.
    pub team: Option<TeamFile>,
    /// `llm.yaml`, if it exists.
    pub llm: Option<LlmFile>,
    /// `mcp.yaml`, if it exists.
    pub mcp: Option<McpFile>,
    /// `minds.toml`, if it exists.
    pub settings: Option<SettingsFile>,
    /// The built-in providers and those of `llm.yaml`.
    pub providers: Providers,
    /// The servers of `mcp.yaml`.
    pub servers: Servers,
    /// The directories of minds files.
    pub minds: MindFolders,
    /// The source of each file that could be read, even if it could not be parsed.
    pub sources: Vec<SourceFile>,
}

/// The readable part of `team.yaml`.
#[derive(Debug)]
pub struct TeamFile {
    /// The document tree; `None` if the syntax is invalid.
    pub document: Option<Document>,
    /// The content; `None` if it is not a mapping.
    pub team: Option<Team>,
}

/// The readable part of `llm.yaml`.
#[derive(Debug)]
pub struct LlmFile {
    /// The document tree; `None` if the syntax is invalid.
    pub document: Option<Document>,
    /// The content; `None` if it is not a mapping.
    pub llm: Option<Llm>,
}

/// The readable part of `mcp.yaml`.
#[derive(Debug)]
pub struct McpFile {
    /// The document tree; `None` if the syntax is invalid.
    pub document: Option<Document>,
    /// The content; `None` if it is not a mapping.
    pub mcp: Option<Mcp>,
}

/// The readable part of `minds.toml`.
#[derive(Debug)]
pub struct SettingsFile {
    /// The document tree; `None` if the syntax is invalid.
    pub document: Option<Document>,
    /// The content; `None` if there is no tree.
    pub settings: Option<Settings>,
}

impl TeamFamily {
    /// Loads the files of the family from `snapshot`. Missing files are not an error.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut problems = Problems::new();
        if location(FOLDER).is_some_and(|folder| snapshot.is_closed(&folder, &mut problems)) {
            return Parsed { value: Self::default(), problems };
        }
        let mut cx = Context::new();
        let mut sources = Vec::new();
        // `None` if the file does not exist; no document if its syntax error was reported.
        let mut read = |path: &str| -> Option<Option<Document>> {
            let location = location(path).filter(|location| snapshot.get(location).is_some())?;
            let format = Format::of(path)?;
            let Some(source) = snapshot.source(&location, &mut problems) else { return Some(None) };
            sources.push(source.clone());
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
        let minds = mind_files::load(snapshot, &mut sources, &mut problems);
        let providers = Providers::merge(llm.as_ref());
        let servers = Servers::from_file(mcp.as_ref());
        problems.append(cx.into_problems());
        Parsed { value: Self { team, llm, mcp, settings, providers, servers, minds, sources }, problems }
    }

    /// Returns the team and its document, if both could be read.
    pub fn readable_team(&self) -> Option<(&Team, &Document)> {
        let file = self.team.as_ref()?;
        Some((file.team.as_ref()?, file.document.as_ref()?))
    }

    /// Returns the ids of all members; `None` if there may be further members.
    pub fn member_ids(&self) -> Option<Vec<&str>> {
        if self.team.is_none() {
            return Some(SHADOW_MEMBERS.iter().map(|shadow| shadow.id).collect());
        }
        let (team, document) = self.readable_team()?;
        team.is_complete(document).then(|| team.ids().collect())
    }

    /// Returns the document tree of a file, if there is one.
    pub fn document(&self, file: &str) -> Option<&Document> {
        match file {
            TEAM_FILE => self.team.as_ref()?.document.as_ref(),
            LLM_FILE => self.llm.as_ref()?.document.as_ref(),
            MCP_FILE => self.mcp.as_ref()?.document.as_ref(),
            _ => None,
        }
    }

    /// Returns the content of `llm.yaml` and its document, if both could be read.
    pub fn readable_llm(&self) -> Option<(&Llm, &Document)> {
        let file = self.llm.as_ref()?;
        Some((file.llm.as_ref()?, file.document.as_ref()?))
    }

    /// Returns the content of `minds.toml`, if it could be read.
    pub fn readable_settings(&self) -> Option<&Settings> {
        self.settings.as_ref()?.settings.as_ref()
    }

    /// Returns the directory for task packages; `None` if the setting in `minds.toml` could not be read.
    pub fn task_home(&self) -> Option<WorkspacePath> {
        match &self.settings {
            None => WorkspacePath::parse(DEFAULT_TASK_HOME).ok(),
            Some(file) => file.settings.as_ref()?.task_home(),
        }
    }

    /// Returns the settings of the gateway in `minds.toml`.
    pub fn gateway_settings(&self) -> GatewaySettings {
        match &self.settings {
            None => GatewaySettings::default(),
            Some(file) => file.settings.as_ref().map_or_else(GatewaySettings::unreadable, Settings::gateway),
        }
    }

    /// Returns the content of `mcp.yaml` and its document, if both could be read.
    pub fn readable_mcp(&self) -> Option<(&Mcp, &Document)> {
        let file = self.mcp.as_ref()?;
        Some((file.mcp.as_ref()?, file.document.as_ref()?))
    }
}

fn decode<T: Decode>(document: Option<&Document>, cx: &mut Context) -> Option<T> {
    T::decode(document?.root(), cx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yaml_files_of_the_family_have_a_key_order() {
        for file in scope().files {
            let is_yaml = Format::of(file.path.as_str()) == Some(Format::Yaml);
            assert_eq!(key_order(&file.to_string()).is_some(), is_yaml, "{file}");
        }
        assert!(key_order("mind.toml").is_none());
    }
}
