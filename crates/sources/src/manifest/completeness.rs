//! Whether the whole file could be decoded.

use minds_document::{Field, List};

use super::model::{
    AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedEntry, PinFields, SourceTable,
};

/// A value of which a part may be unreadable.
pub(super) trait Completeness {
    /// Returns whether no part of the value is unreadable.
    fn is_complete(&self) -> bool;
}

impl<T: Completeness> Completeness for Field<T> {
    fn is_complete(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Given(value) => value.value.is_complete(),
            Self::Unreadable(_) => false,
        }
    }
}

impl<T: Completeness> Completeness for List<T> {
    fn is_complete(&self) -> bool {
        self.is_complete && self.items.iter().all(|item| item.value.is_complete())
    }
}

/// Values that are decoded completely or not at all.
macro_rules! atoms {
    ($($name:ty),* $(,)?) => {
        $(impl Completeness for $name {
            fn is_complete(&self) -> bool {
                true
            }
        })*
    };
}

/// Values that are complete if each of these fields is.
macro_rules! parts {
    ($($name:ty: $($field:ident),*;)*) => {
        $(impl Completeness for $name {
            fn is_complete(&self) -> bool {
                $(self.$field.is_complete())&&*
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
    minds_vfs::WorkspacePath,
);

parts! {
    Manifest: source, hooks, items, discover;
    SourceTable: description, prefix, min_mind_version, pin, roots, install;
    PinFields: follow_branch, pin_tag, pin_ref;
    HookEntry: name, optional, event;
    ItemEntry: link, description, bin, build, install, uninstall, hooks;
    Discover: skills, agents, rules, tools, sources;
    Globs: include, exclude;
    NestedEntry: r#as, install, install_items, pin, roots, hooks, on_auth_failure;
    AuthFailureEntry: message;
}
