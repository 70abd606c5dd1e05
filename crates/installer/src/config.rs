//! Configuration of the agent homes.

use std::path::Path;

use minds_fs::FileErrorKind;
use minds_inventory::{AbsolutePath, CONFIG_FILE, Lobe, LobeMode};
use minds_vfs::{ContentHash, Expected, FileMode};
use schemars::JsonSchema;
use serde::Serialize;

use crate::home::{self, Access, Home};
use crate::{SourceError, SourceErrorKind};

/// The current configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigReport {
    /// The data directory.
    pub home: String,
    /// The agent homes.
    pub lobes: Vec<LobeReport>,
    /// The origin of the agent homes.
    pub from: HomesOrigin,
    /// Whether repositories are fetched by SSH if their URL is HTTPS.
    pub ssh: bool,
}

/// The origin of the agent homes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum HomesOrigin {
    /// The variable for several agent homes.
    #[serde(rename = "MIND_AGENT_HOMES")]
    HomesVariable,
    /// The variable for one agent home.
    #[serde(rename = "CLAUDE_HOME")]
    HomeVariable,
    /// The file with the configuration.
    #[serde(rename = "config.toml")]
    File,
    /// There is no setting.
    #[serde(rename = "the default")]
    Default,
}

impl HomesOrigin {
    /// Returns the name of the variable or the file; `the default` if there is none.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HomesVariable => home::HOMES_VARIABLE,
            Self::HomeVariable => home::HOME_VARIABLE,
            Self::File => CONFIG_FILE,
            Self::Default => "the default",
        }
    }
}

/// An agent home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LobeReport {
    /// How items are placed in it.
    pub mode: LobeMode,
    /// Its absolute path.
    pub path: String,
}

/// Returns the configuration.
///
/// # Errors
///
/// Fails if the data directory cannot be read.
pub fn config(directory: &Path) -> Result<ConfigReport, SourceError> {
    let home = Home::open(directory, Access::Read)?;
    let lobes = home.lobes.iter();
    let lobes = lobes.map(|lobe| LobeReport { path: lobe.path.to_string(), mode: lobe.mode });
    Ok(ConfigReport {
        home: home.place.to_string(),
        lobes: lobes.collect(),
        from: home.lobes_from,
        ssh: home.config.ssh,
    })
}

/// Adds an agent home to the configuration, and returns its absolute path and whether it is new there.
///
/// The first home that is added is added to the default home instead of replacing it, because users rarely
/// intend to drop that one.
///
/// # Errors
///
/// Fails if the path cannot be an agent home, or the configuration cannot be written.
pub fn add_lobe(directory: &Path, path: &str) -> Result<(String, bool), SourceError> {
    let mut home = Home::open(directory, Access::Write)?;
    let place = home.expand(path)?;
    home.check_agent_home(&place)?;
    expect_possible_home(path, &place)?;
    let mut lobes = configured_lobes(&home);
    if lobes.iter().any(|lobe| home.expand(&lobe.path).is_ok_and(|known| known == place)) {
        return Ok((place.to_string(), false));
    }
    lobes.push(Lobe { path: place.to_string(), mode: None });
    home.config.lobes = Some(lobes);
    write(&home)?;
    Ok((place.to_string(), true))
}

/// Checks that a new agent home is a directory, or can be created.
///
/// # Errors
///
/// Fails if the path is not a directory or is below a file, is the root of the file system, or is a URL.
fn expect_possible_home(path: &str, place: &AbsolutePath) -> Result<(), SourceError> {
    let refused = |reason: &str| {
        let message = format!("`{path}` cannot be an agent home: {reason}; nothing was written");
        Err(SourceError::new(SourceErrorKind::InvalidHome, message))
    };
    if path.contains("://") {
        return refused("it is a URL");
    }
    // In the variable for agent homes, colons are separators.
    if place.as_str().contains(':') {
        return refused("it contains a colon, which separates agent homes");
    }
    if place.as_str() == "/" {
        return refused("it is the root of the file system");
    }
    match minds_fs::obstacle_to_directory(Path::new(place.as_str())) {
        None => Ok(()),
        Some(obstacle) if obstacle.as_path() == Path::new(place.as_str()) => refused("it is not a directory"),
        Some(obstacle) => refused(&format!("`{}` is not a directory", obstacle.display())),
    }
}

/// Removes an agent home from the configuration, and returns its absolute path.
///
/// # Errors
///
/// Fails if it is not configured, or the configuration cannot be written.
pub fn remove_lobe(directory: &Path, path: &str) -> Result<String, SourceError> {
    let mut home = Home::open(directory, Access::Write)?;
    let place = home.expand(path)?;
    let mut lobes = configured_lobes(&home);
    let before = lobes.len();
    lobes.retain(|lobe| home.expand(&lobe.path).map_or(true, |known| known != place));
    if lobes.len() == before {
        let message = format!("`{place}` is not an agent home in `{CONFIG_FILE}`");
        return Err(SourceError::new(SourceErrorKind::InvalidHome, message));
    }
    home.config.lobes = Some(lobes);
    write(&home)?;
    Ok(place.to_string())
}

/// Returns the configured agent homes; if there are none, the default home, unless a variable is set.
fn configured_lobes(home: &Home) -> Vec<Lobe> {
    if let Some(lobes) = &home.config.lobes {
        return lobes.clone();
    }
    let mode = |mode| (mode != LobeMode::default()).then_some(mode);
    if home.lobes_from == HomesOrigin::HomesVariable {
        return Vec::new();
    }
    let lobes = home.lobes.iter().map(|lobe| Lobe { path: lobe.path.to_string(), mode: mode(lobe.mode) });
    lobes.collect()
}

fn write(home: &Home) -> Result<(), SourceError> {
    let files = home.root()?.no_follow();
    let (at, text) = (home::path(CONFIG_FILE), home.config.write());
    match files.read(&at, home::MAX_STATE) {
        Ok(old) => {
            let expected = Expected::Content(ContentHash::of(&old.bytes));
            Ok(files.replace(&at, text.as_bytes(), old.mode, expected)?)
        }
        Err(error) if error.kind() == FileErrorKind::NotFound => {
            Ok(files.create(&at, text.as_bytes(), FileMode::Private)?)
        }
        Err(error) => Err(error.into()),
    }
}
