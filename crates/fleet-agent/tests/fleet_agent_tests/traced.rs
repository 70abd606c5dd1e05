//! An agent that is killed at each of its system calls, in any of its threads, from an input to the end of the item.
//!
//! With the variable `MINDS_TEST_EVERY_CALL`, every call is tried, and one in 25 without it.

use std::sync::mpsc::{Receiver, channel};

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::client::input;
use crate::kills::{Books, script};
use crate::place::{Place, eventually};

/// A process whose system calls are counted until it is killed at one of them.
struct Traced {
    process: Pid,
}

impl Traced {
    /// Begins to trace the threads of a process.
    fn new(process: u32) -> Self {
        let process = Pid::from_raw(i32::try_from(process).unwrap());
        let options =
            Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
        for entry in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
            let name = entry.unwrap().file_name();
            let thread = Pid::from_raw(name.to_str().unwrap().parse().unwrap());
            ptrace::seize(thread, options).unwrap();
            ptrace::interrupt(thread).unwrap();
        }
        Self { process }
    }

    /// Lets the process run until its system call with this number, and kills it; returns the number of calls until then, or
    /// until `has_ended`.
    fn kill_at(&self, at: u64, has_ended: &Receiver<()>) -> u64 {
        let mut calls = 0;
        loop {
            let status =
                waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD | WaitPidFlag::WNOHANG))
                    .unwrap();
            let Some(thread) = status.pid() else {
                if has_ended.try_recv().is_ok() {
                    break;
                }
                std::thread::yield_now();
                continue;
            };
            let signal = match status {
                WaitStatus::PtraceSyscall(_) => {
                    // Its beginning and its end are reported.
                    calls += 1;
                    if calls >= at {
                        break;
                    }
                    None
                }
                WaitStatus::Stopped(_, signal) if signal != Signal::SIGTRAP && signal != Signal::SIGSTOP => {
                    Some(signal)
                }
                WaitStatus::Exited(..) | WaitStatus::Signaled(..) => continue,
                _ => None,
            };
            match ptrace::syscall(thread, signal) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => panic!("{error}"),
            }
        }
        kill(self.process, Signal::SIGKILL).unwrap();
        // All threads report their end, the first one last.
        let of_tracees = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        while let Ok(status) = waitpid(None, Some(of_tracees)) {
            if matches!(status, WaitStatus::Signaled(process, ..) if process == self.process) {
                break;
            }
        }
        calls
    }
}

#[test]
fn an_agent_that_is_killed_at_each_system_call_loses_and_repeats_nothing() {
    let step = if std::env::var_os("MINDS_TEST_EVERY_CALL").is_some() { 1 } else { 25 };
    let place = Place::new(&script());
    let mut books = Books::default();
    let mut at = 1;
    loop {
        let agent = place.start();
        let mut client = place.owner();
        books.drop_parked(&place, &mut client);
        eventually("earlier items", || (client.waiting()? == 0).then_some(()));
        let traced = Traced::new(agent.id());
        let (end, has_ended) = channel();
        let request = client.request(&input("item"));
        let reads = std::thread::spawn(move || {
            client.send_only(request);
            let first = client.next_response();
            // Until the queue is empty, or the agent ends.
            while client.waiting().is_some_and(|count| count > 0) {}
            let _ = end.send(());
            (first, client)
        });
        let calls = traced.kill_at(at, &has_ended);
        // Its end was waited for.
        std::mem::forget(agent);
        let (first, mut client) = reads.join().unwrap();
        if let Some(response) = first {
            books.take(response.outcome);
        }
        books.take_answers(&mut client);
        if calls < at {
            break;
        }
        at += step;
    }
    let _agent = place.start();
    let mut client = place.owner();
    books.drop_parked(&place, &mut client);
    eventually("all items", || (client.waiting()? == 0).then_some(()));
    books.check(&place);
    assert!(at > 100, "an item has more system calls than {at}");
}
