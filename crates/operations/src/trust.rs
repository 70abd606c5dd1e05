//! Whose files are used.

use std::path::{Path, PathBuf};

use minds_document::diagnose_untrusted;
use minds_fleet::{AGENTS_FOLDER, FOLDER, MODELS_FILE, PROJECT_FILE, TOOLS_FILE};
use minds_render::clients::CLIENTS_FILE;
use minds_sources::{CONFIG_FILE, Config, INSTALLED_FILE, LOCK_FILE, REGISTRY_FILE};
use minds_system::{
    Caller, Untrusted, current_directory, find_untrusted, home_directory, program_folder, read_named_file,
    real_directory, variable,
};

use crate::locate::relative;
use crate::{CheckOutcome, OperationError};

/// Names directories that are trusted, with `:` between them, in addition to those of the configuration of the user.
pub const SAFE_DIRECTORIES_VARIABLE: &str = "MINDS_SAFE_DIRECTORIES";

/// What of a workspace or a compose root decides what agents may do and what is started, if it exists. A name comes after
/// that of its parent.
const CONFIGURATION: [&str; 17] = [
    ".minds",
    minds_core::TEAM_FILE,
    minds_core::LLM_FILE,
    minds_core::MCP_FILE,
    minds_core::SETTINGS_FILE,
    ".minds/team",
    ".team",
    ".team/team-compose.yaml",
    ".team/projects",
    minds_compose::COMPOSE_FILE,
    FOLDER,
    PROJECT_FILE,
    MODELS_FILE,
    TOOLS_FILE,
    AGENTS_FOLDER,
    minds_sources::MANIFEST_FILE,
    CLIENTS_FILE,
];

/// A workspace or a part of it that is not used because another user owns it or can write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distrusted {
    /// The directory that was looked at: what to add to `safe_directories`.
    pub directory: PathBuf,
    /// What in it is not trusted: a path relative to it, or `.` for the directory itself.
    pub name: String,
    /// Why, in words for a message.
    pub reason: String,
    /// How to trust it all the same, in words for a message.
    pub remedy: String,
}

impl Distrusted {
    /// Returns what a check of the workspace reports: one finding, and nothing else.
    pub(crate) fn outcome(&self) -> Result<CheckOutcome, OperationError> {
        let mut outcome = CheckOutcome::default();
        outcome.report.root = relative(&real_directory(&current_directory()?)?, &self.directory);
        outcome.report.diagnostics = vec![diagnose_untrusted(&self.name, &self.reason)];
        outcome.nothing = Some(format!("nothing was read; {}", self.remedy));
        Ok(outcome)
    }
}

