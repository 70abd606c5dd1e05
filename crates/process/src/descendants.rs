//! The processes that a process which ended left running.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};

use crate::group::lock_started_groups;

/// The maximum number of rounds in which descendants are killed; those of a killed process are found in the next round.
const MAX_ROUNDS: usize = 1_000;

/// Makes this process the parent of all its descendants whose parents end. Elsewhere than on Linux this has no effect.
///
/// # Errors
///
/// Fails if the kernel refuses.
pub fn adopt_descendants() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// Waits for the adopted processes that have ended, which would stay as zombies. The programs of this process are left to
/// their owners, so this must be called by the thread that starts them.
pub fn reap_adopted() {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    // Mostly none has ended, and the list of processes is long.
    if !matches!(waitid(WaitId::All, options | WaitIdOptions::NOWAIT), Ok(Some(_))) {
        return;
    }
    let started = lock_started_groups().clone();
    let is_adopted =
        |child: &Pid| !started.iter().any(|id| u32::try_from(child.as_raw_nonzero().get()) == Ok(*id));
    for child in children().into_iter().filter(is_adopted) {
        // Those that run are not waited for.
        let _ = waitid(WaitId::Pid(child), options);
    }
}

/// Kills all processes that descend from this one, which must not wait for any of them elsewhere.
pub fn kill_descendants() {
    for _ in 0..MAX_ROUNDS {
        if reap() {
            return;
        }
        for child in children() {
            // It may have ended.
            let _ = kill_process(child, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Asks all processes that descend from this one to end, also those with a session or a process group of their own.
pub fn terminate_descendants() {
    let parents = parents();
    let mut found = vec![getpid().as_raw_nonzero().get()];
    // Each turn appends the children of one process, so the list is complete when it ends.
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        next += 1;
    }
    for id in found.into_iter().skip(1).filter_map(Pid::from_raw) {
        // It may have ended.
        let _ = kill_process(id, Signal::TERM);
    }
}

/// Waits for the adopted processes that have ended, which would stay as zombies, up to the end of the program `own`, which is left
/// to its owner.
pub fn reap_adopted_except(own: u32) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    while let Ok(Some(_)) = waitid(WaitId::All, options | WaitIdOptions::NOWAIT) {
        let ended = children().into_iter().filter(|child| u32::try_from(child.as_raw_nonzero().get()) != Ok(own));
        let reaped = ended.filter(|child| matches!(waitid(WaitId::Pid(*child), options), Ok(Some(_)))).count();
        if reaped == 0 {
            return;
        }
    }
}

/// Waits for the children that have ended, and returns whether none is left.
fn reap() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns the children of this process; none where the system does not list them.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let children = parents().into_iter().filter(|(_, parent)| *parent == own);
    children.filter_map(|(id, _)| Pid::from_raw(id)).collect()
}

/// Returns each process and its parent; none where the system does not list them.
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let parent = |id: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program, in parentheses, may contain anything.
        let (_, rest) = stat.rsplit_once(") ")?;
        Some((id, rest.split(' ').nth(1)?.parse().ok()?))
    };
    ids.filter_map(parent).collect()
}
