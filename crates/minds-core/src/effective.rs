//! The fields of a member after inheritance.

use minds_document::{Document, Field, Keys as _, Node, NodeId};
use serde_json::{Value, json};

use crate::model::{Member, MemberFields, Team};

/// A member that every team has, even if the file does not define it. It is always hidden.
#[derive(Debug, PartialEq, Eq)]
pub struct ShadowMember {
    /// The id.
    pub id: &'static str,
    /// The display name.
    pub name: &'static str,
    /// The icon.
    pub icon: &'static str,
    /// The default toolsets.
    pub toolsets: &'static [&'static str],
    /// The entries that its toolsets always contain.
    pub forced_toolsets: &'static [&'static str],
    /// The entry that its toolsets never contain.
    pub refused_toolset: &'static str,
    /// The pattern that both of its deny lists always contain.
    pub denied: Option<&'static str>,
}

/// The members that every team has: one manages the team, the other handles everything else.
pub static SHADOW_MEMBERS: [ShadowMember; 2] = [
    ShadowMember {
        id: "fuxi",
        name: "伏羲(Fuxi)",
        icon: "☯️",
        toolsets: &["team-mgmt"],
        forced_toolsets: &["team-mgmt"],
        refused_toolset: "!team-mgmt",
        denied: None,
    },
    ShadowMember {
        id: "pangu",
        name: "盘古(Pangu)",
        icon: "⛰️",
        toolsets: &["*", "!team-mgmt"],
        forced_toolsets: &["*", "!team-mgmt"],
        refused_toolset: "team-mgmt",
        denied: Some(".minds/**"),
    },
];

impl ShadowMember {
    /// Returns the shadow member with an id.
    pub fn find(id: &str) -> Option<&'static Self> {
        SHADOW_MEMBERS.iter().find(|shadow| shadow.id == id)
    }

    /// Returns the toolsets of the member if the file lists `given`: forced entries come first, and the refused entry is
    /// removed, including its aliases.
    pub fn toolsets_with<'t>(&self, given: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
        let refused = self.refused_toolset;
        let canonical = |entry: &'t str| {
            if entry.ends_with("team_mgmt") { entry.replace('_', "-") } else { entry.into() }
        };
        let mut entries: Vec<&str> = self.forced_toolsets.to_vec();
        for entry in given {
            if canonical(entry) != refused
                && !entries.contains(&entry)
                && !entries.contains(&canonical(entry).as_str())
            {
                entries.push(entry);
            }
        }
        entries
    }
}

/// A member after inheritance: its own fields, otherwise those of `member_defaults`, otherwise built-in values.
#[derive(Clone, Copy, Debug)]
pub struct Effective<'t> {
    /// The id.
    pub id: &'t str,
    team: &'t Team,
    own: Option<&'t Member>,
    shadow: Option<&'static ShadowMember>,
}

/// One field after inheritance.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveField {
    /// The key.
    pub name: &'static str,
    /// The value; `null` if it could not be read.
    pub value: Value,
    /// The node of `team.yaml` that defines it; `None` if it is built in.
    pub from: Option<NodeId>,
}

impl Team {
    /// Returns the members that a runtime sees: those of the file in file order, then the shadow members that it does not define.
    pub fn effective(&self) -> impl Iterator<Item = Effective<'_>> {
        let own = self.members.iter().map(|member| Effective {
            id: &member.id.value,
            team: self,
            own: Some(member),
            shadow: ShadowMember::find(&member.id.value),
        });
        let shadows = SHADOW_MEMBERS.iter().filter(|shadow| self.member(shadow.id).is_none());
        let shadows =
            shadows.map(|shadow| Effective { id: shadow.id, team: self, own: None, shadow: Some(shadow) });
        own.chain(shadows)
    }

    /// Returns the ids that references can use.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.effective().map(|member| member.id)
    }
}

