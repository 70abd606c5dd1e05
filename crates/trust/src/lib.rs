#![doc = include_str!("../README.md")]

use std::fmt;
use std::path::{Path, PathBuf};

use minds_fs::{Caller, Untrusted, find_untrusted, home_directory, read_named_file, real_directory};
use minds_inventory::{CONFIG_FILE, Config};
use minds_process::{SystemError, program_folder, variable};

/// The environment variable with trusted directories, separated by `:`, in addition to those in the user's
/// configuration.
pub const SAFE_DIRECTORIES_VARIABLE: &str = "MINDS_SAFE_DIRECTORIES";

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

impl fmt::Display for UntrustedDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.directory.join(&self.name);
        let place = if self.name == "." { &self.directory } else { &entry };
        write!(f, "`{}` is not trusted: {}; {}", place.display(), self.reason, self.remedy)
    }
}

/// Returns why the configuration in a directory is not used: the directory, or one of the entries `names`, belongs to another
/// user, or another user can write to it, and the caller does not trust it by `safe_directories` of [`Config`]. Parents
/// precede their entries in `names`. Returns `None` if it is trusted.
///
/// # Errors
///
/// Fails if an entry cannot be examined.
pub fn find_untrusted_directory(
    directory: &Path,
    names: &[&str],
) -> Result<Option<UntrustedDirectory>, SystemError> {
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
    fn load() -> Result<Self, SystemError> {
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
                Err(SystemError::NotFound { .. }) => {}
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
#[expect(clippy::disallowed_methods, reason = "a test writes files itself")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn an_entry_that_every_user_can_write_to_is_not_trusted() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("team.yaml");
        fs::write(&file, "").unwrap();
        for (bits, is_trusted) in [(0o644, true), (0o646, false)] {
            fs::set_permissions(&file, Permissions::from_mode(bits)).unwrap();
            let found = find_untrusted_directory(directory.path(), &["team.yaml"]).unwrap();
            assert_eq!(found.is_none(), is_trusted, "{bits:o}");
            if let Some(found) = found {
                assert_eq!(found.name, "team.yaml");
                assert!(found.to_string().starts_with(&format!("`{}` is not trusted: ", file.display())));
            }
        }
    }

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
