//! The files of the family, read.

use minds_diagnostics::{Parsed, Problems};
use minds_document::{Context, Decode, Document, Snapshot, yaml};
use minds_paths::{Location, MountId, WorkspacePath};

use crate::llm::Llm;
use crate::llm::providers::Providers;
use crate::model::Team;
use crate::servers::Servers;

/// The file that says who is on the team.
pub const TEAM_FILE: &str = ".minds/team.yaml";
/// The file that adds providers of models.
pub const LLM_FILE: &str = ".minds/llm.yaml";
/// The file that adds MCP servers.
pub const MCP_FILE: &str = ".minds/mcp.yaml";

/// The directory that holds the files of the family.
const FOLDER: &str = ".minds";

/// Returns the files that the family reads.
pub fn files() -> impl Iterator<Item = Location> {
    [TEAM_FILE, LLM_FILE, MCP_FILE].into_iter().filter_map(location)
}

fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// What became of reading a file.
#[derive(Debug)]
pub(crate) enum Reading {
    /// It is not there.
    Absent,
    /// It is there, and why it has no tree was reported.
    Unreadable,
    /// It has a tree.
    Read(Document),
}

/// What the files of the family say together.
#[derive(Debug, Default)]
pub struct TeamFamily {
    /// `team.yaml`, if it is there.
    pub team: Option<TeamFile>,
    /// `llm.yaml`, if it is there.
    pub llm: Option<LlmFile>,
    /// The providers: built-in ones, and those of `llm.yaml`.
    pub providers: Providers,
    /// The servers of `mcp.yaml`.
    pub servers: Servers,
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

impl TeamFamily {
    /// Reads the files of the family in `snapshot`; files that are not there count as not written.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut problems = Problems::new();
        if location(FOLDER).is_some_and(|folder| snapshot.is_closed(&folder, &mut problems)) {
            return Parsed { value: Self::default(), problems };
        }
        let mut cx = Context::new();
        let mut read = |path: &str| {
            let Some(location) = location(path).filter(|location| snapshot.get(location).is_some()) else {
                return Reading::Absent;
            };
            let source = snapshot.source(&location, &mut problems);
            let document = source.and_then(|source| yaml::parse(&source).take(&mut problems));
            document.map_or(Reading::Unreadable, Reading::Read)
        };
        let team = read(TEAM_FILE);
        let llm = read(LLM_FILE);
        let mcp = read(MCP_FILE);
        let team = match team {
            Reading::Absent => None,
            Reading::Unreadable => Some(TeamFile { document: None, team: None }),
            Reading::Read(document) => {
                let team = Team::decode(document.root(), &mut cx);
                Some(TeamFile { document: Some(document), team })
            }
        };
        let llm = match llm {
            Reading::Absent => None,
            Reading::Unreadable => Some(LlmFile { document: None, llm: None }),
            Reading::Read(document) => {
                let llm = Llm::decode(document.root(), &mut cx);
                Some(LlmFile { document: Some(document), llm })
            }
        };
        let providers = Providers::merge(llm.as_ref());
        let servers = Servers::read(&mcp, &mut cx);
        problems.append(cx.into_problems());
        Parsed { value: Self { team, llm, providers, servers }, problems }
    }

    /// Returns the team and its tree, if there is one to speak about.
    pub fn readable_team(&self) -> Option<(&Team, &Document)> {
        let file = self.team.as_ref()?;
        Some((file.team.as_ref()?, file.document.as_ref()?))
    }

    /// Returns what `llm.yaml` says and its tree, if there is something to speak about.
    pub fn readable_llm(&self) -> Option<(&Llm, &Document)> {
        let file = self.llm.as_ref()?;
        Some((file.llm.as_ref()?, file.document.as_ref()?))
    }
}
