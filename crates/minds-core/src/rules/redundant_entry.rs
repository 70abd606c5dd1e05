use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Redundancy, all_are_effective, find_redundant,
};
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Field, NodeId, Spanned};

use super::{Check, uncompared_lists};
use crate::model::{AccessList, AccessLists, Team};
use crate::{Effective, powerful_files};

pub(crate) static CONTRADICTORY: Rule = Rule {
    code: "access/contradictory-entry",
    summary: "everything that an entry allows is denied",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("contradictory_entry.md"),
};

pub(crate) static DEAD: Rule = Rule {
    code: "access/dead-entry",
    summary: "an entry covers nothing that could be allowed",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("dead_entry.md"),
};

pub(crate) static MOOT: Rule = Rule {
    code: "access/moot-entry",
    summary: "an entry denies only what is not allowed anyway",
    default_severity: Severity::Info,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("moot_entry.md"),
};

pub(crate) static SHADOWED: Rule = Rule {
    code: "access/shadowed-entry",
    summary: "other entries of the list cover everything that an entry covers",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("shadowed_entry.md"),
};

/// Lists with at most this many entries are checked again for each member that inherits them, which is faster than caching.
const FEW: usize = 8;

/// The maximum total weight of the patterns of such lists.
const FEW_WEIGHT: usize = 64;

/// Reports each entry that has no effect for any member that has it.
pub(super) fn check(check: &mut Check<'_>) {
    let is_unreadable = |member: &crate::Member| member.fields.is_unreadable();
    // An entry may be effective for a member that could not be read.
    if !check.is_complete()
        || check.team.members.iter().any(is_unreadable)
        || check.team.member_defaults.is_unreadable()
    {
        return;
    }
    let mut steps = check.steps;
    let found = find(check, &mut steps);
    let Some(mut found) = found else {
        check.steps = steps;
        return;
    };
    // An entry that is redundant for one member may be effective for another one.
    for_each_combination(check, &mut steps, |combination, all_are_effective, steps| {
        if !found.keys().any(|node| combination.has(*node)) {
            return;
        }
        let redundant =
            if all_are_effective { None } else { combination.find_redundant(steps) }.unwrap_or_default();
        found.retain(|node, _| !combination.has(*node) || redundant.iter().any(|entry| entry.node == *node));
    });
    check.steps = steps;
    for finding in found.into_values() {
        finding.report(check);
    }
}

/// Returns the entries that are redundant for at least one member; `None` if there are none.
fn find<'f>(check: &mut Check<'f>, steps: &mut usize) -> Option<BTreeMap<NodeId, Finding<'f>>> {
    let mut found = BTreeMap::new();
    let mut too_long = None;
    for_each_combination(check, steps, |combination, all_are_effective, steps| {
        if all_are_effective {
            return;
        }
        match combination.find_redundant(steps) {
            Some(entries) => found.extend(entries.into_iter().map(|entry| (entry.node, entry))),
            None => too_long = too_long.or_else(|| combination.place()),
        }
    });
    if let Some(place) = too_long {
        uncompared_lists::report(check, &place);
    }
    (!found.is_empty()).then_some(found)
}

/// Calls `act` with the lists of each member for each operation, and whether a quick check proves that all their entries
/// are effective. Equal lists are passed only once, unless they are short.
fn for_each_combination<'f>(
    check: &Check<'f>,
    steps: &mut usize,
    mut act: impl FnMut(&Combination<'f>, bool, &mut usize),
) {
    let mut known = BTreeSet::new();
    for member in check.team.effective() {
        for access in Access::ALL {
            let Some(combination) = Combination::of(check.team, &member, access) else { continue };
            let length = combination.length();
            let weight = combination.weight();
            if length <= FEW && weight <= FEW_WEIGHT && combination.all_are_effective() {
                act(&combination, true, steps);
            } else if known.insert(combination.key()) {
                let left = steps.checked_sub(weight.saturating_mul(weight)).filter(|_| length > FEW);
                *steps = left.unwrap_or(*steps);
                act(&combination, left.is_some() && combination.all_are_effective(), steps);
            }
        }
    }
}

type PatternField = Field<AccessList<Pattern>>;
type ExtensionField = Field<AccessList<Extension>>;

/// The four lists of a member for one operation, all of them readable.
struct Combination<'f> {
    access: Access,
    deny: &'f PatternField,
    deny_extensions: &'f ExtensionField,
    allow: &'f PatternField,
    allow_extensions: &'f ExtensionField,
    /// The built-in pattern that is added to the deny list.
    built_in: Option<Pattern>,
    /// The lists of `member_defaults`.
    defaults: Option<&'f AccessLists>,
}

