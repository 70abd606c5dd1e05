//! Sources as users have them, and sources that are made to harm: each of these beside one that differs only in the attack.
//! The first is refused with a kind of its own and nothing outside of the folder of the program changes, the second installs.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test runs the command, and may stop at once"
)]

mod asked;
mod attacks;
mod behaviour;
mod consent;
mod early;
mod far;
mod hooks;
mod keeping;
mod lifecycle;
mod naming;
mod reading;
mod remotes;
mod telling;
#[path = "../support/terminal.rs"]
mod terminal;
mod world;

use crate::attacks::{ATTACKS, Attack};
use crate::world::World;

/// Runs an attack and its twin.
#[track_caller]
fn check(attack: &Attack) {
    let hostile = World::new();
    (attack.build)(&hostile, true);
    let before = hostile.outside();
    let run = hostile.minds(&(attack.args)(&hostile));
    assert_eq!(run.exit, 1, "{}: {}{}", attack.name, run.stdout, run.stderr);
    let kind = run.kind();
    assert!(attack.kinds.contains(&kind.as_str()), "{}: {kind}: {}", attack.name, run.stdout);
    assert_eq!(hostile.outside(), before, "{}", attack.name);
    assert!(run.seconds < 20.0, "{} took {} seconds", attack.name, run.seconds);

    let harmless = World::new();
    (attack.build)(&harmless, false);
    let run = harmless.minds(&(attack.args)(&harmless));
    assert_eq!(run.exit, 0, "the twin of {}: {}{}", attack.name, run.stdout, run.stderr);
    let installed = harmless.home().join(".claude").join(attack.installs);
    assert!(installed.exists(), "the twin of {} installs {}", attack.name, attack.installs);
}

#[test]
fn every_attack_is_refused_and_its_twin_installs() {
    for attack in ATTACKS {
        check(attack);
    }
}
