//! What a rendering is for.

use std::borrow::Cow;

use minds_render::clients::{Client, ClientRecord, TeamSettings};
use minds_render::{Target, TeamTarget};

use crate::rendering_place::RenderingPlace;
use crate::{OperationError, RenderRequest, render_clients};

/// The targets of a rendering.
#[derive(Debug)]
pub(crate) struct WantedTargets {
    /// The clients whose servers are rendered.
    pub(crate) clients: Vec<Client>,
    /// What is rendered from the members of the team.
    pub(crate) team: Vec<TeamTarget>,
    /// The targets for agents of a compose root or fleet; empty for the default ones.
    pub(crate) named: Vec<Target>,
    /// Whether agents are rendered.
    pub(crate) has_agents: bool,
}

impl WantedTargets {
    /// Returns the targets of a request, or those of the previous rendering if it has none.
    ///
    /// # Errors
    ///
    /// Fails if the place for agents is found but cannot be used.
    pub(crate) fn of(request: &RenderRequest<'_>) -> Result<Self, OperationError> {
        let previous = if request.targets.is_empty() { Self::of_previous(request)? } else { None };
        Ok(previous.unwrap_or_else(|| Self::split(request.targets)))
    }

    /// Divides targets by what they need.
    fn split(targets: &[Target]) -> Self {
        let mut wanted = Self { clients: Vec::new(), team: Vec::new(), named: Vec::new(), has_agents: false };
        for target in targets {
            match target {
                Target::Mcp(client) => wanted.clients.push(*client),
                Target::Team(target) => wanted.team.push(*target),
                other => wanted.named.push(*other),
            }
        }
        wanted.has_agents = targets.is_empty() || !wanted.named.is_empty();
        wanted
    }

    /// Returns the targets that were rendered before, for a request without targets; none if no client file was.
    ///
    /// # Errors
    ///
    /// Fails if the place for agents is found but cannot be used.
    fn of_previous(request: &RenderRequest<'_>) -> Result<Option<Self>, OperationError> {
        // Without a place, the rendering reports what is missing.
        let Ok(place) = RenderingPlace::find_workspace(request.base, request.root) else { return Ok(None) };
        let (_, record) = render_clients::read_record(&place.open()?);
        let Some(manifest) = record.manifest().filter(|manifest| !manifest.is_empty()) else {
            return Ok(None);
        };
        let clients = manifest.files.iter().map(|file| file.client).collect();
        let mut team: Vec<TeamTarget> = manifest.parts.iter().map(|part| part.target).collect();
        team.dedup();
        let has_agents = match RenderingPlace::for_request(request.base, request.root, true) {
            Ok(_) => true,
            Err(OperationError::NoCompose { .. }) => false,
            Err(error) => return Err(error),
        };
        Ok(Some(Self { clients, team, named: Vec::new(), has_agents }))
    }
}

/// Returns how members are rendered: as requested, else as before.
pub(crate) fn settings_for<'s>(
    request: &RenderRequest<'s>,
    record: &'s ClientRecord,
) -> Cow<'s, TeamSettings> {
    match (request.settings, record.manifest()) {
        (Some(settings), _) => Cow::Borrowed(settings),
        (None, Some(manifest)) => Cow::Borrowed(&manifest.settings),
        (None, None) => Cow::Owned(TeamSettings::default()),
    }
}
