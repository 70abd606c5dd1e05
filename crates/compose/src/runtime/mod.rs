//! Runtime descriptors.

mod decode;
mod model;

pub use model::{BUILT_IN_RUNTIMES, RatePattern, Runtime};
