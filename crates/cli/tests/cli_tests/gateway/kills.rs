//! The short version of `cargo xtask gateway kill`.

use super::harness::kills::{Victim, kill, prepare};
use super::harness::processes::{Family, signal};
use super::{World, eventually, pid};
use crate::random::Random;

/// The number of kills.
const COUNT: usize = 5;

/// What servers listed is remembered, but that may be lost.
#[test]
fn a_worker_that_replaces_another_one_needs_no_remembered_tools() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let before = pid(&mut session, "open_file");
    let family = Family::of(session.pid().parse().unwrap(), &world.marker()).unwrap();
    let remembered = || -> Vec<std::path::PathBuf> {
        let folders = std::fs::read_dir(world.path("home/minds/state")).into_iter().flatten();
        let gateways = folders.map(|folder| folder.unwrap().path().join("gateway"));
        let files = gateways.flat_map(|gateway| std::fs::read_dir(gateway).into_iter().flatten());
        let is_list =
            |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("tools-");
        files.map(|file| file.unwrap().path()).filter(is_list).collect()
    };
    // Calls do not wait for the thread that writes.
    let lists =
        eventually("the lists of both servers", || Some(remembered()).filter(|lists| lists.len() == 2));
    for list in lists {
        std::fs::remove_file(list).unwrap();
    }
    signal("KILL", family.worker.into());
    eventually("another worker", || {
        let another = Family::of(family.mcp, &world.marker()).unwrap().worker != family.worker;
        another.then_some(())
    });
    assert_ne!(pid(&mut session, "open_file"), before);
}

fn kill_often(victim: Victim) {
    let world = World::new();
    prepare(&world);
    let mut random = Random::new(1);
    for number in 1..=COUNT {
        let observed = kill(&world, victim, &mut random);
        let observed = observed.unwrap_or_else(|error| panic!("kill {number} of {}: {error}", victim.name()));
        // A call that is never answered runs in any case.
        assert!(victim == Victim::Supervisor || observed.running > 0, "{observed:?}");
        assert!(observed.results + observed.refusals <= observed.calls, "{observed:?}");
    }
}

#[test]
fn a_server_that_is_killed_ends_only_its_calls() {
    kill_often(Victim::Server);
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    kill_often(Victim::Worker);
}

#[test]
fn a_supervisor_that_is_killed_ends_no_call() {
    kill_often(Victim::Supervisor);
}

#[test]
fn minds_mcp_that_is_killed_leaves_nothing() {
    kill_often(Victim::Mcp);
}
