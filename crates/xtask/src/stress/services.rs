//! Encoders of services and containers with values of every kind: a reader runs exactly the original command,
//! or the value is refused.

use minds_render::Target;

use super::Options;

/// The readers of the tests, written from the documentation of the targets.
#[path = "../../../render/tests/render_tests/readers/mod.rs"]
mod readers;

/// Renders services with values of every kind for each target, and prints the numbers of written and refused
/// services.
///
/// # Errors
///
/// Returns a value that was misread.
pub(super) fn run(options: &Options) -> Result<(), String> {
    for target in Target::SERVICES {
        let mut chance = readers::Chance(options.seed);
        let (mut written, mut refused) = (0_usize, 0_usize);
        for _ in 0..options.values {
            let service = readers::service(&mut chance);
            match readers::round_trip(&service, *target) {
                Ok(true) => written += 1,
                Ok(false) => refused += 1,
                Err(why) => return Err(format!("{target}: {why}\n{service:?}")),
            }
        }
        println!("{target}: {written} services were read back correctly, {refused} were refused");
        if written < options.values / 20 || refused < options.values / 20 {
            return Err("too few values were written, or refused".to_owned());
        }
    }
    Ok(())
}
