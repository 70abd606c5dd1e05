//! The short version of `cargo xtask gateway ends`.

use super::World;
use super::harness::ends::{Ending, end, prepare};

fn check(endings: &[Ending]) {
    let world = World::new();
    prepare(&world);
    for ending in endings {
        end(&world, *ending).unwrap_or_else(|error| panic!("{}: {error}", ending.name()));
    }
}

#[test]
fn servers_that_do_not_end_by_themselves_end_with_minds_mcp() {
    check(&[Ending::Closed, Ending::Terminated, Ending::Killed, Ending::GroupKilled]);
}

#[test]
fn a_stopped_worker_does_not_keep_servers() {
    check(&[Ending::ClosedWithoutWorker, Ending::KilledWithoutWorker]);
}

#[test]
fn a_stopped_supervisor_does_not_keep_minds_mcp() {
    check(&[Ending::ClosedWithoutSupervisor]);
}

#[test]
fn a_worker_that_does_not_run_at_present_is_not_started_for_the_end() {
    check(&[Ending::ClosedInPause, Ending::KilledInPause]);
}
