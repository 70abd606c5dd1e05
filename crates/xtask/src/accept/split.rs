//! An agent that is separated from its server, and a second one that starts elsewhere meanwhile.
//!
//! Two network namespaces are two machines: the server and the second agent on one, the first agent on the other. The link
//! between them is taken down. It needs the rights of root, and the programs `ip` and `redis-server`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long the link is down.
const SEPARATION: Duration = Duration::from_mins(1);
/// How soon everything has to happen after it is possible.
const LIMIT: Duration = Duration::from_secs(15);
const TICK: Duration = Duration::from_millis(50);
const SERVER: &str = "10.77.0.1";
const CLIENT: &str = "10.77.0.2";
const PORT: &str = "6399";

pub(super) fn run(program: &Path) -> Result<(), String> {
    let machines = Machines::new()?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let server = ["redis-server", "--bind", SERVER, "--port", PORT, "--save", "", "--protected-mode", "no"];
    let _server = Running(quiet(machines.command(0, &server)).spawn().map_err(|error| error.to_string())?);
    let [first, second] = ["first", "second"].map(|name| place.path().join(name));
    write_fleet(&first)?;
    write_fleet(&second)?;
    let fleet = |machine: usize, folder: &Path, args: &[&str]| {
        let mut command = machines.command(machine, &[program.to_str().unwrap_or_default()]);
        command.args(args).current_dir(folder).env("MINDS_HOME", folder.join("home")).env("HOME", folder);
        command.env("ATEAM_REDIS_URL", format!("redis://{SERVER}:{PORT}")).stdin(Stdio::null());
        command
    };
    let list = || read(&mut fleet(0, &second, &["ps", "--json"]));
    let agent = ["agent", "shop/zeus"];

    let mut one = Running(quiet(fleet(1, &first, &agent)).spawn().map_err(|error| error.to_string())?);
    wait("the first agent is listed", || list()["agents"][0]["pid"].as_u64())?;
    let epoch = list()["agents"][0]["epoch"].as_u64();
    expect(&answer(&mut fleet(0, &second, &["send", "zeus", "--wait", "--json", "one"])), "done")?;

    machines.set_link("down")?;
    let separated = Instant::now();
    // The second one is refused until the lock of the first one has expired.
    let mut two = None;
    while two.is_none() {
        let mut started =
            Running(quiet(fleet(0, &second, &agent)).spawn().map_err(|error| error.to_string())?);
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = started.0.try_wait().map_err(|error| error.to_string())? {
                break status.code();
            }
            if list()["agents"][0]["epoch"].as_u64() > epoch && begun.elapsed() > TICK {
                break None;
            }
            sleep(TICK);
        };
        match ended {
            None => two = Some(started),
            Some(11) if separated.elapsed() < LIMIT => {}
            code => {
                return Err(format!(
                    "the second agent ended with {code:?} after {:.1?}",
                    separated.elapsed()
                ));
            }
        }
    }
    println!("  the second agent runs {:.1?} after the separation", separated.elapsed());
    expect(&answer(&mut fleet(0, &second, &["send", "zeus", "--wait", "--json", "two"])), "done")?;
    sleep(SEPARATION.saturating_sub(separated.elapsed()));
    if one.0.try_wait().map_err(|error| error.to_string())?.is_some() {
        return Err("the first agent ended without its server".to_owned());
    }

    machines.set_link("up")?;
    let joined = Instant::now();
    let code = wait("the first agent ends", || one.0.try_wait().ok().flatten())?.code();
    println!("  the first agent ended with {code:?} {:.1?} after the link returned", joined.elapsed());
    if code != Some(11) {
        return Err("the first agent did not end with 11".to_owned());
    }
    if list()["agents"].as_array().map(Vec::len) != Some(1) || list()["agents"][0]["epoch"].as_u64() <= epoch
    {
        return Err(format!("the registry is wrong: {}", list()));
    }
    expect(&answer(&mut fleet(0, &second, &["send", "zeus", "--wait", "--json", "three"])), "done")?;
    // Readers follow the higher epoch: after a frame of it, no frame of the lower one.
    let frames =
        fleet(0, &second, &["tail", "zeus", "--json"]).output().map_err(|error| error.to_string())?;
    let frames = String::from_utf8_lossy(&frames.stdout).into_owned();
    let epochs =
        frames.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["epoch"].as_u64());
    if !epochs.is_sorted() {
        return Err("a frame of the lower epoch follows one of the higher one".to_owned());
    }
    // Each machine has its own files.
    for (folder, text, count) in
        [(&first, "one", 1), (&second, "two", 1), (&first, "two", 0), (&second, "one", 0)]
    {
        let history = folder.join(".ateam/agents/zeus/state/history.jsonl");
        let history = fs::read_to_string(history).map_err(|error| error.to_string())?;
        if history.matches(&format!("\"content\":\"{text}\"")).count() != count {
            return Err(format!("the history in {} is wrong", folder.display()));
        }
    }
    let ended = two.map(|mut two| two.0.try_wait()).transpose().map_err(|error| error.to_string())?;
    if ended.flatten().is_some() {
        return Err("the second agent ended".to_owned());
    }
    Ok(())
}

