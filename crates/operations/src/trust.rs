//! Checking the owners of configuration files.

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

/// The environment variable with trusted directories, separated by `:`, in addition to those in the user's
/// configuration.
pub const SAFE_DIRECTORIES_VARIABLE: &str = "MINDS_SAFE_DIRECTORIES";

/// The paths of a workspace or compose root that decide what agents may do and what is started. Parents
/// precede their entries.
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

/// A directory that is not used because another user owns it or can write to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedDirectory {
    /// The directory to add to `safe_directories`.
    pub directory: PathBuf,
    /// The untrusted entry: a path relative to the directory, or `.` for the directory itself.
    pub name: String,
    /// The reason, for a message.
    pub reason: String,
    /// How to trust it, for a message.
    pub remedy: String,
}

impl UntrustedDirectory {
    /// Returns the result of a check of the workspace: only one finding.
    pub(crate) fn outcome(&self) -> Result<CheckOutcome, OperationError> {
        let mut outcome = CheckOutcome::default();
        outcome.report.root = relative(&real_directory(&current_directory()?)?, &self.directory);
        outcome.report.diagnostics = vec![diagnose_untrusted(&self.name, &self.reason)];
        outcome.nothing = Some(format!("nothing was read; {}", self.remedy));
        Ok(outcome)
    }
}

/// Returns an error unless a workspace or compose root belongs to the caller or to root and other users
/// cannot write to it, or the caller trusts it: see `safe_directories` of [`Config`].
///
/// # Errors
///
/// Fails if it is not trusted, or cannot be read.
pub fn ensure_trusted(directory: &Path) -> Result<(), OperationError> {
    match find_untrusted_directory(directory, &CONFIGURATION)? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a workspace that consists only of task packages.
pub(crate) fn ensure_trusted_tasks(directory: &Path) -> Result<(), OperationError> {
    match find_untrusted_directory(directory, &["tasks"])? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a compose root, and for the directory that contains it as `.team`.
pub(crate) fn ensure_trusted_compose_root(directory: &Path) -> Result<(), OperationError> {
    let [inside, _] = minds_compose::ROOTS;
    if let Some(parent) =
        directory.parent().filter(|_| directory.file_name().is_some_and(|name| name == inside))
    {
        ensure_trusted(parent)?;
    }
    ensure_trusted(directory)
}

/// Returns why the fleet layer in a directory is not used; `None` if it is trusted.
pub(crate) fn find_untrusted_layer(directory: &Path) -> Result<Option<UntrustedDirectory>, OperationError> {
    find_untrusted_directory(directory, &[FOLDER, PROJECT_FILE, MODELS_FILE, TOOLS_FILE, AGENTS_FOLDER])
}

/// Returns an error if the configuration folder of the user belongs to another user.
///
/// # Errors
///
/// Fails if it is not trusted, or cannot be read.
pub(crate) fn ensure_trusted_settings(folder: &Path) -> Result<(), OperationError> {
    let names = [CONFIG_FILE, REGISTRY_FILE, INSTALLED_FILE, LOCK_FILE];
    match find_untrusted_directory(folder, &names) {
        Ok(Some(found)) => Err(OperationError::Untrusted(Box::new(found))),
        // The folder is created when it is first needed.
        Ok(None) | Err(OperationError::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn find_untrusted_directory(
    directory: &Path,
    names: &[&str],
) -> Result<Option<UntrustedDirectory>, OperationError> {
    let Some(Untrusted { name, reason }) = find_untrusted(directory, names, Caller::current())? else {
        return Ok(None);
    };
    // The list of trusted directories is read only when it is needed.
    let directory = real_directory(directory)?;
    let safe = SafeDirectories::load()?;
    if safe.has(&directory) {
        return Ok(None);
    }
    let name = if name.is_empty() { ".".to_owned() } else { name };
    let remedy = format!(
        "if you trust every user who can write to it, add `{}` to `safe_directories` in {}, or to the variable `{SAFE_DIRECTORIES_VARIABLE}`{}",
        directory.display(),
        safe.file.as_ref().map_or_else(|| format!("`{CONFIG_FILE}`"), |file| format!("`{}`", file.display())),
        safe.fault.map(|fault| format!(" ({fault})")).unwrap_or_default(),
    );
    Ok(Some(UntrustedDirectory { directory, name, reason: reason.to_string(), remedy }))
}

/// The directories that the caller trusts regardless of their owner.
#[derive(Debug, Default)]
struct SafeDirectories {
    entries: Vec<String>,
    /// The configuration file, which need not exist; `None` if there is no configuration folder.
    file: Option<PathBuf>,
    /// Why the file is ignored, if it is.
    fault: Option<String>,
}

impl SafeDirectories {
    /// Reads the list. A configuration file that is not trusted itself, or cannot be read, is ignored.
    ///
    /// # Errors
    ///
    /// Fails if the variable is not valid UTF-8.
    fn load() -> Result<Self, OperationError> {
        let named = variable(SAFE_DIRECTORIES_VARIABLE)?.unwrap_or_default();
        let mut safe = Self { entries: named.split(':').map(str::to_owned).collect(), ..Self::default() };
        let Ok(folder) = program_folder() else { return Ok(safe) };
        let file = folder.join(CONFIG_FILE);
        match find_untrusted(&folder, &[CONFIG_FILE], Caller::current()) {
            Err(_) => {}
            Ok(Some(found)) => safe.fault = Some(format!("that file is ignored: {}", found.reason)),
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

    /// Returns whether a directory, a path without symbolic links, is trusted.
    fn has(&self, directory: &Path) -> bool {
        let home = home_directory();
        self.entries.iter().any(|entry| matches_entry(entry, directory, home.as_deref()))
    }
}

/// Returns whether an entry matches a directory: `*` matches all, a path that ends with `/*` matches
/// everything below it, and any other absolute path, or one that begins with `~/`, matches itself. Symbolic
/// links in the entry are resolved.
fn matches_entry(entry: &str, directory: &Path, home: Option<&Path>) -> bool {
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
        let found = matches_entry(entry, Path::new(directory), Some(Path::new("/none/me")));
        assert_eq!(found, expected, "{entry} for {directory}");
    }

    #[test]
    fn an_entry_matches_a_directory_or_all_below_it() {
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
