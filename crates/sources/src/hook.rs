//! Commands that a source wants to have run.

/// When a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookEvent {
    /// After what it belongs to was installed.
    #[default]
    Install,
    /// Before what it belongs to is removed.
    Uninstall,
}

impl HookEvent {
    /// Every event.
    pub const ALL: [Self; 2] = [Self::Install, Self::Uninstall];

    /// Returns the word for the event.
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
    /// The command, exactly as it is written: consent is to this text.
    pub run: String,
    /// What it is called; the command if it has no name.
    pub name: Option<String>,
    /// Whether one may leave it out.
    pub is_optional: bool,
    /// When it runs.
    pub event: HookEvent,
}
