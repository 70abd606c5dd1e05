//! Values of every kind through the encoders of services and containers: what a reader runs is what was meant, or the value
//! is refused.

use minds_render::Target;

use super::Options;

/// The readers are those of the tests, written from the documentation of the targets.
#[path = "../../../render/tests/readers/mod.rs"]
mod readers;

/// Renders services with values of every kind for each target, and prints how many were written and how many refused.
///
/// # Errors
///
/// Says what was read as something else.
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
        println!("{target}: {written} services were read back as they were written, {refused} were refused");
        if written < options.values / 20 || refused < options.values / 20 {
            return Err("too few values were written, or refused".to_owned());
        }
    }
    Ok(())
}
