//! Folders for a command, and what it does in them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_exec::{
    Command, ExecEvent, Folders, Outcome, Program, Running, SandboxRules, Stream, SupervisorProgram,
};

/// The longest time that a test waits for an event.
pub(crate) const WAIT: Duration = Duration::from_secs(60);

/// A working folder and, next to it, a folder that commands cannot access.
pub(crate) struct Place {
    top: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in ["work", "outside", "outside/home", "temporary"] {
            std::fs::create_dir(top.path().join(folder)).unwrap();
        }
        Self { top }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.top.path().join("work")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.top.path().join("outside")
    }

    pub(crate) fn rules(&self) -> SandboxRules {
        SandboxRules::new(&Folders {
            working_folder: &self.work(),
            whitelist: &[],
            exec_read: &[],
            exec_write: &[],
        })
    }

    /// Returns a confined command.
    pub(crate) fn command(&self, line: &str) -> Command {
        let variables = [("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"), ("LANG", "C")];
        Command {
            program: Program::Shell(line.to_owned()),
            cwd: self.work(),
            environment: variables.map(|(name, value)| (name.into(), value.into())).to_vec(),
            pty: false,
            time_limit: Some(Duration::from_secs(20)),
            sandbox: Some(self.rules()),
            temporary_folder: Some(self.top.path().join("temporary")),
        }
    }
}

/// The program that supervises the commands of the tests.
pub(crate) fn supervisor() -> SupervisorProgram {
    SupervisorProgram { program: PathBuf::from(env!("CARGO_BIN_EXE_minds-exec-supervisor")), args: Vec::new() }
}

/// One that behaves as on a kernel without a sandbox.
pub(crate) fn supervisor_without_sandbox() -> SupervisorProgram {
    SupervisorProgram { args: vec![OsString::from("none")], ..supervisor() }
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) outcome: Outcome,
}

pub(crate) fn run(command: &Command) -> Done {
    finish(&mut command.start(&supervisor()).unwrap())
}

/// Reads the events of a command to its end.
pub(crate) fn finish(running: &mut Running) -> Done {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match running.next(WAIT).unwrap().expect("it ends in time") {
            ExecEvent::Output { stream: Stream::Stdout, bytes } => stdout.extend(bytes),
            ExecEvent::Output { stream: Stream::Stderr, bytes } => stderr.extend(bytes),
            ExecEvent::Ended(outcome) => {
                assert_eq!(running.next(Duration::ZERO).unwrap(), None, "nothing follows the end");
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                return Done { stdout: text(stdout), stderr: text(stderr), outcome };
            }
        }
    }
}

/// Returns the processes of which a command line contains this.
pub(crate) fn processes(marker: &str) -> Vec<String> {
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let lines = ids.filter_map(|id| {
        let line = std::fs::read(Path::new("/proc").join(id).join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(marker)).collect()
}
