//! Processes of this program that outlive it.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::{ProgramEnd, end_of};

/// A process that goes on when this one ends. It has no standard input and output.
///
/// It leaves the session and the terminal of this process when it calls [`start_session`].
#[derive(Debug)]
pub struct DetachedProcess {
    child: Child,
}

impl DetachedProcess {
    /// Starts a program with the environment of this process and further variables, and with `stderr` as its standard error.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be started.
    pub fn start<S: AsRef<OsStr>>(
        program: &Path,
        args: &[S],
        variables: &[(&str, &str)],
        directory: &Path,
        stderr: OwnedFd,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(args).envs(variables.iter().copied()).current_dir(directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        Ok(Self { child: command.spawn()? })
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns how it ended; none if it still runs.
    ///
    /// # Errors
    ///
    /// Fails if it was waited for elsewhere.
    pub fn end(&mut self) -> io::Result<Option<ProgramEnd>> {
        Ok(self.child.try_wait()?.map(end_of))
    }
}

/// Leaves the session of the process that started this one, so that neither its terminal nor its end reaches this process. A
/// process that leads a session or a group already keeps it.
pub fn start_session() {
    // The only error is that this process leads a group, which a terminal does not reach either.
    let _ = rustix::process::setsid();
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn a_detached_process_writes_its_errors_to_the_file_that_it_got() {
        let (reader, writer) = io::pipe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let script = "echo \"$WORD in $(pwd)\" >&2; exit 3";
        let mut process = DetachedProcess::start(
            Path::new("/bin/sh"),
            &["-c", script],
            &[("WORD", "hello")],
            folder.path(),
            writer.as_fd().try_clone_to_owned().unwrap(),
        )
        .unwrap();
        drop(writer);
        assert!(process.id() > 0);
        let said = io::read_to_string(reader).unwrap();
        assert!(said.starts_with("hello in "), "{said}");
        let end = loop {
            if let Some(end) = process.end().unwrap() {
                break end;
            }
        };
        assert_eq!(end, ProgramEnd::Exited(3));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let (_reader, writer) = io::pipe().unwrap();
        let none =
            DetachedProcess::start::<&str>(Path::new("/no/such"), &[], &[], Path::new("/"), writer.into());
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
