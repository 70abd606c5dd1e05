//! Agents in processes of their own, over the local bus.

mod client;
mod context;
mod items;
mod place;
mod stops;
mod tools;

/// Is an agent if the variable with its place is set.
#[test]
fn agent() {
    if let Some(folder) = std::env::var_os(place::FOLDER) {
        place::run_agent(folder.as_ref());
    }
}
