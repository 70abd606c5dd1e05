use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{Access, Extension, ListKind, Redundancy, RedundantEntry};
use minds_diagnostics::{Diagnostic, rule};
use minds_document::{NodeId, Spanned};

use self::combination::{Combination, combinations};
use self::equal_lists::EqualLists;
use super::{Check, uncompared_lists};
use crate::model::Team;
use crate::powerful_files;

mod combination;
mod equal_lists;

rule! {
    pub(crate) static CONTRADICTORY {
        code: "access/contradictory-entry",
        summary: "everything that an entry allows is denied",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "contradictory_entry.md",
    }

    pub(crate) static DEAD {
        code: "access/dead-entry",
        summary: "an entry covers nothing that could be allowed",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "dead_entry.md",
    }

    pub(crate) static MOOT {
        code: "access/moot-entry",
        summary: "an entry denies only what is not allowed anyway",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "moot_entry.md",
    }

    pub(crate) static SHADOWED {
        code: "access/shadowed-entry",
        summary: "other entries of the list cover everything that an entry covers",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "shadowed_entry.md",
    }
}

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
    let mut lists = EqualLists::default();
    let (mut found, uncompared) = find(check.team, &mut lists, &mut check.steps);
    if let Some(place) = uncompared {
        uncompared_lists::report(check, &place);
    }
    if found.is_empty() {
        return;
    }
    // An entry that is redundant for one member may be effective for another one.
    for combination in combinations(check.team) {
        if combination.nodes().any(|node| found.contains_key(&node)) {
            let redundant = redundant_entries(&combination, &mut lists, &mut check.steps).unwrap_or_default();
            let redundant: BTreeSet<NodeId> = redundant.iter().map(|entry| entry.node).collect();
            for node in combination.nodes().filter(|node| !redundant.contains(node)) {
                found.remove(&node);
            }
        }
    }
    for finding in found.into_values() {
        finding.report(check);
    }
}

/// Returns the entries that are redundant for at least one member, and the place of the first lists that could not be
/// compared.
fn find<'f>(
    team: &'f Team,
    lists: &mut EqualLists<'f>,
    steps: &mut usize,
) -> (BTreeMap<NodeId, Finding<'f>>, Option<Spanned<()>>) {
    let (mut found, mut uncompared) = (BTreeMap::new(), None);
    for combination in combinations(team) {
        match redundant_entries(&combination, lists, steps) {
            Some(entries) => found.extend(entries.into_iter().map(|entry| (entry.node, entry))),
            None => uncompared = uncompared.or_else(|| combination.place()),
        }
    }
    (found, uncompared)
}

/// Returns the entries of a member that have no effect for it; `None` if finding them would take too long.
fn redundant_entries<'f>(
    combination: &Combination<'f>,
    lists: &mut EqualLists<'f>,
    steps: &mut usize,
) -> Option<Vec<Finding<'f>>> {
    let found = lists.find_redundant(combination, steps)?;
    Some(found.iter().filter_map(|entry| Finding::of(combination, *entry)).collect())
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

impl<'f> Finding<'f> {
    /// Returns the finding about an entry; `None` if the entry is useful although it has no effect.
    fn of(combination: &Combination<'f>, found: RedundantEntry) -> Option<Self> {
        let RedundantEntry { list, index, redundancy } = found;
        if redundancy == Redundancy::NotAllowed && combination.repeats_inherited(list, index) {
            return None;
        }
        let by = match redundancy {
            Redundancy::Shadowed { by } => by.and_then(|by| combination.entry(list, by)),
            Redundancy::Contradicted { by } => by.and_then(|by| {
                let denying = if list == ListKind::Allow { ListKind::Deny } else { ListKind::DenyExtension };
                combination.entry(denying, by)
            }),
            _ => None,
        };
        let place = combination.entry(list, index)?;
        Some(Self { node: place.node, access: combination.access, list, place, redundancy, by })
    }
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
