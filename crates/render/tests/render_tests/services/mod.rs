//! Services that run agents.

mod consumers;
mod containers;
mod golden;
mod places;
mod properties;
mod refusals;
mod yaml_versions;
