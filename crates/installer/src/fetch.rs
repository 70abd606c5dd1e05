//! Fetching repositories.

use minds_git::{FetchEvent, FetchLimits, FetchRequest, FetchResult, Git, RemoteUrl, Revision};
use minds_sources::{Pin, Remote, RevisionName};

use crate::files::from_git;
use crate::home::Home;
use crate::{FetchSettings, Interaction, SourceError, SourceErrorKind};

/// The maximum number of repositories that are fetched at a time.
const AT_ONCE: usize = 8;

/// Fetches repositories concurrently, and reports the progress.
pub(crate) fn fetch(
    git: &Git,
    requests: &[FetchRequest],
    terms: FetchSettings,
    interaction: &mut dyn Interaction,
) -> Vec<Result<FetchResult, SourceError>> {
    let limits =
        FetchLimits { time: std::time::Duration::from_secs(terms.seconds), ..FetchLimits::default() };
    let progress = std::sync::Mutex::new((0_usize, interaction));
    let report = |at: usize, event: FetchEvent<'_>| {
        let Ok(mut progress) = progress.lock() else { return };
        if matches!(event, FetchEvent::Ended(_)) {
            progress.0 += 1;
        }
        let from = requests.get(at).map(|request| request.remote.as_str()).unwrap_or_default();
        let text = match event {
            FetchEvent::Progress(far) => {
                format!("fetched {} of {}; {from}: {}%", progress.0, requests.len(), far.percent)
            }
            _ => format!("fetched {} of {}; {from}", progress.0, requests.len()),
        };
        progress.1.progress(&text);
    };
    let fetched = git.fetch_all(requests, AT_ONCE, limits, &report);
    fetched.into_iter().map(|fetched| fetched.map_err(|error| from_git(&error))).collect()
}

/// Returns the URL from which git fetches a source.
pub(crate) fn remote_of(home: &Home, remote: &Remote) -> Result<RemoteUrl, SourceError> {
    let parsed = match remote {
        Remote::Folder(folder) => RemoteUrl::of_folder(folder.as_ref()),
        Remote::Repository(url) => match url.strip_prefix("https://").filter(|_| home.config.ssh) {
            Some(rest) => RemoteUrl::parse(&format!("ssh://git@{rest}")),
            None => RemoteUrl::parse(url),
        },
    };
    parsed.map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, format!("invalid URL: {error}")))
}

/// Returns the revision that git fetches for a pin.
pub(crate) fn revision(pin: &Pin) -> Revision {
    match pin {
        Pin::DefaultBranch => Revision::Default,
        Pin::FollowBranch(name) => Revision::Branch(name.to_string()),
        Pin::Tag(name) => Revision::Tag(name.to_string()),
        Pin::Ref(name) => Revision::Name(name.to_string()),
    }
}

/// Returns the pin with its commit as a full id, so that the commit of a `pin-ref` never changes.
pub(crate) fn resolve_pin(pin: &Pin, fetched: &FetchResult) -> Pin {
    match pin {
        Pin::Ref(_) => RevisionName::parse(fetched.commit().as_str()).map_or_else(|_| pin.clone(), Pin::Ref),
        other => other.clone(),
    }
}