/// Makes sure that a workspace, or a compose root, belongs to the caller or to root, and that other users cannot write it,
/// or that the caller trusts it all the same: see `safe_directories` of [`Config`].
///
/// # Errors
///
/// Fails if it is not trusted, or cannot be looked at.
pub fn ensure_trusted(directory: &Path) -> Result<(), OperationError> {
    match distrusted(directory, &CONFIGURATION)? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a workspace that only a task package makes one.
pub(crate) fn ensure_trusted_tasks(directory: &Path) -> Result<(), OperationError> {
    match distrusted(directory, &["tasks"])? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a compose root, and for the directory that holds it as `.team`.
pub(crate) fn ensure_trusted_compose_root(directory: &Path) -> Result<(), OperationError> {
    let [inside, _] = minds_compose::ROOTS;
    if let Some(parent) =
        directory.parent().filter(|_| directory.file_name().is_some_and(|name| name == inside))
    {
        ensure_trusted(parent)?;
    }
    ensure_trusted(directory)
}

/// Returns why the layer of a fleet in a directory is not used; none if it is.
pub(crate) fn distrusted_layer(directory: &Path) -> Result<Option<Distrusted>, OperationError> {
    distrusted(directory, &[FOLDER, PROJECT_FILE, MODELS_FILE, TOOLS_FILE, AGENTS_FOLDER])
}

/// Makes sure that the folder of the program, in which the settings of the user lie, is not one of another user.
///
/// # Errors
///
/// Fails if it is not trusted, or cannot be looked at.
pub(crate) fn ensure_trusted_settings(folder: &Path) -> Result<(), OperationError> {
    let names = [CONFIG_FILE, REGISTRY_FILE, INSTALLED_FILE, LOCK_FILE];
    match distrusted(folder, &names) {
        Ok(Some(found)) => Err(OperationError::Untrusted(Box::new(found))),
        // It is made when it is first needed.
        Ok(None) | Err(OperationError::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn distrusted(directory: &Path, names: &[&str]) -> Result<Option<Distrusted>, OperationError> {
    let Some(Untrusted { name, reason }) = find_untrusted(directory, names, Caller::current())? else {
        return Ok(None);
    };
    // What is trusted all the same is read only where something is not.
    let directory = real_directory(directory)?;
    let safe = SafeDirectories::load()?;
    if safe.has(&directory) {
        return Ok(None);
    }
    let name = if name.is_empty() { ".".to_owned() } else { name };
    let remedy = format!(
        "if you trust all who can write it, add `{}` to `safe_directories` in {}, or to the variable `{SAFE_DIRECTORIES_VARIABLE}`{}",
        directory.display(),
        safe.file.as_ref().map_or_else(|| format!("`{CONFIG_FILE}`"), |file| format!("`{}`", file.display())),
        safe.fault.map(|fault| format!(" ({fault})")).unwrap_or_default(),
    );
    Ok(Some(Distrusted { directory, name, reason: reason.to_string(), remedy }))
}

/// The directories that the caller trusts regardless of their owner.
#[derive(Debug, Default)]
struct SafeDirectories {
    entries: Vec<String>,
    /// The file that names them, whether it exists or not; none if the environment names no folder for it.
    file: Option<PathBuf>,
    /// Why the file does not count.
    fault: Option<String>,
}

impl SafeDirectories {
    /// Reads them. A configuration that is not trusted itself, or cannot be read, names none.
    ///
    /// # Errors
    ///
    /// Fails if the variable is not UTF-8.
    fn load() -> Result<Self, OperationError> {
        let named = variable(SAFE_DIRECTORIES_VARIABLE)?.unwrap_or_default();
        let mut safe = Self { entries: named.split(':').map(str::to_owned).collect(), ..Self::default() };
        let Ok(folder) = program_folder() else { return Ok(safe) };
        let file = folder.join(CONFIG_FILE);
        match find_untrusted(&folder, &[CONFIG_FILE], Caller::current()) {
            Err(_) => {}
            Ok(Some(found)) => safe.fault = Some(format!("that file does not count yet: {}", found.reason)),
            Ok(None) => match read_named_file(&file) {
                Ok(bytes) => match Config::parse(bytes) {
                    Ok(config) => safe.entries.extend(config.safe_directories),
                    Err(error) => safe.fault = Some(error.to_string()),
                },
                Err(minds_system::SystemError::NotFound { .. }) => {}
                Err(error) => safe.fault = Some(error.to_string()),
            },
        }
        safe.file = Some(file);
        Ok(safe)
    }

    /// Returns whether a directory is trusted, of which the path has no links.
    fn has(&self, directory: &Path) -> bool {
        let home = home_directory();
        self.entries.iter().any(|entry| is_meant(entry, directory, home.as_deref()))
    }
}

/// Returns whether an entry names a directory: `*` names all, a path with `/*` at its end all below that path, and any other
/// absolute path, or one that begins with `~/`, itself. Links in the path of an entry are followed.
fn is_meant(entry: &str, directory: &Path, home: Option<&Path>) -> bool {
    if entry == "*" {
        return true;
    }
    let (path, is_prefix) = entry.strip_suffix("/*").map_or((entry, false), |path| (path, true));
    let path = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (None, Some(home)) if path == "~" && is_prefix => home.to_owned(),
        _ if path.is_empty() && is_prefix => PathBuf::from("/"),
        _ => PathBuf::from(path),
    };
    if !path.is_absolute() {
        return false;
    }
    let path = real_directory(&path).unwrap_or(path);
    if is_prefix { directory != path && directory.starts_with(&path) } else { directory == path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entry: &str, directory: &str, expected: bool) {
        let found = is_meant(entry, Path::new(directory), Some(Path::new("/none/me")));
        assert_eq!(found, expected, "{entry} for {directory}");
    }

    #[test]
    fn an_entry_names_a_directory_or_all_below_one() {
        check("*", "/none/a", true);
        check("/none/a", "/none/a", true);
        check("/none/a/", "/none/a", true);
        check("/none/a", "/none/a/b", false);
        check("/none/a", "/none/ab", false);
        check("/none/a/*", "/none/a/b/c", true);
        check("/none/a/*", "/none/a", false);
        check("/none/a/*", "/none/ab", false);
        check("/*", "/none/a", true);
        check("~/a", "/none/me/a", true);
        check("~/*", "/none/me/a", true);
        check("~/a", "/none/you/a", false);
        check("none/a", "/none/a", false);
        check("a", "/none/a", false);
        check("", "/none/a", false);
        check("", "/", false);
        check("**", "/none/a", false);
    }
}
