use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Redundancy, each_decides, redundant,
};
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Field, NodeId, Spanned};

use super::{Check, uncompared_lists};
use crate::model::{AccessList, AccessLists, Team};
use crate::{Effective, power};

pub(crate) static CONTRADICTORY: Rule = Rule {
    code: "access/contradictory-entry",
    summary: "everything that an entry allows is denied",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("contradictory_entry.md"),
};

pub(crate) static DEAD: Rule = Rule {
    code: "access/dead-entry",
    summary: "an entry covers nothing that could be allowed",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("dead_entry.md"),
};

pub(crate) static MOOT: Rule = Rule {
    code: "access/moot-entry",
    summary: "an entry denies only what is not allowed anyway",
    default_severity: Severity::Info,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("moot_entry.md"),
};

pub(crate) static SHADOWED: Rule = Rule {
    code: "access/shadowed-entry",
    summary: "other entries of the list cover all that an entry covers",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("shadowed_entry.md"),
};

/// Lists with so few entries are looked at again for each member that inherits them: that is quicker than knowing them.
const FEW: usize = 8;

/// How much the patterns of such lists weigh together at most.
const FEW_WEIGHT: usize = 64;

/// Reports each entry that decides nothing for any member that has it.
pub(super) fn check(check: &mut Check<'_>) {
    let is_unreadable = |member: &crate::Member| member.fields.is_unreadable();
    // Who could not be read may have a use for what others have none for.
    if !check.is_whole()
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
    // What one member has no use for another one may.
    for_each_combination(check, &mut steps, |combination, each_decides, steps| {
        if !found.keys().any(|node| combination.has(*node)) {
            return;
        }
        let redundant = if each_decides { None } else { combination.redundant(steps) }.unwrap_or_default();
        found.retain(|node, _| !combination.has(*node) || redundant.iter().any(|entry| entry.node == *node));
    });
    check.steps = steps;
    for finding in found.into_values() {
        finding.report(check);
    }
}

/// Returns what decides nothing for somebody; none if there is nothing.
fn find<'f>(check: &mut Check<'f>, steps: &mut usize) -> Option<BTreeMap<NodeId, Finding<'f>>> {
    let mut found = BTreeMap::new();
    let mut too_long = None;
    for_each_combination(check, steps, |combination, each_decides, steps| {
        if each_decides {
            return;
        }
        match combination.redundant(steps) {
            Some(entries) => found.extend(entries.into_iter().map(|entry| (entry.node, entry))),
            None => too_long = too_long.or_else(|| combination.place()),
        }
    });
    if let Some(place) = too_long {
        uncompared_lists::report(check, &place);
    }
    (!found.is_empty()).then_some(found)
}

/// Calls `act` with the lists of each member for each access, and whether it is seen at once that each of their entries
/// decides something. Equal lists come once, unless they are short.
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
            if length <= FEW && weight <= FEW_WEIGHT && combination.each_decides() {
                act(&combination, true, steps);
            } else if known.insert(combination.key()) {
                let left = steps.checked_sub(weight.saturating_mul(weight)).filter(|_| length > FEW);
                *steps = left.unwrap_or(*steps);
                act(&combination, left.is_some() && combination.each_decides(), steps);
            }
        }
    }
}

type PatternField = Field<AccessList<Pattern>>;
type ExtensionField = Field<AccessList<Extension>>;

/// The four lists of a member about one access, all of them readable.
struct Combination<'f> {
    access: Access,
    deny: &'f PatternField,
    deny_extensions: &'f ExtensionField,
    allow: &'f PatternField,
    allow_extensions: &'f ExtensionField,
    /// What is denied behind the list.
    built_in: Option<Pattern>,
    /// What the member has unless it says otherwise.
    defaults: Option<&'f AccessLists>,
}