impl<'f> Combination<'f> {
    fn of(team: &'f Team, member: &Effective<'f>, access: Access) -> Option<Self> {
        let built_in = member.shadow().and_then(|shadow| shadow.denied);
        let deny = match (access, built_in) {
            // Built-in lists hide inherited ones.
            (Access::Read, Some(_)) => member.own_field(|fields| &fields.access.no_read_dirs),
            (Access::Write, Some(_)) => member.own_field(|fields| &fields.access.no_write_dirs),
            (Access::Read, None) => member.field(|fields| &fields.access.no_read_dirs),
            (Access::Write, None) => member.field(|fields| &fields.access.no_write_dirs),
        };
        let (deny_extensions, allow, allow_extensions) = match access {
            Access::Read => (
                member.field(|fields| &fields.access.extension_lists().no_read_file_ext_names),
                member.field(|fields| &fields.access.read_dirs),
                member.field(|fields| &fields.access.extension_lists().read_file_ext_names),
            ),
            Access::Write => (
                member.field(|fields| &fields.access.extension_lists().no_write_file_ext_names),
                member.field(|fields| &fields.access.write_dirs),
                member.field(|fields| &fields.access.extension_lists().write_file_ext_names),
            ),
        };
        let is_readable = is_readable(deny)
            && is_readable(deny_extensions)
            && is_readable(allow)
            && is_readable(allow_extensions);
        let defaults = team.defaults().map(|defaults| &defaults.access);
        let built_in = built_in.and_then(|denied| Pattern::parse(denied).ok());
        is_readable.then_some(Self {
            access,
            deny,
            deny_extensions,
            allow,
            allow_extensions,
            built_in,
            defaults,
        })
    }

    fn key(&self) -> ([Option<NodeId>; 4], Access) {
        let lists =
            [node(self.deny), node(self.deny_extensions), node(self.allow), node(self.allow_extensions)];
        (lists, self.access)
    }

    fn length(&self) -> usize {
        entries(self.deny).len() + entries(self.allow).len()
    }

    fn all_are_effective(&self) -> bool {
        let deny = entries(self.deny).iter().map(|entry| &entry.value).chain(&self.built_in);
        let allow = entries(self.allow).iter().map(|entry| &entry.value);
        let has_extensions =
            !entries(self.deny_extensions).is_empty() || !entries(self.allow_extensions).is_empty();
        !has_extensions && all_are_effective(deny, allow)
    }

    /// Returns the total weight of the patterns (see [`Pattern::weight`]), counting each extension as one.
    fn weight(&self) -> usize {
        let patterns = entries(self.deny).iter().chain(entries(self.allow));
        let extensions = entries(self.deny_extensions).len() + entries(self.allow_extensions).len();
        patterns.map(|entry| entry.value.weight()).sum::<usize>() + extensions
    }

    /// Returns whether one of the lists contains an entry.
    fn has(&self, node: NodeId) -> bool {
        entries(self.deny).iter().chain(entries(self.allow)).any(|entry| entry.node == node)
            || entries(self.deny_extensions)
                .iter()
                .chain(entries(self.allow_extensions))
                .any(|entry| entry.node == node)
    }

    fn place(&self) -> Option<Spanned<()>> {
        self.deny.place().or_else(|| self.allow.place())
    }

    /// Returns the entries that have no effect.
    fn find_redundant(&self, steps: &mut usize) -> Option<Vec<Finding<'f>>> {
        *steps = steps.checked_sub(self.weight().saturating_mul(self.weight()))?;
        let mut deny = AccessList::entry_list(self.deny);
        if let Some(built_in) = &self.built_in {
            deny = EntryList::Given(deny.entries().iter().chain([built_in]).cloned().collect());
        }
        let lists = Lists {
            deny,
            deny_extensions: AccessList::entry_list(self.deny_extensions),
            allow: AccessList::entry_list(self.allow),
            allow_extensions: AccessList::entry_list(self.allow_extensions),
        };
        let found = find_redundant(&lists, steps)?;
        Some(
            found
                .iter()
                .filter_map(|entry| self.finding((entry.list, entry.index), entry.redundancy))
                .collect(),
        )
    }

    fn finding(&self, entry: (ListKind, usize), redundancy: Redundancy) -> Option<Finding<'f>> {
        let (list, index) = entry;
        if redundancy == Redundancy::NotAllowed && self.repeats_inherited(list, index) {
            return None;
        }
        let by = match redundancy {
            Redundancy::Shadowed { by } => by.and_then(|by| self.entry((list, by))),
            Redundancy::Contradicted { by } => by.and_then(|by| {
                let denying = if list == ListKind::Allow { ListKind::Deny } else { ListKind::DenyExtension };
                self.entry((denying, by))
            }),
            _ => None,
        };
        let place = self.entry(entry)?;
        Some(Finding { node: place.node, access: self.access, list, place, redundancy, by })
    }

    /// Returns whether an entry of a deny list repeats one of the inherited list that it replaces: without it, the inherited
    /// entry would be dropped.
    fn repeats_inherited(&self, list: ListKind, index: usize) -> bool {
        fn repeats<T: PartialEq>(
            own: &Field<AccessList<T>>,
            inherited: &Field<AccessList<T>>,
            index: usize,
        ) -> bool {
            let is_replaced = node(own) != node(inherited);
            let entry = entries(own).get(index).filter(|_| is_replaced);
            entry.is_some_and(|entry| entries(inherited).iter().any(|other| other.value == entry.value))
        }
        let Some(inherited) = self.defaults else { return false };
        let extensions = inherited.extension_lists();
        match (list, self.access) {
            (ListKind::Deny, Access::Read) => repeats(self.deny, &inherited.no_read_dirs, index),
            (ListKind::Deny, Access::Write) => repeats(self.deny, &inherited.no_write_dirs, index),
            (ListKind::DenyExtension, Access::Read) => {
                repeats(self.deny_extensions, &extensions.no_read_file_ext_names, index)
            }
            (ListKind::DenyExtension, Access::Write) => {
                repeats(self.deny_extensions, &extensions.no_write_file_ext_names, index)
            }
            (ListKind::Allow | ListKind::AllowExtension, _) => false,
        }
    }

    fn entry(&self, (list, index): (ListKind, usize)) -> Option<Spanned<&'f str>> {
        fn at<T>(
            list: &Field<AccessList<T>>,
            index: usize,
            written: fn(&T) -> &str,
        ) -> Option<Spanned<&str>> {
            let entry = entries(list).get(index)?;
            Some(Spanned { value: written(&entry.value), span: entry.span, node: entry.node })
        }
        match list {
            ListKind::Deny => at(self.deny, index, Pattern::as_written),
            ListKind::DenyExtension => at(self.deny_extensions, index, Extension::as_written),
            ListKind::Allow => at(self.allow, index, Pattern::as_written),
            ListKind::AllowExtension => at(self.allow_extensions, index, Extension::as_written),
        }
    }
}

