//! All servers of a workspace: follows the file, and publishes the tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_core::{MCP_FILE, SETTINGS_FILE, TEAM_FILE};
use minds_diagnostics::find_nearest;
use minds_fs::{Root, Stamp};
use minds_state::journal::Journal;
use minds_state::problems::{GatewayProblem, GatewayReporter};
use minds_toolset::{FLEET_FOLDER, ForeignTool, Refusal};
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};

use super::refusal;
use super::relays::Relays;
use super::settings::Settings;
use super::slot::{Good, Slot};
use super::start::{Begin, Present};
use crate::client::ListedTool;
use crate::client::wire::lock;
use crate::listing::{self, ListedServer, Listing};
use crate::plan::{Goal, Step, plan};
use crate::problems::{self, ServerFacts};
use crate::{Config, Options, ServerEntry};

/// The interval at which the file is examined. It is read after it has not changed for this time.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// The servers of a workspace.
pub(super) struct ServerSet {
    pub(super) options: Options,
    /// When the gateway started, in milliseconds since 1970.
    pub(super) started_at: u64,
    root: Root,
    pub(super) runtime: Handle,
    pub(super) journal: Journal,
    /// The servers in the order of the file.
    slots: Mutex<Vec<Arc<Slot>>>,
    settings: Mutex<Settings>,
    /// Why the file as a whole cannot be used.
    file_error: Mutex<Option<String>>,
    /// The ids of servers of the file that are those of built-in servers.
    colliding: Mutex<Vec<String>>,
    published: Mutex<Published>,
    reporter: Arc<Mutex<Option<GatewayReporter>>>,
    /// Whether each server has listed its tools, is remembered, or has failed.
    pub(super) settled: watch::Sender<bool>,
    subscribers: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
    /// Is notified when something changed that is published.
    pub(super) dirty: Notify,
    /// What the user of the gateway passes on itself.
    relays: Option<Arc<Relays>>,
}

/// What was published last.
#[derive(Default)]
struct Published {
    tools: Option<Arc<[ForeignTool]>>,
    listing: Arc<Listing>,
    problems: Vec<GatewayProblem>,
}

/// The state of the files that are followed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stamps([Option<Stamp>; 4]);

impl ServerSet {
    pub(super) fn new(
        options: Options,
        runtime: Handle,
        relays: Option<Arc<Relays>>,
    ) -> Result<Arc<Self>, minds_process::SystemError> {
        let failed = |error| minds_process::SystemError::new("write to", &options.state, error);
        let journal = Journal::new(&options.state).map_err(failed)?;
        let root = Root::open(&options.workspace, MountId::WORKSPACE)?;
        let started_at = minds_process::now();
        let identity = format!("{}-{started_at}", std::process::id());
        // A gateway without a record of its problems works all the same.
        let state = options.is_recorded.then(|| Root::open_private(&options.state, MountId::WORKSPACE));
        let reporter =
            state.and_then(Result::ok).and_then(|state| GatewayReporter::start(state, &identity).ok());
        Ok(Arc::new(Self {
            options,
            started_at,
            root,
            runtime,
            journal,
            slots: Mutex::default(),
            settings: Mutex::default(),
            file_error: Mutex::default(),
            colliding: Mutex::default(),
            published: Mutex::default(),
            reporter: Arc::new(Mutex::new(reporter)),
            settled: watch::Sender::new(false),
            subscribers: Mutex::default(),
            dirty: Notify::new(),
            relays,
        }))
    }

    /// Returns the times and limits.
    pub(super) fn settings(&self) -> Settings {
        *lock(&self.settings)
    }

    /// Returns what the user of the gateway passes on itself.
    pub(super) fn relays(&self) -> Option<&Arc<Relays>> {
        self.relays.as_ref()
    }

