//! MCP client files with values of every kind: a client reads exactly the original values, or the server is
//! refused.

use std::cell::Cell;

use minds_render::clients::Client;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::Options;

// The reader and the values of the tests are used.
#[path = "../../../render/tests/render_tests/clients/round_trip.rs"]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what cannot be read ends the attack"
)]
mod round_trip;
#[path = "../../../render/tests/render_tests/clients/strategies.rs"]
#[allow(clippy::unwrap_used, reason = "these names are names")]
mod strategies;

/// Renders servers with values of every kind for each client, and prints the numbers of written and refused
/// servers.
///
/// # Errors
///
/// Returns a value that was misread.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let cases = u32::try_from(options.values).unwrap_or(u32::MAX);
    for client in Client::ALL {
        let mut seed = [0; 32];
        seed.iter_mut().zip(options.seed.to_le_bytes()).for_each(|(byte, given)| *byte = given);
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let (written, refused) = (Cell::new(0_usize), Cell::new(0_usize));
        let outcome = runner.run(&strategies::server("s"), |server| {
            match round_trip::round_trip(client, &server) {
                Ok(true) => written.set(written.get() + 1),
                Ok(false) => refused.set(refused.get() + 1),
                Err(why) => return Err(proptest::test_runner::TestCaseError::fail(why)),
            }
            Ok(())
        });
        let name = client.title();
        outcome.map_err(|error| format!("{name}: {error}"))?;
        let (written, refused) = (written.get(), refused.get());
        println!("{name}: {written} servers were read back correctly, {refused} were refused");
        // One client accepts nearly all values.
        if written < options.values / 20 || refused < options.values / 200 {
            return Err("too few values were written, or refused".to_owned());
        }
    }
    Ok(())
}
