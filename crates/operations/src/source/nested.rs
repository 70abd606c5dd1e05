//! Sources that a source brings along.

use minds_sources::{
    AbsolutePath, Alias, AuthFailureAction, Identity, Inventory, ItemKey, Pin, RefusalKind, Remote,
    Selection, SourceSpec,
};

use super::files::ReadSource;
use super::gather::{Curated, Gathered, NewSource, Wanted};
use super::home::Home;
use super::{SourceError, SourceErrorKind};

/// Says what of a curator's words has no effect, because the source has a `mind.toml` of its own.
pub(super) fn ignored(source: &NewSource, curated: Option<&Curated>) -> Option<String> {
    let curated = curated.filter(|_| source.read.discovered.manifest.is_some())?;
    let says = curated.pin != Pin::DefaultBranch || curated.roots.is_some() || !curated.hooks.is_empty();
    says.then(|| {
        format!(
            "{} has a `mind.toml` of its own, so the pin, roots and hooks that {} gives it have no effect",
            source.read.registered.identity, curated.by
        )
    })
}

pub(super) fn left_out(
    identity: &Identity,
    error: SourceError,
    curated: Option<&Curated>,
    gathered: &mut Gathered,
) {
    let is_refused = error.kind() == SourceErrorKind::Authentication;
    match curated.filter(|_| is_refused) {
        Some(curated) => {
            let message =
                curated.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
            gathered.notes.push(format!("{identity} may not be read{message}"));
            if curated.skips_on_auth_failure {
                gathered.skipped.push((identity.to_string(), "auth_failure"));
            } else {
                gathered.failures.push(error.about(identity));
            }
        }
        None => gathered.failures.push(error.about(identity)),
    }
}

pub(super) fn url(remote: &Remote) -> &str {
    match remote {
        Remote::Folder(text) | Remote::Repository(text) => text,
    }
}

/// Returns the sources that a source brings along. Relative paths lead from its folder; a clone has none.
pub(super) fn nested(home: &Home, source: &ReadSource, gathered: &mut Gathered) -> Vec<Wanted> {
    let Some(file) = &source.discovered.manifest else { return Vec::new() };
    let identity = &source.registered.identity;
    let user = home.user.as_ref().map(AbsolutePath::as_str);
    let mut found = Vec::new();
    for nested in file.manifest().nested() {
        let base = match &source.registered.remote {
            Remote::Folder(folder) => folder.as_str(),
            Remote::Repository(_) if nested.spec.starts_with('.') => {
                let message =
                    format!("`{}` leads from the folder of a repository, which has none", nested.spec);
                gathered
                    .failures
                    .push(SourceError::new(SourceErrorKind::InvalidSpec, message).about(identity));
                continue;
            }
            Remote::Repository(_) => "/",
        };
        let spec = match SourceSpec::parse(nested.spec, base, user) {
            Ok(spec) => spec,
            Err(error) => {
                let message = format!("`{}` names no repository: {error}", nested.spec);
                gathered
                    .failures
                    .push(SourceError::new(SourceErrorKind::InvalidSpec, message).about(identity));
                continue;
            }
        };
        if let Err(error) = check_place(&source.registered.remote, &spec.remote, nested.spec) {
            gathered.failures.push(error.about(identity));
            continue;
        }
        let curated = Curated {
            by: identity.clone(),
            pin: nested.pin,
            roots: nested.roots,
            hooks: nested.hooks,
            skips_on_auth_failure: nested.on_auth_failure == AuthFailureAction::Skip,
            message: nested.auth_failure_message.map(str::to_owned),
        };
        found.push(Wanted {
            spec,
            alias: match nested.prefix {
                None => Alias::Declared,
                Some(None) => Alias::None,
                Some(Some(prefix)) => Alias::Prefix(prefix),
            },
            pin: None,
            roots: None,
            curator: Some(curated),
            selection: nested.selection,
        });
    }
    found
}

/// Makes sure that a source of another machine names no place of this one; `text` is what it names it by.
pub(super) fn check_place(by: &Remote, named: &Remote, text: &str) -> Result<(), SourceError> {
    if !is_remote(by) || is_remote(named) {
        return Ok(());
    }
    let message =
        format!("`{text}` is a place of this machine, which a source of another machine must not name");
    Err(SourceError::new(SourceErrorKind::LocalSource, message))
}

/// Returns whether a source comes from another machine: who writes it may not know what lies on this one.
fn is_remote(remote: &Remote) -> bool {
    matches!(remote, Remote::Repository(url) if !url.starts_with("file://"))
}

/// Refuses a selection that names an item which its source does not offer: whoever wrote it meant another one, and nobody
/// knows which. A source that could not be read offers what nobody knows.
///
/// # Errors
///
/// Fails with the first such name.
pub(super) fn check_selections(
    inventory: &Inventory,
    chain: &[(Identity, Selection)],
) -> Result<(), SourceError> {
    for (identity, selection) in chain {
        let Some(source) = inventory.find(identity) else { continue };
        let is_offered = |key: &&ItemKey| source.items.iter().any(|offered| offered.item.key() == **key);
        if let Some(key) = named(selection).iter().find(|key| !is_offered(key)) {
            return Err(not_offered(key, identity));
        }
    }
    Ok(())
}

/// Returns that a selection names what a source does not offer.
pub(super) fn not_offered(key: &ItemKey, identity: &Identity) -> SourceError {
    let message = format!("`install-items` names {key}, which it does not offer");
    SourceError::new(SourceErrorKind::Refused(RefusalKind::UnresolvedReference), message).about(identity)
}

/// Returns the names of a selection, if it is some items.
pub(super) fn named(selection: &Selection) -> &[ItemKey] {
    match selection {
        Selection::Items(items) => items,
        Selection::None | Selection::All => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_another_machine_is_told_by_its_address() {
        for (text, expected) in [
            ("owner/name", true),
            ("https://example.com/owner/name", true),
            ("git@example.com:owner/name", true),
            ("ssh://git@example.com/owner/name", true),
            ("file:///srv/git/name", false),
            ("/srv/git/name", false),
            ("../name", false),
            ("~/name", false),
        ] {
            let spec = SourceSpec::parse(text, "/home/user/work", Some("/home/user")).unwrap();
            assert_eq!(is_remote(&spec.remote), expected, "{text}");
        }
    }
}
