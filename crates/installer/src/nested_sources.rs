//! Nested sources.

use minds_inventory::{AbsolutePath, Alias, Inventory};
use minds_sources::{AuthFailureAction, Identity, ItemKey, Pin, RefusalKind, Remote, Selection, SourceSpec};

use crate::files::ReadSource;
use crate::gather::{GatheredSources, NestedSettings, NewSource, WantedSource};
use crate::home::Home;
use crate::{SkipReason, SourceError, SourceErrorKind};

/// Returns a note if settings of the nested entry have no effect, because the source has its own `mind.toml`.
pub(crate) fn ignored_settings_note(source: &NewSource, curated: Option<&NestedSettings>) -> Option<String> {
    let curated = curated.filter(|_| source.read.discovered.manifest.is_some())?;
    let has_settings =
        curated.pin != Pin::DefaultBranch || curated.roots.is_some() || !curated.hooks.is_empty();
    has_settings.then(|| {
        format!(
            "{} has its own `mind.toml`, so the pin, roots and hooks that {} sets for it have no effect",
            source.read.registered.identity, curated.by
        )
    })
}

pub(crate) fn report_unread(
    identity: &Identity,
    error: SourceError,
    curated: Option<&NestedSettings>,
    gathered: &mut GatheredSources,
) {
    let is_refused = error.kind() == SourceErrorKind::Authentication;
    match curated.filter(|_| is_refused) {
        Some(curated) => {
            let message =
                curated.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
            gathered.notes.push(format!("{identity} could not be accessed{message}"));
            if curated.skips_on_auth_failure {
                gathered.skipped.push((identity.to_string(), SkipReason::AuthFailure));
            } else {
                gathered.failures.push(error.with_target(identity));
            }
        }
        None => gathered.failures.push(error.with_target(identity)),
    }
}

pub(crate) fn url(remote: &Remote) -> &str {
    match remote {
        Remote::Folder(text) | Remote::Repository(text) => text,
    }
}

/// Returns the nested sources of a source. Relative paths are relative to its folder; a clone has none.
pub(crate) fn find_nested_sources(
    home: &Home,
    source: &ReadSource,
    gathered: &mut GatheredSources,
) -> Vec<WantedSource> {
    let Some(file) = &source.discovered.manifest else { return Vec::new() };
    let identity = &source.registered.identity;
    let user = home.user.as_ref().map(AbsolutePath::as_str);
    let mut found = Vec::new();
    for nested in file.manifest().nested_sources() {
        let base = match &source.registered.remote {
            Remote::Folder(folder) => folder.as_str(),
            Remote::Repository(_) if nested.spec.starts_with('.') => {
                let message = format!(
                    "`{}` is relative to the folder of the source, but a repository has no folder",
                    nested.spec
                );
                gathered
                    .failures
                    .push(SourceError::new(SourceErrorKind::InvalidSpec, message).with_target(identity));
                continue;
            }
            Remote::Repository(_) => "/",
        };
        let spec = match SourceSpec::parse(nested.spec, base, user) {
            Ok(spec) => spec,
            Err(error) => {
                let message = format!("invalid source `{}`: {error}", nested.spec);
                gathered
                    .failures
                    .push(SourceError::new(SourceErrorKind::InvalidSpec, message).with_target(identity));
                continue;
            }
        };
        if let Err(error) = check_place(&source.registered.remote, &spec.remote, nested.spec) {
            gathered.failures.push(error.with_target(identity));
            continue;
        }
        let curated = NestedSettings {
            by: identity.clone(),
            pin: nested.pin,
            roots: nested.roots,
            hooks: nested.hooks,
            skips_on_auth_failure: nested.on_auth_failure == AuthFailureAction::Skip,
            message: nested.auth_failure_message.map(str::to_owned),
        };
        found.push(WantedSource {
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

/// Checks that a remote source does not refer to a local path; `text` is the reference.
pub(crate) fn check_place(by: &Remote, nested: &Remote, text: &str) -> Result<(), SourceError> {
    if !is_remote(by) || is_remote(nested) {
        return Ok(());
    }
    let message = format!("`{text}` is a path of this machine, which a remote source must not refer to");
    Err(SourceError::new(SourceErrorKind::LocalSource, message))
}

/// Returns whether a source is remote. Its author must not learn which files exist on this machine.
fn is_remote(remote: &Remote) -> bool {
    matches!(remote, Remote::Repository(url) if !url.starts_with("file://"))
}

/// Refuses a selection of an item that its source does not offer, because the intended item is unknown.
/// Sources that could not be read are not checked.
///
/// # Errors
///
/// Fails with the first such item.
pub(crate) fn check_selections(
    inventory: &Inventory,
    chain: &[(Identity, Selection)],
) -> Result<(), SourceError> {
    for (identity, selection) in chain {
        let Some(source) = inventory.find(identity) else { continue };
        let is_offered = |key: &&ItemKey| source.items.iter().any(|offered| offered.item.key() == **key);
        if let Some(key) = selected_items(selection).iter().find(|key| !is_offered(key)) {
            return Err(not_offered(key, identity));
        }
    }
    Ok(())
}

/// Creates the error for a selected item that is not offered.
pub(crate) fn not_offered(key: &ItemKey, identity: &Identity) -> SourceError {
    let message = format!("`install-items` contains {key}, which the source does not offer");
    SourceError::new(SourceErrorKind::Refused(RefusalKind::UnresolvedReference), message)
        .with_target(identity)
}

/// Returns the items of a selection, if it lists items.
pub(crate) fn selected_items(selection: &Selection) -> &[ItemKey] {
    match selection {
        Selection::Items(items) => items,
        Selection::None | Selection::All => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_sources_are_recognized_by_their_location() {
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