impl<'t> Effective<'t> {
    /// Returns the entry of the file, if the file defines the member.
    pub fn definition(&self) -> Option<&'t Member> {
        self.own
    }

    /// Returns the built-in definition, if the member is a shadow member.
    pub fn shadow(&self) -> Option<&'static ShadowMember> {
        self.shadow
    }

    /// Returns a field after inheritance. Built-in values of a shadow member hide the defaults, so such a field is absent here.
    pub fn field<T>(&self, get: impl Fn(&'t MemberFields) -> &'t Field<T>) -> &'t Field<T> {
        let own = self.own.and_then(|member| member.fields.as_given()).map(|fields| get(&fields.value));
        let inherited = self.team.defaults().map(&get);
        match (own, inherited) {
            (Some(own), Some(inherited)) => own.or(inherited),
            (Some(field), None) | (None, Some(field)) => field,
            (None, None) => const { &Field::Absent },
        }
    }

    /// Returns a field without inheritance.
    pub fn own_field<T>(&self, get: impl Fn(&'t MemberFields) -> &'t Field<T>) -> &'t Field<T> {
        let own = self.own.and_then(|member| member.fields.as_given()).map(|fields| get(&fields.value));
        own.unwrap_or(const { &Field::Absent })
    }

    /// Returns whether the member is omitted from the team directory.
    pub fn is_hidden(&self) -> bool {
        self.shadow.is_some()
            || self.field(|fields| &fields.hidden).as_given().is_some_and(|hidden| hidden.value)
    }

    /// Returns the entries of its toolsets; `None` if some of them could not be read.
    pub fn toolsets(&self) -> Option<Vec<&'t str>> {
        let field = match self.shadow {
            Some(_) => self.own_field(|fields| &fields.toolsets),
            None => self.field(|fields| &fields.toolsets),
        };
        let given = match field {
            Field::Absent => match self.shadow {
                Some(shadow) => return Some(shadow.toolsets.to_vec()),
                None => Vec::new(),
            },
            Field::Given(list) if list.value.is_complete => {
                list.value.items.iter().map(|item| item.value.as_str()).collect()
            }
            Field::Given(_) | Field::Unreadable(_) => return None,
        };
        Some(match self.shadow {
            Some(shadow) => shadow.toolsets_with(given),
            None => given,
        })
    }

    /// Returns the names of its single tools; `None` if some of them could not be read.
    pub fn tools(&self) -> Option<Vec<&'t str>> {
        match self.field(|fields| &fields.tools) {
            Field::Absent => Some(Vec::new()),
            Field::Given(list) if list.value.is_complete => {
                Some(list.value.items.iter().map(|item| item.value.as_str()).collect())
            }
            Field::Given(_) | Field::Unreadable(_) => None,
        }
    }

    /// Returns the fields of the member in the order of the reference documentation, with their values as in the file.
    pub fn fields(&self, document: &'t Document) -> Vec<EffectiveField> {
        let defaults = self.team.member_defaults.as_given().map(|defaults| document.node(defaults.node));
        let own =
            self.own.and_then(|member| member.fields.as_given()).map(|fields| document.node(fields.node));
        let mut fields = Vec::new();
        for key in MemberFields::KEYS.iter().filter(|key| key.name == key.field) {
            let name = key.name;
            let spellings = MemberFields::KEYS.iter().filter(|key| key.field == name);
            let find = |node: Node<'t>| spellings.clone().find_map(|spelling| node.get(spelling.name));
            let found = own.and_then(find);
            let inherited = if self.hides_default(name) { None } else { defaults.and_then(find) };
            let from = found.or(inherited);
            let value = self
                .forced_value(name, from)
                .or_else(|| from.map(Node::to_json))
                .or_else(|| self.built_in(name));
            if let Some(value) = value {
                let from = from.filter(|_| !(name == "hidden" && self.shadow.is_some())).map(Node::id);
                fields.push(EffectiveField { name, value, from });
            }
        }
        fields
    }

    /// Returns whether a built-in value hides a field of the defaults.
    fn hides_default(&self, name: &str) -> bool {
        name == "name" || self.shadow.is_some() && self.built_in(name).is_some()
    }

    fn built_in(&self, name: &str) -> Option<Value> {
        if let Some(shadow) = self.shadow {
            match name {
                "name" => return Some(json!(shadow.name)),
                "icon" => return Some(json!(shadow.icon)),
                "toolsets" => return Some(json!(shadow.toolsets)),
                "diligence-push-max" => return Some(json!(0)),
                "hidden" => return Some(json!(true)),
                "no_read_dirs" | "no_write_dirs" => return shadow.denied.map(|denied| json!([denied])),
                _ => {}
            }
        }
        (name == "name").then(|| json!(self.id))
    }

    /// Returns the value that a shadow member has regardless of the file.
    fn forced_value(&self, name: &str, from: Option<Node<'t>>) -> Option<Value> {
        let shadow = self.shadow?;
        let given = || from.into_iter().flat_map(Node::items).filter_map(Node::scalar_text);
        match name {
            "hidden" => Some(json!(true)),
            "toolsets" => from.map(|_| json!(shadow.toolsets_with(given()))),
            "no_read_dirs" | "no_write_dirs" => {
                let denied = shadow.denied?;
                let mut entries: Vec<&str> = given().collect();
                if !entries.contains(&denied) {
                    entries.push(denied);
                }
                from.map(|_| json!(entries))
            }
            _ => None,
        }
    }
}