impl<'f> Combination<'f> {
    fn of(team: &'f Team, member: &Effective<'f>, access: Access) -> Option<Self> {
        let built_in = member.shadow().and_then(|shadow| shadow.denied);
        let deny = match (access, built_in) {
            // What is built in hides what would be inherited.
            (Access::Read, Some(_)) => member.own_field(|fields| &fields.access.no_read_dirs),
            (Access::Write, Some(_)) => member.own_field(|fields| &fields.access.no_write_dirs),
            (Access::Read, None) => member.field(|fields| &fields.access.no_read_dirs),
            (Access::Write, None) => member.field(|fields| &fields.access.no_write_dirs),
        };
        let (deny_extensions, allow, allow_extensions) = match access {
            Access::Read => (
                member.field(|fields| &fields.access.of_extensions().no_read_file_ext_names),
                member.field(|fields| &fields.access.read_dirs),
                member.field(|fields| &fields.access.of_extensions().read_file_ext_names),
            ),
            Access::Write => (
                member.field(|fields| &fields.access.of_extensions().no_write_file_ext_names),
                member.field(|fields| &fields.access.write_dirs),
                member.field(|fields| &fields.access.of_extensions().write_file_ext_names),
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

    fn each_decides(&self) -> bool {
        let deny = entries(self.deny).iter().map(|entry| &entry.value).chain(&self.built_in);
        let allow = entries(self.allow).iter().map(|entry| &entry.value);
        let has_extensions =
            !entries(self.deny_extensions).is_empty() || !entries(self.allow_extensions).is_empty();
        !has_extensions && each_decides(deny, allow)
    }

    /// Returns what the patterns weigh together (see [`Pattern::weight`]), and each extension as one.
    fn weight(&self) -> usize {
        let patterns = entries(self.deny).iter().chain(entries(self.allow));
        let extensions = entries(self.deny_extensions).len() + entries(self.allow_extensions).len();
        patterns.map(|entry| entry.value.weight()).sum::<usize>() + extensions
    }

    /// Returns whether an entry stands in one of the lists.
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

    /// Returns the entries that decide nothing.
    fn redundant(&self, steps: &mut usize) -> Option<Vec<Finding<'f>>> {
        *steps = steps.checked_sub(self.weight().saturating_mul(self.weight()))?;
        let mut deny = AccessList::of(self.deny);
        if let Some(built_in) = &self.built_in {
            deny = EntryList::Given(deny.entries().iter().chain([built_in]).cloned().collect());
        }
        let lists = Lists {
            deny,
            deny_extensions: AccessList::of(self.deny_extensions),
            allow: AccessList::of(self.allow),
            allow_extensions: AccessList::of(self.allow_extensions),
        };
        let found = redundant(&lists, steps)?;
        Some(found.iter().filter_map(|entry| self.finding((entry.list, entry.index), entry.why)).collect())
    }

    fn finding(&self, entry: (ListKind, usize), why: Redundancy) -> Option<Finding<'f>> {
        let (list, index) = entry;
        if why == Redundancy::NotAllowed && self.repeats_inherited(list, index) {
            return None;
        }
        let by = match why {
            Redundancy::Shadowed { by } => by.and_then(|by| self.entry((list, by))),
            Redundancy::Contradicted { by } => by.and_then(|by| {
                let denying = if list == ListKind::Allow { ListKind::Deny } else { ListKind::DenyExtension };
                self.entry((denying, by))
            }),
            _ => None,
        };
        let place = self.entry(entry)?;
        Some(Finding { node: place.node, access: self.access, list, place, why, by })
    }

    /// Returns whether an entry of a deny list is there because the list replaces an inherited one, which has it too:
    /// without it, it would be dropped.
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
        let extensions = inherited.of_extensions();
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
            ListKind::Deny => at(self.deny, index, Pattern::written),
            ListKind::DenyExtension => at(self.deny_extensions, index, Extension::written),
            ListKind::Allow => at(self.allow, index, Pattern::written),
            ListKind::AllowExtension => at(self.allow_extensions, index, Extension::written),
        }
    }
}

/// An entry that decides nothing.
struct Finding<'f> {
    node: NodeId,
    access: Access,
    list: ListKind,
    place: Spanned<&'f str>,
    why: Redundancy,
    by: Option<Spanned<&'f str>>,
}

impl Finding<'_> {
    fn report(&self, check: &mut Check<'_>) {
        let entry = self.place.value;
        let key = self.list.key(self.access);
        let (rule, message, label, help) = match self.why {
            Redundancy::Shadowed { .. } => {
                let what = match &self.by {
                    Some(by) if by.value == entry => "it stands there twice".to_owned(),
                    Some(by) => format!("`{}` covers all of it", by.value),
                    None => "other entries cover all of it".to_owned(),
                };
                (
                    &SHADOWED,
                    format!("`{entry}` in `{key}` changes nothing: {what}"),
                    "decides nothing",
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
                    None => "other lists leave nothing of it".to_owned(),
                };
                (
                    &CONTRADICTORY,
                    format!("`{entry}` in `{key}` allows nothing: {what}"),
                    "never takes effect",
                    "deny wins, whatever stands first or is longer: narrow what is denied, or remove this entry",
                )
            }
            Redundancy::NotAllowed if power::protects(self.list, self.access, entry) => return,
            Redundancy::NotAllowed => (
                &MOOT,
                format!("`{entry}` in `{key}` denies only what is not allowed anyway"),
                "decides nothing as long as the allow list stays as it is",
                "remove the entry; to keep it for the day when more is allowed, say so in a comment that allows this finding",
            ),
            // The rules about packages, about the whole workspace and about extensions have told.
            Redundancy::Reserved if self.list == ListKind::Allow => return,
            Redundancy::Everything => return,
            Redundancy::Reserved => (
                &DEAD,
                format!(
                    "`{entry}` in `{key}` changes nothing: task packages are closed to general tools anyway"
                ),
                "decides nothing",
                "remove the entry",
            ),
            _ if !Extension::parse(entry).is_ok_and(|extension| extension.can_match()) => return,
            _ => (
                &DEAD,
                format!(
                    "`{entry}` in `{key}` changes nothing: no file that can be reached has this extension"
                ),
                "decides nothing",
                "remove the entry",
            ),
        };
        check.report(rule, &self.place, |document, primary| {
            let found = Diagnostic::new(rule, message).primary(primary.message(label)).help(help);
            match &self.by {
                Some(by) => found.secondary(document.source().label(by.span).message("this decides")),
                None => found,
            }
        });
    }
}

fn entries<T>(list: &Field<AccessList<T>>) -> &[Spanned<T>] {
    list.given().map(|list| list.value.0.items.as_slice()).unwrap_or_default()
}

fn node<T>(list: &Field<AccessList<T>>) -> Option<NodeId> {
    list.given().map(|list| list.node)
}

fn is_readable<T>(list: &Field<AccessList<T>>) -> bool {
    !list.is_unreadable() && list.given().is_none_or(|list| list.value.0.is_complete)
}
