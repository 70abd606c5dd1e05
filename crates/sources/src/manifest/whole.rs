//! Whether the whole file could be decoded.

use minds_document::{Field, List};

use super::model::{
    AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedEntry, PinFields, SourceHead,
};

/// A value of which a part may be unreadable.
pub(super) trait Whole {
    /// Returns whether no part of the value is unreadable.
    fn is_whole(&self) -> bool;
}

impl<T: Whole> Whole for Field<T> {
    fn is_whole(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Given(value) => value.value.is_whole(),
            Self::Unreadable(_) => false,
        }
    }
}

impl<T: Whole> Whole for List<T> {
    fn is_whole(&self) -> bool {
        self.is_complete && self.items.iter().all(|item| item.value.is_whole())
    }
}

/// Values that are decoded completely or not at all.
macro_rules! atoms {
    ($($name:ty),* $(,)?) => {
        $(impl Whole for $name {
            fn is_whole(&self) -> bool {
                true
            }
        })*
    };
}

/// Values that are complete if each of these fields is.
macro_rules! parts {
    ($($name:ty: $($field:ident),*;)*) => {
        $(impl Whole for $name {
            fn is_whole(&self) -> bool {
                $(self.$field.is_whole())&&*
            }
        })*
    };
}

atoms!(
    String,
    bool,
    Option<crate::Prefix>,
    crate::RevisionName,
    crate::GlobPattern,
    crate::HookEvent,
    crate::ItemKey,
    minds_paths::WorkspacePath,
);

parts! {
    Manifest: source, hooks, items, discover;
    SourceHead: description, prefix, min_mind_version, pin, roots, install;
    PinFields: follow_branch, pin_tag, pin_ref;
    HookEntry: name, optional, event;
    ItemEntry: link, description, bin, build, install, uninstall, hooks;
    Discover: skills, agents, rules, tools, sources;
    Globs: include, exclude;
    NestedEntry: r#as, install, install_items, pin, roots, hooks, on_auth_failure;
    AuthFailureEntry: message;
}