    /// Returns a server.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Slot>> {
        lock(&self.slots).iter().find(|slot| slot.id == id).cloned()
    }

    /// Returns a server that is in the file.
    ///
    /// # Errors
    ///
    /// Refuses an unknown one.
    pub(super) fn require(&self, id: &str) -> Result<Arc<Slot>, Refusal> {
        self.find(id).ok_or_else(|| {
            let slots = lock(&self.slots);
            let near = find_nearest(id, slots.iter().map(|slot| slot.id.as_str()), 1);
            refusal::unknown(id, near.first().copied())
        })
    }

    /// Returns all servers in the order of the file.
    pub(super) fn slots(&self) -> Vec<Arc<Slot>> {
        lock(&self.slots).clone()
    }

    /// Returns the tools that were published last.
    pub(super) fn tools(&self) -> Arc<[ForeignTool]> {
        lock(&self.published).tools.clone().unwrap_or_default()
    }

    /// Returns the tools and those that were left out.
    pub(super) fn listing(&self) -> Arc<Listing> {
        Arc::clone(&lock(&self.published).listing)
    }

    /// Returns the open problems.
    pub(super) fn problems(&self) -> Vec<GatewayProblem> {
        lock(&self.published).problems.clone()
    }

    /// Calls a function after each change of the tools.
    pub(super) fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>) {
        lock(&self.subscribers).push(changed);
    }

    /// Publishes soon.
    pub(super) fn publish_soon(&self) {
        self.dirty.notify_one();
    }

    /// Returns the state of the files.
    pub(super) fn stamps(&self) -> Stamps {
        // The last two decide whether the toolset of the fleet is served.
        Stamps([MCP_FILE, SETTINGS_FILE, TEAM_FILE, FLEET_FOLDER].map(|file| {
            let path = WorkspacePath::parse(file).ok()?;
            self.root.resolving().stamp(&path).ok()
        }))
    }

    /// Reads the files, and does what has to be done.
    pub(super) fn reload(self: &Arc<Self>) {
        let error = match self.read() {
            Ok(config) => {
                self.apply(&config);
                None
            }
            Err(error) => Some(error),
        };
        *lock(&self.file_error) = error;
        self.publish_soon();
    }

    fn read(&self) -> Result<Config, String> {
        if let Some(found) = find_untrusted(&self.options.workspace)? {
            return Err(found);
        }
        let files = [MCP_FILE, SETTINGS_FILE].into_iter().filter_map(|file| WorkspacePath::parse(file).ok());
        let files = files.map(|path| Location::new(MountId::WORKSPACE, path));
        let snapshot = self.root.snapshot(&Scope::of_files(files));
        self.set_settings(Settings::read(&snapshot));
        let variable = |name: &str| minds_process::variable(name).ok().flatten();
        let workspace = &self.options.workspace;
        let mut config = Config::read(&snapshot, workspace, &variable).map_err(|error| error.to_string())?;
        if let Some(accepted) = &self.options.accepted {
            config.keep_accepted(&Config::read_declared(&snapshot, workspace), accepted);
        }
        Ok(config.with_fleet(&self.options))
    }

    fn set_settings(&self, settings: Settings) {
        let before = std::mem::replace(&mut *lock(&self.settings), settings);
        if before.call != settings.call
            && let Some(relays) = &self.relays
        {
            relays.set_limits(settings.call);
        }
    }

    fn apply(self: &Arc<Self>, config: &Config) {
        lock(&self.colliding).clone_from(&config.colliding);
        let before = self.slots();
        let known: BTreeMap<&str, Arc<Slot>> =
            before.iter().map(|slot| (slot.id.as_str(), Arc::clone(slot))).collect();
        let slots: Vec<Arc<Slot>> = config
            .servers
            .iter()
            .map(|entry| known.get(entry.id.as_str()).cloned().unwrap_or_else(|| Slot::new(&entry.id, self)))
            .collect();
        let entries: BTreeMap<&str, &ServerEntry> =
            config.servers.iter().map(|entry| (entry.id.as_str(), entry)).collect();
        let wanted: BTreeMap<&str, Goal> = config
            .servers
            .iter()
            .zip(&slots)
            .map(|(entry, slot)| (entry.id.as_str(), slot.set_entry(entry)))
            .collect();
        let actual = before.iter().map(|slot| (slot.id.as_str(), slot.actual())).collect();
        let steps = plan(&wanted, &actual);
        lock(&self.slots).clone_from(&slots);
        for slot in slots.iter().chain(before.iter().filter(|slot| !entries.contains_key(slot.id.as_str()))) {
            let step = steps.get(slot.id.as_str()).copied().unwrap_or(Step::Keep);
            let server = entries.get(slot.id.as_str()).and_then(|entry| entry.server.as_ref().ok());
            match step {
                Step::Start => {
                    if let Some(server) = server {
                        self.start(slot, server);
                    }
                }
                Step::Abandon => slot.abandon(),
                Step::Stop => slot.stop(),
                Step::Keep => {}
            }
            if let Some(server) = server {
                slot.update(server);
            }
        }
    }

    fn start(&self, slot: &Arc<Slot>, server: &crate::Server) {
        let fingerprint = server.fingerprint();
        let is_new = slot.state().good.is_none();
        if is_new && let Some(remembered) = self.journal.recall::<ListedTool>(&fingerprint) {
            slot.state().good = Some(Good {
                server: Arc::new(server.clone()),
                fingerprint,
                tools: remembered.tools.into(),
                is_shared: server.is_stateless,
                protocol: remembered.protocol,
                is_from_memory: true,
            });
        }
        let is_lazy = self.options.is_lazy || slot.is_built_in();
        if is_lazy && slot.state().good.as_ref().is_some_and(|good| good.fingerprint == fingerprint) {
            return;
        }
        slot.state().backoff.reset();
        slot.state().last_error = None;
        slot.start(Arc::new(server.clone()), Begin::Now, Present::Kept);
    }

    /// Publishes the tools, the problems, and whether all servers are known.
    pub(super) fn publish(&self) {
        let slots = self.slots();
        let mut facts: Vec<ServerFacts> = slots.iter().map(|slot| slot.facts()).collect();
        let collision = |id: &String| ServerFacts {
            id: id.clone(),
            collides: true,
            is_settled: true,
            ..ServerFacts::default()
        };
        facts.extend(lock(&self.colliding).iter().map(collision));
        let good: Vec<Option<(Good, bool)>> = slots
            .iter()
            .map(|slot| {
                let state = slot.state();
                state.good.clone().map(|good| (good, state.is_available()))
            })
            .collect();
        let listed = slots.iter().zip(&good).filter_map(|(slot, good)| {
            let (good, is_available) = good.as_ref()?;
            let (id, server, tools) = (slot.id.as_str(), good.server.as_ref(), good.tools.as_ref());
            let is_built_in = slot.is_built_in();
            Some(ListedServer { id, server, tools, is_available: *is_available, is_built_in })
        });
        let listing = listing::expose(listed);
        let file_error = lock(&self.file_error).clone();
        let found = problems::find(file_error.as_deref(), &facts, &listing);
        let is_settled = facts.iter().all(|facts| facts.is_settled);
        let mut published = lock(&self.published);
        let have_changed = published.tools.as_ref().is_none_or(|tools| **tools != *listing.tools);
        if have_changed {
            published.tools = Some(Arc::from(listing.tools.clone()));
        }
        let other_problems = published.problems != found;
        if other_problems {
            published.problems.clone_from(&found);
        }
        published.listing = Arc::new(listing);
        drop(published);
        if other_problems {
            self.publish_problems(found);
        }
        let was_settled = self.settled.send_replace(is_settled);
        if have_changed || was_settled != is_settled {
            for changed in &*lock(&self.subscribers) {
                changed();
            }
        }
    }

    fn publish_problems(&self, found: Vec<GatewayProblem>) {
        let reporter = Arc::clone(&self.reporter);
        self.journal.run(move || {
            if let Some(reporter) = &*lock(&reporter) {
                // The list of problems is only a record.
                let _ = reporter.publish(minds_process::now(), &found);
            }
        });
    }

    /// Ends all servers at once.
    pub(super) async fn end(&self) {
        let slots = std::mem::take(&mut *lock(&self.slots));
        let mut closing = Vec::new();
        for slot in slots {
            let connections = slot.take_all();
            closing.extend(connections.into_iter().map(|connection| {
                self.runtime.spawn(async move { connection.connection.close(true).await })
            }));
        }
        for task in closing {
            // A task that failed has dropped its connection.
            let _ = task.await;
        }
        let reporter = Arc::clone(&self.reporter);
        self.journal.run(move || {
            if let Some(reporter) = lock(&reporter).take() {
                // What stays open is resolved by the next reader.
                let _ = reporter.end(minds_process::now());
            }
        });
    }
}

/// Returns why the files of a workspace are not used: another user controls them.
fn find_untrusted(workspace: &Path) -> Result<Option<String>, String> {
    let minds = PathBuf::from(MCP_FILE);
    let folder = minds.parent().and_then(Path::to_str).unwrap_or_default();
    let found = minds_trust::find_untrusted_directory(workspace, &[folder, MCP_FILE, SETTINGS_FILE]);
    found.map(|found| found.map(|found| found.to_string())).map_err(|error| error.to_string())
}
