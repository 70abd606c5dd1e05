//! Containers: an image in which the agents run, and a container for each agent.

mod compose_file;
mod dockerfile;
mod document;

use minds_vfs::FileMode;

use crate::artifact::Artifact;
use crate::services::{Notes, Service, artifact};
use crate::target::Target;

/// The default home directory of the user that agents run as. It is the only directory of the image that
/// belongs to this user.
const HOME: &str = "/home/agent";

/// The address of the Redis server in the container network.
pub(crate) const REDIS_URL: &str = "redis://redis:6379/0";

/// Returns the files for all services, or `None` and findings if a value cannot be written or there is no
/// service.
///
/// `name` distinguishes these containers from other containers on the same machine; it consists of lowercase
/// letters, digits and `-`.
pub(crate) fn render(
    services: &[Service],
    name: &str,
    target: Target,
    notes: &mut Notes<'_>,
) -> Option<Vec<Artifact>> {
    let first = services.first()?;
    let program = first.command.first()?;
    // If all services have the same program, it becomes the entry point of the image, else that of each
    // container.
    let is_same = services
        .iter()
        .all(|service| service.command.first().is_some_and(|other| other.text == program.text));
    let home = home(services);
    let image = dockerfile::render(is_same.then_some(program), &home, notes);
    let containers = compose_file::render(services, name, &home, is_same, notes);
    let mut inputs: Vec<String> =
        services.iter().flat_map(|service| service.inputs.iter().cloned()).collect();
    inputs.sort();
    inputs.dedup();
    let files = [("Dockerfile", image?), ("compose.yaml", containers?)];
    let made = files.map(|(file, text)| {
        artifact(&format!("state/docker/{file}"), text, FileMode::Regular, target, inputs.clone())
    });
    made.into_iter().collect::<Result<_, _>>().ok()
}

/// Returns a home directory that is not inside a mounted directory.
fn home(services: &[Service]) -> String {
    let is_taken = |home: &str| {
        let mut bound = services.iter().flat_map(|service| service.directories.iter().chain(&service.files));
        bound.any(|bound| {
            let rest = home.strip_prefix(bound.text.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    // There are more candidates than mounted directories, and `/` cannot be mounted.
    let others = (1..=services.len() * 16).map(|number| format!("/home-of-agents-{number}"));
    [HOME.to_owned()]
        .into_iter()
        .chain(others)
        .find(|home| !is_taken(home))
        .unwrap_or_else(|| HOME.to_owned())
}
