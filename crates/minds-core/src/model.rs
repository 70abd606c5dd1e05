//! The team as its file says it, before inheritance.

use std::sync::Arc;

use minds_access_control::{EntryList, Extension, Pattern};
use minds_document::{Document, Field, FiniteNumber, List, Spanned};

/// What `team.yaml` says.
#[derive(Debug, Default)]
pub struct Team {
    /// What members have unless they say otherwise.
    pub member_defaults: Field<MemberFields>,
    /// Who answers when nobody is addressed; an empty text is the same as none.
    pub default_responder: Field<String>,
    /// The members that may run shell commands; blank entries are gone.
    pub shell_specialists: Field<List<String>>,
    /// The members, in the order of the file.
    pub members: Vec<Member>,
    /// The place of `members`, if it is there; unreadable if it is no mapping.
    pub members_field: Field<()>,
}

/// An entry of `members`.
#[derive(Debug)]
pub struct Member {
    /// The id, at its key.
    pub id: Spanned<String>,
    /// Whether the id is a plain text that YAML reads as something else than a string.
    pub id_is_typed: bool,
    /// What it says; unreadable if it is no mapping.
    pub fields: Field<Arc<MemberFields>>,
}

/// What a member, or `member_defaults`, says.
#[derive(Debug, Default)]
pub struct MemberFields {
    /// The name that people see.
    pub name: Field<Wording>,
    /// An emoji or short text.
    pub icon: Field<Wording>,
    /// What to come to the member for.
    pub gofor: Field<Routing>,
    /// The key of the provider.
    pub provider: Field<String>,
    /// The key of a model of the provider.
    pub model: Field<String>,
    /// Toolsets: a name, `*` for all, `!name` for all but this.
    pub toolsets: Field<List<String>>,
    /// Single tools, added after the toolsets.
    pub tools: Field<List<String>>,
    /// The access lists.
    pub access: AccessLists,
    /// Whether answers are streamed.
    pub streaming: Field<bool>,
    /// Whether the member is left out of the team's directory.
    pub hidden: Field<bool>,
    /// What few members say; none if there is nothing of it.
    pub rare: Option<Box<RareFields>>,
}

/// The fields that few members have.
#[derive(Debug, Default)]
pub struct RareFields {
    /// What not to come to the member for.
    pub nogo: Field<Routing>,
    /// Parameters of the model.
    pub model_params: Field<ModelParams>,
    /// How often the member is asked to go on, at most.
    pub diligence_push_max: Field<FiniteNumber>,
    /// How much effort goes into fresh-eyes reasoning, from 0 to 100.
    pub fbr_effort: Field<i64>,
    /// Parameters of the model in fresh-eyes reasoning.
    pub fbr_model_params: Field<ModelParams>,
    /// The app that the member comes from.
    pub from: Field<Wording>,
    /// The member of the app.
    pub r#use: Field<Wording>,
    /// What is imported from the app.
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
    /// The lists of extensions; none if there is none of them, as nearly everywhere.
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

/// An access list: the entries that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessList<T>(pub List<T>);

/// A text of which only matters that it is one. What it says stays in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wording;

/// Text that says what a member is for; only its shape matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// One text.
    Text,
    /// A list of texts, and of mappings from one label to a text.
    Items,
    /// Texts by label.
    Labelled,
}

/// Parameters of a model that were found to be known and of the right type. Their values stay in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelParams;

impl Team {
    /// Returns what `member_defaults` says; nothing if it is absent or unreadable.
    pub fn defaults(&self) -> Option<&MemberFields> {
        self.member_defaults.given().map(|defaults| &defaults.value)
    }

    /// Returns whether all members are known, so that something may be derived from what is missing: `members` is absent
    /// or a mapping, and `document`, which says it, says no more than was read.
    pub fn is_whole(&self, document: &Document) -> bool {
        !self.members_field.is_unreadable() && !document.is_partial()
    }

    /// Returns the member with an id.
    pub fn member(&self, id: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.id.value == id)
    }

    /// Returns what is read from each place where fields stand: `member_defaults` first, then the members.
    pub fn field_groups(&self) -> impl Iterator<Item = &MemberFields> {
        let members = self.members.iter().filter_map(|member| member.fields.given());
        self.defaults().into_iter().chain(members.map(|fields| &*fields.value))
    }
}

impl MemberFields {
    /// Returns the fields that few members have, also where there is none.
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
    /// Returns the directory lists, with their names.
    pub fn directories(&self) -> [(&'static str, &Field<AccessList<Pattern>>); 4] {
        [
            ("read_dirs", &self.read_dirs),
            ("write_dirs", &self.write_dirs),
            ("no_read_dirs", &self.no_read_dirs),
            ("no_write_dirs", &self.no_write_dirs),
        ]
    }

    /// Returns the lists of extensions, also where there is none.
    pub fn of_extensions(&self) -> &ExtensionLists {
        static NONE: ExtensionLists = ExtensionLists {
            read_file_ext_names: Field::Absent,
            write_file_ext_names: Field::Absent,
            no_read_file_ext_names: Field::Absent,
            no_write_file_ext_names: Field::Absent,
        };
        self.extension_lists.as_deref().unwrap_or(&NONE)
    }

    /// Returns the extension lists, with their names.
    pub fn extensions(&self) -> [(&'static str, &Field<AccessList<Extension>>); 4] {
        let lists = self.of_extensions();
        [
            ("read_file_ext_names", &lists.read_file_ext_names),
            ("write_file_ext_names", &lists.write_file_ext_names),
            ("no_read_file_ext_names", &lists.no_read_file_ext_names),
            ("no_write_file_ext_names", &lists.no_write_file_ext_names),
        ]
    }
}

impl<T: Clone> AccessList<T> {
    /// Returns the list as access is decided by it.
    pub fn of(field: &Field<Self>) -> EntryList<T> {
        match field {
            Field::Absent => EntryList::Absent,
            Field::Given(list) if list.value.0.is_complete => {
                EntryList::Given(list.value.0.items.iter().map(|entry| entry.value.clone()).collect())
            }
            Field::Given(_) | Field::Unreadable(_) => EntryList::unreadable(),
        }
    }
}
