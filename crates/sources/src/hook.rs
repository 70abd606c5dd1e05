//! Hooks: commands that a source wants to run.

/// When a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookEvent {
    /// After the installation of its source or item.
    #[default]
    Install,
    /// Before the removal of its source or item.
    Uninstall,
}

impl HookEvent {
    /// Every event.
    pub const ALL: [Self; 2] = [Self::Install, Self::Uninstall];

    /// Returns the name of the event, as in `mind.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Uninstall => "uninstall",
        }
    }

    /// Returns the event with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// A command for the shell of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The command, exactly as written: consent is given to this text.
    pub run: String,
    /// Its name; without one, the command is shown.
    pub name: Option<String>,
    /// Whether it may be skipped.
    pub is_optional: bool,
    /// The event at which it runs.
    pub event: HookEvent,
}
