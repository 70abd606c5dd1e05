//! The content of `team.yaml`, before inheritance.

use std::sync::Arc;

use minds_access_control::{EntryList, Extension, Pattern};
use minds_document::{Document, Field, FiniteNumber, List, Spanned};

/// The content of `team.yaml`.
#[derive(Debug, Default)]
pub struct Team {
    /// The default values of members.
    pub member_defaults: Field<MemberFields>,
    /// The member that answers messages without an addressee; an empty string is equivalent to no value.
    pub default_responder: Field<String>,
    /// The members that may run shell commands, without blank entries.
    pub shell_specialists: Field<List<String>>,
    /// The members in file order.
    pub members: Vec<Member>,
    /// The place of `members`, if given; unreadable if it is not a mapping.
    pub members_field: Field<()>,
}

/// An entry of `members`.
#[derive(Debug)]
pub struct Member {
    /// The id, located at its key.
    pub id: Spanned<String>,
    /// Whether the id is a plain scalar that YAML does not read as a string.
    pub id_is_typed: bool,
    /// Its fields; unreadable if the value is not a mapping.
    pub fields: Field<Arc<MemberFields>>,
}

/// The fields of a member or of `member_defaults`.
#[derive(Debug, Default)]
pub struct MemberFields {
    /// The display name.
    pub name: Field<Wording>,
    /// An emoji or short text.
    pub icon: Field<Wording>,
    /// The requests that should be routed to the member.
    pub gofor: Field<Routing>,
    /// The key of the provider.
    pub provider: Field<String>,
    /// The key of a model of the provider.
    pub model: Field<String>,
    /// Toolsets: a name, `*` for all, `!name` to exclude one.
    pub toolsets: Field<List<String>>,
    /// Single tools, added after the toolsets.
    pub tools: Field<List<String>>,
    /// The access lists.
    pub access: AccessLists,
    /// Whether answers are streamed.
    pub streaming: Field<bool>,
    /// Whether the member is omitted from the team directory.
    pub hidden: Field<bool>,
    /// Rarely used fields; `None` if none of them is given.
    pub rare: Option<Box<RareFields>>,
}

/// The fields that are rarely used.
#[derive(Debug, Default)]
pub struct RareFields {
    /// The requests that should not be routed to the member.
    pub nogo: Field<Routing>,
    /// Parameters of the model.
    pub model_params: Field<ModelParams>,
    /// The maximum number of times that the member is prompted to continue.
    pub diligence_push_max: Field<FiniteNumber>,
    /// The effort for fresh-eyes reasoning, from 0 to 100.
    pub fbr_effort: Field<i64>,
    /// Parameters of the model for fresh-eyes reasoning.
    pub fbr_model_params: Field<ModelParams>,
    /// The app that provides the member.
    pub from: Field<Wording>,
    /// The member of the app.
    pub r#use: Field<Wording>,
    /// The items to import from the app.
    pub import: Field<Wording>,
}

/// The eight access lists.
#[derive(Debug, Default)]
pub struct AccessLists {
    /// `read_dirs`
    pub read_dirs: Field<AccessList<Pattern>>,
    /// `write_dirs`
    pub write_dirs: Field<AccessList<Pattern>>,
    /// `no_read_dirs`
    pub no_read_dirs: Field<AccessList<Pattern>>,
    /// `no_write_dirs`
    pub no_write_dirs: Field<AccessList<Pattern>>,
    /// The extension lists; `None` if none is given, as in most files.
    pub extension_lists: Option<Box<ExtensionLists>>,
}

/// The four access lists of extensions.
#[derive(Debug, Default)]
pub struct ExtensionLists {
    /// `read_file_ext_names`
    pub read_file_ext_names: Field<AccessList<Extension>>,
    /// `write_file_ext_names`
    pub write_file_ext_names: Field<AccessList<Extension>>,
    /// `no_read_file_ext_names`
    pub no_read_file_ext_names: Field<AccessList<Extension>>,
    /// `no_write_file_ext_names`
    pub no_write_file_ext_names: Field<AccessList<Extension>>,
}

