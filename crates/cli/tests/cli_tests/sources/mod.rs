//! Sources as users have them, and malicious sources: each of these is paired with a harmless one that differs only in the
//! attack. The malicious source is refused with its own kind of error and without changes outside of the directory of the
//! program; the harmless one is installed.
#![cfg(unix)]

mod attacks;
mod behaviour;
mod consent;
mod hooks;
mod keeping;
mod lifecycle;
mod naming;
mod questions;
mod reading;
mod remotes;
mod reports;
mod spellings;
mod ssh;
use crate::support::terminal;
mod world;

use crate::sources::attacks::{ATTACKS, Attack};
use crate::sources::world::World;

/// Runs an attack and its harmless twin.
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
