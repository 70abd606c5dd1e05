//! The content of `team.yaml`, before inheritance.

use std::sync::{Arc, LazyLock};

use minds_access_control::{EntryList, Extension, Pattern};
use minds_document::yaml::KeyOrder;
use minds_document::{Document, Field, FiniteNumber, Keys, List, Spanned};

use crate::decode::member::{model_schema, provider_schema, tools_schema, toolsets_schema};
use crate::decode::{add_team_snippet, members, members_schema, specialists, specialists_schema};

/// The members of the team, with their models, tools and directories.
///
/// The content of `team.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "minds team", describe, extend = add_team_snippet)]
pub struct Team {
    /// The default values of members.
    pub member_defaults: Field<MemberFields>,
    /// The id of the member that answers messages without an addressee.
    ///
    /// An empty string is equivalent to no value.
    pub default_responder: Field<String>,
    /// The ids of the members that may run shell commands: a single id or a list.
    ///
    /// Without blank entries.
    #[key(decode = specialists, schema = specialists_schema)]
    pub shell_specialists: Field<List<String>>,
    /// The members, by id.
    ///
    /// Only the place is here; unreadable if it is not a mapping.
    #[key(name = "members", decode = members, schema = members_schema, order = KeyOrder::named::<MemberFields>())]
    pub members_field: Field<()>,
    /// The members in file order.
    #[key(skip)]
    pub members: Vec<Member>,
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
#[derive(Debug, Default, Keys)]
#[keys(title = "member", define = "member")]
pub struct MemberFields {
    /// The display name; the id by default.
    #[key(examples = ["Coder"])]
    pub name: Field<CheckedText>,
    /// An emoji or a short text.
    #[key(examples = ["🧭"])]
    pub icon: Field<CheckedText>,
    /// The requests that should be routed to the member.
    pub gofor: Field<Routing>,
    /// The requests that should not be routed to the member.
    pub nogo: Field<Routing>,
    /// The key of a provider: built in, or defined in `llm.yaml`.
    #[key(schema = provider_schema)]
    pub provider: Field<String>,
    /// The key of a model of the provider.
    #[key(schema = model_schema)]
    pub model: Field<String>,
    /// Parameters of the model.
    pub model_params: Field<ModelParams>,
    /// Toolsets: a name, `*` for all, `!name` to exclude one.
    #[key(schema = toolsets_schema, examples = [["ws_read", "ws_mod"], ["*", "!os"]])]
    pub toolsets: Field<List<String>>,
    /// Single tools, added after the toolsets.
    #[key(schema = tools_schema)]
    pub tools: Field<List<String>>,
    /// The maximum number of times that the member is prompted to continue.
    #[key(name = "diligence-push-max", also = "diligence_push_max")]
    pub diligence_push_max: Field<FiniteNumber>,
    /// The access lists.
    #[key(flatten)]
    pub access: AccessLists,
    /// Whether answers are streamed.
    pub streaming: Field<bool>,
    /// Whether the member is omitted from the team directory.
    #[key(default = false)]
    pub hidden: Field<bool>,
    /// Rarely used fields; `None` if none of them is given.
    #[key(flatten)]
    pub rare: Option<Box<RareFields>>,
}

/// The fields that are rarely used. They are boxed to keep most members small.
#[derive(Debug, Default, Keys)]
#[keys(group)]
pub struct RareFields {
    /// The effort for fresh-eyes reasoning, from 0 to 100.
    #[key(name = "fbr-effort", also = "fbr_effort", default = 3)]
    pub fbr_effort: Field<Effort>,
    /// Parameters of the model for fresh-eyes reasoning.
    pub fbr_model_params: Field<ModelParams>,
    /// The app that provides the member.
    pub from: Field<CheckedText>,
    /// The member of the app.
    pub r#use: Field<CheckedText>,
    /// The items to import from the app.
    pub import: Field<CheckedText>,
}

/// The eight access lists.
#[derive(Debug, Default, Keys)]
#[keys(group)]
pub struct AccessLists {
    /// The only directories that may be read.
    pub read_dirs: Field<AccessList<Pattern>>,
    /// The only directories that may be written.
    pub write_dirs: Field<AccessList<Pattern>>,
    /// Directories that must not be read, regardless of other lists.
    pub no_read_dirs: Field<AccessList<Pattern>>,
    /// Directories that must not be written, regardless of other lists.
    pub no_write_dirs: Field<AccessList<Pattern>>,
    /// The extension lists; `None` if none is given, as in most files.
    #[key(flatten)]
    pub extension_lists: Option<Box<ExtensionLists>>,
}

/// The four access lists of extensions.
#[derive(Debug, Default, Keys)]
#[keys(group)]
pub struct ExtensionLists {
    /// The only file extensions that may be read.
    pub read_file_ext_names: Field<AccessList<Extension>>,
    /// The only file extensions that may be written.
    pub write_file_ext_names: Field<AccessList<Extension>>,
    /// File extensions that must not be read.
    pub no_read_file_ext_names: Field<AccessList<Extension>>,
    /// File extensions that must not be written.
    pub no_write_file_ext_names: Field<AccessList<Extension>>,
}

/// The valid entries of an access list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessList<T>(pub List<T>);

/// An effort, from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub i64);

/// A string that is validated, but whose value is not stored; it is available from the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckedText;

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
    pub fn rare_fields(&self) -> &RareFields {
        static NONE: LazyLock<RareFields> = LazyLock::new(RareFields::default);
        self.rare.as_deref().unwrap_or_else(|| &NONE)
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
        static NONE: LazyLock<ExtensionLists> = LazyLock::new(ExtensionLists::default);
        self.extension_lists.as_deref().unwrap_or_else(|| &NONE)
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