/// The valid entries of an access list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessList<T>(pub List<T>);

/// A string that is validated, but whose value is not stored; it is available from the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wording;

/// A description of the purpose of a member; only its shape is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// A single string.
    Text,
    /// A list of strings and of mappings from one label to a string.
    Items,
    /// Strings by label.
    Labelled,
}

/// Parameters of a model that have been validated. Their values are available from the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelParams;

impl Team {
    /// Returns `member_defaults`; `None` if it is absent or unreadable.
    pub fn defaults(&self) -> Option<&MemberFields> {
        self.member_defaults.as_given().map(|defaults| &defaults.value)
    }

    /// Returns whether all members are known, so that a member that is not found does not exist: `members` is absent or a
    /// mapping, and `document` was read completely.
    pub fn is_complete(&self, document: &Document) -> bool {
        !self.members_field.is_unreadable() && !document.is_partial()
    }

    /// Returns the member with an id.
    pub fn member(&self, id: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.id.value == id)
    }

    /// Returns all groups of fields: `member_defaults` first, then the members.
    pub fn field_groups(&self) -> impl Iterator<Item = &MemberFields> {
        let members = self.members.iter().filter_map(|member| member.fields.as_given());
        self.defaults().into_iter().chain(members.map(|fields| &*fields.value))
    }
}

impl MemberFields {
    /// Returns the rarely used fields, all absent if none is given.
    pub fn rare(&self) -> &RareFields {
        static NONE: RareFields = RareFields {
            nogo: Field::Absent,
            model_params: Field::Absent,
            diligence_push_max: Field::Absent,
            fbr_effort: Field::Absent,
            fbr_model_params: Field::Absent,
            from: Field::Absent,
            r#use: Field::Absent,
            import: Field::Absent,
        };
        self.rare.as_deref().unwrap_or(&NONE)
    }
}

impl AccessLists {
    /// Returns the directory lists with their keys.
    pub fn directories(&self) -> [(&'static str, &Field<AccessList<Pattern>>); 4] {
        [
            ("read_dirs", &self.read_dirs),
            ("write_dirs", &self.write_dirs),
            ("no_read_dirs", &self.no_read_dirs),
            ("no_write_dirs", &self.no_write_dirs),
        ]
    }

    /// Returns the extension lists, all absent if none is given.
    pub fn extension_lists(&self) -> &ExtensionLists {
        static NONE: ExtensionLists = ExtensionLists {
            read_file_ext_names: Field::Absent,
            write_file_ext_names: Field::Absent,
            no_read_file_ext_names: Field::Absent,
            no_write_file_ext_names: Field::Absent,
        };
        self.extension_lists.as_deref().unwrap_or(&NONE)
    }

    /// Returns the extension lists with their keys.
    pub fn extensions(&self) -> [(&'static str, &Field<AccessList<Extension>>); 4] {
        let lists = self.extension_lists();
        [
            ("read_file_ext_names", &lists.read_file_ext_names),
            ("write_file_ext_names", &lists.write_file_ext_names),
            ("no_read_file_ext_names", &lists.no_read_file_ext_names),
            ("no_write_file_ext_names", &lists.no_write_file_ext_names),
        ]
    }
}

impl<T: Clone> AccessList<T> {
    /// Converts a field to the list that decides access.
    pub fn entry_list(field: &Field<Self>) -> EntryList<T> {
        match field {
            Field::Absent => EntryList::Absent,
            Field::Given(list) if list.value.0.is_complete => {
                EntryList::Given(list.value.0.items.iter().map(|entry| entry.value.clone()).collect())
            }
            Field::Given(_) | Field::Unreadable(_) => EntryList::unreadable(),
        }
    }
}