/// Writes a fleet with one agent.
fn write_fleet(folder: &Path) -> Result<(), String> {
    let script = "{\"text\":\"done\"}\n".repeat(10);
    let model = "models:\n  m: {provider: scripted, context_window_size: 8000, model_settings: {script: .ateam/s.jsonl}}\n";
    for (path, text) in [
        (".ateam/project.yaml", "name: shop\n"),
        (".ateam/models.yaml", model),
        (".ateam/s.jsonl", &script),
        (".ateam/agents/zeus/agent.yaml", "name: zeus\nmodel: m\nprompt: {base: base.md}\n"),
        (".ateam/agents/zeus/base.md", "You answer.\n"),
    ] {
        let path: PathBuf = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(|error| error.to_string())?;
        fs::write(path, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn quiet(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn read(command: &mut Command) -> Value {
    let output = command.output().ok();
    output.and_then(|Output { stdout, .. }| serde_json::from_slice(&stdout).ok()).unwrap_or_default()
}

fn answer(command: &mut Command) -> String {
    let document = read(command);
    document["text"].as_str().map_or_else(|| document.to_string(), str::to_owned)
}

fn expect(found: &str, expected: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("expected the answer `{expected}`, found {found}")) }
}

fn wait<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> Result<T, String> {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return Ok(found);
        }
        if start.elapsed() > LIMIT {
            return Err(format!("{what}: not within {LIMIT:?}"));
        }
        sleep(TICK);
    }
}

/// A process that is killed with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two network namespaces with a link between them, which are removed with this value.
struct Machines([String; 2]);

impl Machines {
    fn new() -> Result<Self, String> {
        let names = ["a", "b"].map(|name| format!("minds-{}-{name}", std::process::id()));
        let machines = Self(names);
        let [one, two] = &machines.0;
        for name in &machines.0 {
            ip(&["netns", "add", name])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
        }
        ip(&["-n", one, "link", "add", "link0", "type", "veth", "peer", "name", "link0", "netns", two])?;
        for (name, address) in [(one, SERVER), (two, CLIENT)] {
            ip(&["-n", name, "addr", "add", &format!("{address}/24"), "dev", "link0"])?;
            ip(&["-n", name, "link", "set", "link0", "up"])?;
        }
        Ok(machines)
    }

    /// Returns a command on one of the machines.
    fn command(&self, machine: usize, words: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0[machine]]).args(words);
        command
    }

    fn set_link(&self, state: &str) -> Result<(), String> {
        ip(&["-n", &self.0[1], "link", "set", "link0", state])
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = Command::new("ip").args(["netns", "del", name]).stderr(Stdio::null()).status();
        }
    }
}

fn ip(args: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(args).output().map_err(|error| format!("`ip`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`ip {}`: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}
