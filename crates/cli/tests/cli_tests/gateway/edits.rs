//! The short version of `cargo xtask gateway edits`.

use super::World;
use super::harness::edits::edit;
use crate::random::Random;

/// The number of edits.
const COUNT: usize = 60;

#[test]
fn tools_and_processes_are_those_of_a_plain_model() {
    let world = World::new();
    let seed = minds_process::random::<8>().map(u64::from_le_bytes).unwrap();
    let observed = edit(&world, COUNT, &mut Random::new(seed));
    let observed = observed.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(observed.changes.values().sum::<usize>(), COUNT);
    assert!(observed.lists >= COUNT && observed.calls >= COUNT, "seed {seed}: {observed:?}");
}
