//! The process of an agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minds_agent_tools::Level;
use minds_fleet_bus::{Announced, BootstrapToken, Bus};
use minds_fleet_protocol::{
    AgentInfo, AgentState, Coalescer, ErrorCode, Event, Failure, Redactor, TaskRecover, Warning, check_start,
};
use minds_fleet_store::{AgentStore, Recovery, StoreSettings};
use minds_process::{Signal, watch_signals};

use crate::clock::{now, timestamp};
use crate::config::{AgentConfig, Configuration};
use crate::files::ENGINE;
use crate::local_control::LocalControl;
use crate::metrics::{self, Metrics};
use crate::requests::Requests;
use crate::running::{Command, Shared};
use crate::tail::Tail;
use crate::tools::Tools;
use crate::worker::Worker;

/// What an agent needs for its first start.
#[derive(Debug, Default)]
pub struct FirstStart {
    /// Whether it needs a token.
    pub is_token_required: bool,
    /// The token.
    pub token: Option<BootstrapToken>,
}

/// What uses an agent in its own process, on a thread that ends with the process.
pub type ControlThread = Box<dyn FnOnce(LocalControl) + Send>;

/// Runs an agent until it is stopped: by a request, or by `SIGTERM`. `SIGINT` interrupts its work, and `SIGHUP` checks its files.
///
/// # Errors
///
/// Returns `bootstrap.invalid` without the token that it needs, `config.invalid` if the files have errors or the folders cannot be used, `duplicate.instance` if the agent runs
/// already or loses its place, and failures of the transport.
pub fn run(
    bus: &dyn Bus,
    configuration: &dyn Configuration,
    tools: Box<dyn Tools + '_>,
    first_start: FirstStart,
) -> Result<(), Failure> {
    run_with_control(bus, configuration, tools, first_start, None)
}

/// Like [`run`], with a thread that controls the agent too. The end of that thread does not end the agent.
///
/// # Errors
///
/// Returns the errors of [`run`].
pub fn run_with_control(
    bus: &dyn Bus,
    configuration: &dyn Configuration,
    tools: Box<dyn Tools + '_>,
    first_start: FirstStart,
    control: Option<ControlThread>,
) -> Result<(), Failure> {
    let config = configuration.start()?;
    let settings = StoreSettings {
        max_history_bytes: config.settings.history_max_bytes,
        retention_days: config.settings.retention_days,
        ..StoreSettings::default()
    };
    let (mut store, recovery) = AgentStore::open(&config.state_folder, settings, now())?;
    enroll(bus, &config, &mut store, first_start)?;
    // What is too old is removed from time to time; that it fails is not a reason not to start.
    let expired = store.remove_expired(now().time);
    let info = describe(&config);
    let Announced { agent: port, publisher } = bus.announce(info.clone(), now())?;
    let coalescer = Coalescer::new(config.settings.coalesce);
    let metrics = Metrics::default();
    let tail = Tail::new(publisher, redactor(&config)?, coalescer, metrics.clone());
    let shared = Arc::new(Shared::new(&config, store, tail, metrics));
    serve_metrics(&shared, &config)?;
    watch(&shared).map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))?;
    report_recovery(&shared, &recovery);
    if let Err(failure) = &expired {
        shared.note_error(failure);
    }
    if let Some(control) = control {
        let own = LocalControl::new(&shared)?;
        let thread = std::thread::Builder::new().name("control".to_owned());
        // It may wait for input for ever, so it is not waited for.
        let started = thread.spawn(move || control(own));
        started.map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))?;
    }
    let worker = Worker::new(&shared, configuration, tools);
    let has_ended = AtomicBool::new(false);
    let requests = Requests::new(&shared, bus, configuration, port, info, recovery.records);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("worker".to_owned());
        let started = thread.spawn_scoped(scope, || {
            worker.run();
            has_ended.store(true, Ordering::SeqCst);
            shared.wake();
        });
        started.map_err(|error| Failure::new(ErrorCode::HandlerError, error.to_string()))?;
        let served = requests.serve(|| has_ended.load(Ordering::SeqCst));
        // Without its place in the registry, the agent finishes no further step.
        shared.command(Command::ShutDown { is_hard: true });
        served
    })
}

/// Returns what replaces the secrets of an agent.
///
/// # Errors
///
/// Returns `config.invalid` if a pattern is not a regular expression.
pub(crate) fn redactor(config: &AgentConfig) -> Result<Redactor, Failure> {
    let secrets = config.secrets.iter().map(|secret| secret.0.clone());
    Redactor::new(&config.redact, secrets)
        .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, format!("invalid `redact`: {error}")))
}

fn describe(config: &AgentConfig) -> AgentInfo {
    AgentInfo {
        id: config.id.clone(),
        name: config.id.name().to_owned(),
        project: config.id.project().to_owned(),
        model: config.model_id(),
        cwd: config.cwd.clone(),
        host: minds_process::host_name(),
        pid: std::process::id(),
        started_at: timestamp().to_rfc3339().unwrap_or_default(),
        state: AgentState::Registered,
        ctx_pct: 0.0,
        tools: config.tools.given_tools().into_iter().map(str::to_owned).collect(),
        engine: config.engine.as_ref().map_or(ENGINE, |engine| engine.name.as_str()).to_owned(),
        epoch: 0,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sandbox: sandbox(config),
        queue: minds_fleet_protocol::methods::QueueCounts::default(),
        server_capabilities: AgentInfo::CAPABILITIES.map(str::to_owned).to_vec(),
        state_dir: config.state_folder.to_str().map(str::to_owned),
    }
}

/// Returns how far the programs of the agent are confined. An engine reads `/proc`.
fn sandbox(config: &AgentConfig) -> String {
    let most = if config.engine.is_some() { Level::Partial } else { Level::Full };
    config.tools.sandbox.min(most).to_string()
}

/// Decides whether the agent may start, and redeems its token.
fn enroll(
    bus: &dyn Bus,
    config: &AgentConfig,
    store: &mut AgentStore,
    first_start: FirstStart,
) -> Result<(), Failure> {
    let FirstStart { is_token_required, token } = first_start;
    let redeemed = token.map(|token| bus.redeem(&config.id, &token, now()));
    let is_redeemed = matches!(redeemed, Some(Ok(())));
    check_start(is_token_required, store.is_enrolled(), redeemed)?;
    if is_redeemed { store.set_enrolled(true) } else { Ok(()) }
}

fn watch(shared: &Arc<Shared>) -> std::io::Result<()> {
    let shared = Arc::clone(shared);
    watch_signals(move |signal| match signal {
        Signal::Terminate => shared.shut_down(false),
        Signal::Interrupt => drop(shared.stop_current(false, None)),
        Signal::Reload => shared.command(Command::Look),
    })
}

fn serve_metrics(shared: &Arc<Shared>, config: &AgentConfig) -> Result<(), Failure> {
    let Some(port) = config.settings.metrics_port else { return Ok(()) };
    let of_queue = Arc::clone(shared);
    metrics::serve(&shared.metrics, config.id.as_str(), port, move || {
        of_queue.store().queue().counts().pending
    })
}

fn report_recovery(shared: &Shared, recovery: &Recovery) {
    for warning in &recovery.warnings {
        shared.report(Event::new(Warning { msg: warning.clone() }));
    }
    shared.report(Event::new(TaskRecover {
        summaries_loaded: recovery.summaries_loaded,
        raw_turns_loaded: recovery.raw_turns_loaded,
        parked: recovery.parked.clone(),
    }));
}
