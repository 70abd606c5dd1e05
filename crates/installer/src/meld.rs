//! Adding sources.

use std::path::Path;

use minds_inventory::{AbsolutePath, Alias};
use minds_sources::{Hook, HookEvent, Pin, Prefix, RefusalKind, Remote, RevisionName, Selection, SourceSpec};

use crate::clones::Clones;
use crate::files::ReadSource;
use crate::gather::{Gatherer, WantedSource};
use crate::home::{Access, Home};
use crate::registration::Registration;
use crate::remeld::remeld;
use crate::source_hooks::of_source;
use crate::staging::Staging;
use crate::{
    Action, Consent, FetchSettings, Interaction, MeldRequest, Outcome, OutcomeKind, PinRequest, SourceError,
    SourceErrorKind, prefix,
};

/// Registers a source and its nested sources, and installs the selected items.
///
/// # Errors
///
/// Fails if the source itself cannot be read, or one of its hooks fails; nothing is registered then.
pub fn meld(
    directory: &Path,
    request: &MeldRequest,
    consent: &Consent,
    terms: &FetchSettings,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    if request.repo.is_none() && !consent.yes && !consent.dry_run && !interaction.is_interactive() {
        return Err(missing_repo_error(directory));
    }
    let home = Home::open(directory, Access::Write)?;
    let Some(spec) = spec(&home, request, interaction)? else {
        let mut outcome = Outcome::new(Action::Meld, request.repo.clone());
        outcome.outcome = OutcomeKind::Cancelled;
        return Ok(outcome);
    };
    let alias = alias(request.alias.as_deref())?;
    if request.locked {
        let (pin, roots) = (request.pin.as_ref().map(pin).transpose()?, None);
        let wanted = WantedSource { spec, alias, pin, roots, curator: None, selection: Selection::None };
        return crate::reproduce::reproduce_lock(&home, wanted, request, consent, terms, interaction);
    }
    let mut outcome = Outcome::new(Action::Meld, Some(spec.identity.to_string()));
    if let Some(known) = home.registry.find(&spec.identity) {
        if known.remote != spec.remote {
            let message = format!(
                "it is already registered from {}; remove that source first with `minds source remove`",
                known.url()
            );
            let kind = SourceErrorKind::Refused(RefusalKind::NameTaken);
            return Err(SourceError::new(kind, message).with_target(&spec.identity));
        }
        return remeld(&home, &spec.identity, request, &alias, consent, terms, interaction);
    }
    let wanted = WantedSource {
        spec: spec.clone(),
        alias,
        pin: request.pin.as_ref().map(pin).transpose()?,
        roots: roots(&request.roots)?,
        curator: None,
        selection: Selection::All,
    };
    let mut git = None;
    let staging = Staging::begin(&home)?;
    let mut clones = Clones::new(staging.transaction.folder().clone());
    let mut collector = Gatherer {
        home: &home,
        git: &mut git,
        clones: &mut clones,
        terms: *terms,
        interaction: &mut *interaction,
    };
    let mut gathered = collector.gather(wanted)?;
    let asks = request.alias.is_none() && !consent.yes && !consent.dry_run && interaction.is_interactive();
    if let Some(first) = gathered.sources.first_mut().filter(|_| asks)
        && !prefix::choose_prefix(&home, first, !request.link_only, interaction)?
    {
        outcome.outcome = OutcomeKind::Cancelled;
        return Ok(outcome);
    }
    if let (Some(run), Some(first)) = (&request.install_hook, gathered.sources.first_mut()) {
        first.read.registered.hooks = with_install_hook(&first.read, run);
    }
    let registration = Registration {
        home: &home,
        consent,
        request,
        staging,
        clones,
        first: Some(spec.identity),
        is_strict: false,
    };
    registration.finish(gathered, &mut git, interaction, &mut outcome)?;
    if outcome.outcome == OutcomeKind::NoOp {
        outcome.outcome = OutcomeKind::Melded;
    }
    Ok(outcome)
}

