//! Plans to install, upgrade and remove items.

mod install;
mod remove;
mod upgrade;