/// An entry that has no effect.
struct Finding<'f> {
    node: NodeId,
    access: Access,
    list: ListKind,
    place: Spanned<&'f str>,
    redundancy: Redundancy,
    by: Option<Spanned<&'f str>>,
}

impl Finding<'_> {
    fn report(&self, check: &mut Check<'_>) {
        let entry = self.place.value;
        let key = self.list.key(self.access);
        let (rule, message, label, help) = match self.redundancy {
            Redundancy::Shadowed { .. } => {
                let what = match &self.by {
                    Some(by) if by.value == entry => "it is listed twice".to_owned(),
                    Some(by) => format!("`{}` covers all of it", by.value),
                    None => "other entries cover all of it".to_owned(),
                };
                (
                    &SHADOWED,
                    format!("`{entry}` in `{key}` has no effect: {what}"),
                    "has no effect",
                    "remove one of them",
                )
            }
            Redundancy::Contradicted { .. } => {
                let denying = match self.list {
                    ListKind::AllowExtension if self.by.is_some() => ListKind::DenyExtension,
                    _ => ListKind::Deny,
                };
                let denying = denying.key(self.access);
                let what = match &self.by {
                    Some(by) => format!("`{}` in `{denying}` denies all of it", by.value),
                    None => "other lists deny all of it".to_owned(),
                };
                (
                    &CONTRADICTORY,
                    format!("`{entry}` in `{key}` allows nothing: {what}"),
                    "never takes effect",
                    "narrow the deny entry, or remove this entry; deny always takes precedence",
                )
            }
            Redundancy::NotAllowed if powerful_files::protects(self.list, self.access, entry) => return,
            Redundancy::NotAllowed => (
                &MOOT,
                format!("`{entry}` in `{key}` denies only what is not allowed anyway"),
                "has no effect unless the allow list changes",
                "remove the entry, or suppress this finding to keep the entry for a wider allow list",
            ),
            // The rules about packages, the whole workspace and extensions report these.
            Redundancy::Reserved if self.list == ListKind::Allow => return,
            Redundancy::Everything => return,
            Redundancy::Reserved => (
                &DEAD,
                format!("`{entry}` in `{key}` has no effect: general tools never access task packages"),
                "has no effect",
                "remove the entry",
            ),
            _ if !Extension::parse(entry).is_ok_and(|extension| extension.can_match()) => return,
            _ => (
                &DEAD,
                format!("`{entry}` in `{key}` has no effect: no accessible file has this extension"),
                "has no effect",
                "remove the entry",
            ),
        };
        check.report(rule, &self.place, |document, primary| {
            let found = Diagnostic::new(rule, message).primary(primary.message(label)).help(help);
            match &self.by {
                Some(by) => found.secondary(document.source().label(by.span).message("this entry decides")),
                None => found,
            }
        });
    }
}

fn entries<T>(list: &Field<AccessList<T>>) -> &[Spanned<T>] {
    list.as_given().map(|list| list.value.0.items.as_slice()).unwrap_or_default()
}

fn node<T>(list: &Field<AccessList<T>>) -> Option<NodeId> {
    list.as_given().map(|list| list.node)
}

fn is_readable<T>(list: &Field<AccessList<T>>) -> bool {
    !list.is_unreadable() && list.as_given().is_none_or(|list| list.value.0.is_complete)
}