/// Creates the error for melding the current directory implicitly without a terminal.
fn missing_repo_error(directory: &Path) -> SourceError {
    let folder = minds_fs::real_directory(directory).unwrap_or_else(|_| directory.to_owned());
    let message = format!(
        "without REPO, the current folder `{}` would be added, which needs confirmation on a terminal; run `minds source add .` \
         to add it, or `minds source add . --dry-run` for a preview",
        folder.display()
    );
    SourceError::new(SourceErrorKind::ConsentRequired, message)
}

/// Parses the source specification; `None` if it is ambiguous and the user selects neither meaning.
fn spec(
    home: &Home,
    request: &MeldRequest,
    interaction: &mut dyn Interaction,
) -> Result<Option<SourceSpec>, SourceError> {
    let text = request.repo.as_deref().unwrap_or(".");
    let user = home.user.as_ref().map(AbsolutePath::as_str);
    let parse = |text: &str| {
        SourceSpec::parse(text, home.base.as_str(), user).map_err(|error| {
            SourceError::new(SourceErrorKind::InvalidSpec, format!("invalid source `{text}`: {error}"))
        })
    };
    let spec = parse(text)?;
    let base = Path::new(home.base.as_str());
    if !is_short(text, &spec) || !minds_fs::is_directory(&base.join(text)) {
        return Ok(Some(spec));
    }
    let (folder, repository) = (format!("./{text}"), format!("github:{text}"));
    if !interaction.is_interactive() {
        let message = format!(
            "`{text}` is a folder here but can also be a repository on GitHub; write `{folder}` or `{repository}`"
        );
        return Err(SourceError::new(SourceErrorKind::Refused(RefusalKind::Ambiguous), message)
            .with_target(&spec.identity));
    }
    let question = format!(
        "`{text}` is a folder here but can also be a repository on GitHub; type 1 for `{folder}`, 2 for `{repository}`"
    );
    match interaction.answer(&question).as_deref().map(str::trim) {
        Some("1") => parse(&folder).map(Some),
        Some("2") => Ok(Some(spec)),
        _ => Ok(None),
    }
}

/// Returns whether a specification has the form `owner/name`, which is also a relative path.
fn is_short(text: &str, spec: &SourceSpec) -> bool {
    let is_repository = matches!(spec.remote, Remote::Repository(_));
    is_repository && !text.contains(':') && !text.contains('@')
}

fn alias(given: Option<&str>) -> Result<Alias, SourceError> {
    let Some(given) = given else { return Ok(Alias::Declared) };
    let prefix = Prefix::parse(given).map_err(|error| {
        SourceError::new(SourceErrorKind::InvalidPrefix, format!("invalid prefix `{given}`: {error}"))
    })?;
    Ok(prefix.map_or(Alias::None, Alias::Prefix))
}

fn pin(request: &PinRequest) -> Result<Pin, SourceError> {
    let (PinRequest::Branch(text) | PinRequest::Tag(text) | PinRequest::Ref(text)) = request;
    let name = RevisionName::parse(text).map_err(|error| {
        let message = format!("invalid revision `{text}`: {error}");
        SourceError::new(SourceErrorKind::InvalidRevision, message)
    })?;
    Ok(match request {
        PinRequest::Branch(_) => Pin::FollowBranch(name),
        PinRequest::Tag(_) => Pin::Tag(name),
        PinRequest::Ref(_) => Pin::Ref(name),
    })
}

fn roots(given: &[String]) -> Result<Option<Vec<minds_vfs::WorkspacePath>>, SourceError> {
    if given.is_empty() {
        return Ok(None);
    }
    let parsed = given.iter().map(|root| {
        minds_vfs::WorkspacePath::normalize(root).map_err(|error| {
            SourceError::new(SourceErrorKind::InvalidSource, format!("invalid root `{root}`: {error}"))
        })
    });
    parsed.collect::<Result<Vec<_>, _>>().map(Some)
}

/// Returns the hooks of a source with its install hooks replaced by one command.
fn with_install_hook(source: &ReadSource, run: &str) -> Vec<Hook> {
    let install = Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Install };
    let rest = of_source(source).into_iter().filter(|hook| hook.event == HookEvent::Uninstall);
    std::iter::once(install).chain(rest).collect()
}
