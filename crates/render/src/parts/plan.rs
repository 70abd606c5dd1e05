//! Comparing rendered parts with existing files.

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Contents, Diagnostic, SourceFile, Span};
use minds_vfs::{ContentHash, FileMode, Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use super::record::{PartRecord, UnitRecord};
use super::unit::{Outcome, Unit};
use super::{FilePart, PartContent, block, json, toml};
use crate::clients::rules::UNMERGEABLE;
use crate::clients::{ClientPlan, redact_shared};
use crate::plan::{Item, State, unreadable_parent};
use crate::team_target::{TeamTarget, dialect};

/// Returns the files to read before [`plan_parts`]: those that the parts are in, and those of the records.
pub fn scope_of_parts(parts: &[FilePart], records: &[PartRecord]) -> Scope {
    let paths = parts.iter().map(|part| &part.path).chain(records.iter().map(|record| &record.path));
    let paths: BTreeSet<&WorkspacePath> = paths.collect();
    Scope::of_files(paths.into_iter().map(|path| Location::new(MountId::WORKSPACE, path.clone())))
}

/// Adds the parts of `targets` to a plan, and returns the new records. Records of other targets are kept.
pub fn plan_parts(
    plan: &mut ClientPlan,
    parts: &[FilePart],
    targets: &[TeamTarget],
    records: &[PartRecord],
    found: &Snapshot,
) -> Vec<PartRecord> {
    let mut kept: Vec<PartRecord> =
        records.iter().filter(|record| !targets.contains(&record.target)).cloned().collect();
    let mut by_path: BTreeMap<&WorkspacePath, Vec<TeamTarget>> = BTreeMap::new();
    let wanted = parts.iter().map(|part| (&part.path, part.target));
    let known = records.iter().map(|record| (&record.path, record.target));
    for (path, target) in wanted.chain(known).filter(|(_, target)| targets.contains(target)) {
        let known = by_path.entry(path).or_default();
        if !known.contains(&target) {
            known.push(target);
        }
    }
    for (path, mut targets) in by_path {
        targets.sort_unstable();
        let file = File { path, found };
        let wanted = |target| parts.iter().find(|part| part.target == target && part.path == *path);
        let record = |target| records.iter().find(|record| record.target == target && record.path == *path);
        let owners: Vec<Owner<'_>> = targets
            .into_iter()
            .map(|target| Owner { target, part: wanted(target), record: record(target) })
            .collect();
        let others = kept.iter().any(|record| record.path == *path);
        kept.extend(file.add(plan, &owners, others));
    }
    kept.sort_by(|a, b| (a.target, &a.path).cmp(&(b.target, &b.path)));
    plan.plan.items.sort_by(|a, b| a.path.cmp(&b.path));
    kept
}

/// A target with what it wants and has in a file.
struct Owner<'p> {
    target: TeamTarget,
    part: Option<&'p FilePart>,
    record: Option<&'p PartRecord>,
}

struct File<'p> {
    path: &'p WorkspacePath,
    found: &'p Snapshot,
}

impl File<'_> {
    /// Adds the file to a plan, and returns the records of its targets.
    fn add(&self, plan: &mut ClientPlan, owners: &[Owner<'_>], has_others: bool) -> Vec<PartRecord> {
        // Servers may be rendered into the same file.
        let earlier = plan.plan.items.iter().position(|item| item.path == *self.path);
        let earlier = earlier.map(|at| plan.plan.items.remove(at));
        let existing = match self.existing() {
            Ok(existing) => existing,
            Err(reason) => {
                let is_needed = owners.iter().any(|owner| owner.part.is_some());
                if is_needed {
                    plan.plan.items.push(self.obstacle(reason));
                }
                return owners.iter().filter_map(|owner| owner.record.cloned()).collect();
            }
        };
        let before = existing.as_ref().map(|(text, _)| text.as_str());
        let begun = match &earlier {
            Some(item) => item.after.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()),
            None => before,
        };
        let is_new = before.is_none()
            || owners.iter().any(|owner| owner.record.is_some_and(|record| record.is_created));
        let mut text = begun.unwrap_or_default().to_owned();
        let (mut records, mut drifted, mut is_drifted) = (Vec::new(), Vec::new(), false);
        for owner in owners {
            match self.write(&text, owner, begun.is_some()) {
                Ok(written) => {
                    text = written.text;
                    is_drifted |= written.is_drifted;
                    drifted.extend(written.drifted);
                    if !written.owned.is_empty() {
                        let path = self.path.clone();
                        let (target, units) = (owner.target, written.owned);
                        records.push(PartRecord { target, path, is_created: is_new, units });
                    }
                }
                Err(refusal) => {
                    plan.problems.push(self.unmergeable(&text, &refusal));
                    return owners.iter().filter_map(|owner| owner.record.cloned()).collect();
                }
            }
        }
        let has_servers = plan.manifest.files.iter().any(|file| file.client.file() == self.path.as_str());
        let is_last = records.is_empty() && !has_others && !has_servers;
        let is_removed = is_last && is_new && is_empty(&text, owners);
        let after = (!is_removed && (begun.is_some() || !records.is_empty())).then_some(text);
        let earlier_drift = earlier.as_ref().is_some_and(|item| item.state == State::Drifted);
        let state = match (before, after.as_deref()) {
            (None, None) => return records,
            _ if is_drifted || earlier_drift => State::Drifted,
            (None, Some(_)) => State::Created,
            (Some(before), Some(after)) if before == after => State::Unchanged,
            (Some(_), Some(_)) => State::Changed,
            (Some(_), None) => State::Stale,
        };
        self.add_detail(plan, owners, before, after.as_deref(), drifted);
        plan.plan.items.push(Item {
            path: self.path.clone(),
            state,
            before: before.map(|text| Contents::from(text.as_bytes())),
            after: after.map(String::into_bytes),
            obstacle: None,
            is_too_open: false,
            mode: existing.map_or(FileMode::Regular, |(_, mode)| mode),
        });
        records
    }

    /// Returns the text of the file, or why it cannot be changed.
    fn existing(&self) -> Result<Option<(String, FileMode)>, String> {
        match self.found.get(&Location::new(MountId::WORKSPACE, self.path.clone())) {
            None => unreadable_parent(self.path, self.found).map_or(Ok(None), Err),
            Some(SnapshotEntry::File { bytes, mode }) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some((text.to_owned(), *mode))),
                Err(_) => Err("it is not valid UTF-8".to_owned()),
            },
            Some(other) => Err(other.bytes().err().unwrap_or_default().to_owned()),
        }
    }

    fn write(&self, text: &str, owner: &Owner<'_>, exists: bool) -> Result<Outcome, Refusal> {
        let previous = owner.record.map(|record| record.units.as_slice()).unwrap_or_default();
        let is_whole = |unit: &UnitRecord| unit.unit == Unit::File;
        match owner.part.map(|part| &part.content) {
            Some(PartContent::File(new)) => Ok(write_whole(text, Some(new), previous, exists)),
            None if previous.iter().any(is_whole) => Ok(write_whole(text, None, previous, exists)),
            Some(PartContent::Block(inner)) => {
                block::write(text, Some(&block::new_unit(inner)), previous.first()).map_err(Refusal::of)
            }
            Some(PartContent::Json(parts)) => {
                let wanted = json::new_units(parts);
                json::write(text, dialect(self.path), &wanted, previous).map_err(Refusal::of_json)
            }
            Some(PartContent::Toml(tables)) => {
                toml::write(text, &toml::new_units(tables), previous).map_err(Refusal::of_toml)
            }
            None => match previous.first().map(|unit| &unit.unit) {
                Some(Unit::Block) => block::write(text, None, previous.first()).map_err(Refusal::of),
                Some(Unit::Table(_)) => toml::write(text, &[], previous).map_err(Refusal::of_toml),
                _ => json::write(text, dialect(self.path), &[], previous).map_err(Refusal::of_json),
            },
        }
    }

    fn add_detail(
        &self,
        plan: &mut ClientPlan,
        owners: &[Owner<'_>],
        before: Option<&str>,
        after: Option<&str>,
        drifted: Vec<String>,
    ) {
        let is_shared = owners.iter().any(|owner| {
            owner.part.is_some_and(|part| matches!(part.content, PartContent::Json(_) | PartContent::Toml(_)))
                || owner.record.is_some_and(|record| {
                    record.units.iter().any(|unit| !matches!(unit.unit, Unit::File | Unit::Block))
                })
        });
        let mut detail = plan.details.remove(self.path).unwrap_or_default();
        detail.drifted.extend(drifted);
        if is_shared {
            let ours: Vec<&FilePart> = owners.iter().filter_map(|owner| owner.part).collect();
            let own = plan.manifest.files.iter().filter(|file| file.client.file() == self.path.as_str());
            let servers =
                own.flat_map(|file| file.servers.iter().map(|server| server.name.as_str())).collect();
            (detail.before, detail.after) = redact_shared(self.path, before, after, &ours, &servers);
        } else {
            (detail.before, detail.after) = (before.map(str::to_owned), after.map(str::to_owned));
        }
        plan.details.insert(self.path.clone(), detail);
    }

    fn obstacle(&self, reason: String) -> Item {
        Item {
            path: self.path.clone(),
            state: State::Drifted,
            before: None,
            after: Some(Vec::new()),
            obstacle: Some(reason),
            is_too_open: false,
            mode: FileMode::Regular,
        }
    }

    fn unmergeable(&self, text: &str, refusal: &Refusal) -> Diagnostic {
        // The file may contain secrets at unknown places.
        let mask = |c: char| if c.is_whitespace() { c.to_string() } else { "*".repeat(c.len_utf8()) };
        let redacted: String = text.chars().map(mask).collect();
        let start = refusal.start.filter(|start| redacted.is_char_boundary(*start)).unwrap_or_default();
        let span = Span::at(u32::try_from(start.min(redacted.len())).unwrap_or_default());
        Diagnostic::new(&UNMERGEABLE, format!("`{}` cannot be changed: {}", self.path, refusal.reason))
            .primary(SourceFile::new(self.path.as_str(), redacted).label(span).message("here"))
            .note("the file is left unchanged; its client may not be able to read it either")
            .help("fix or move the file, and render again")
    }
}

/// Returns whether a file has nothing but what its targets wrote.
fn is_empty(text: &str, owners: &[Owner<'_>]) -> bool {
    let units = owners.iter().filter_map(|owner| owner.record).flat_map(|record| &record.units);
    units.into_iter().all(|unit| match unit.unit {
        Unit::File => true,
        Unit::Block => block::is_empty(text),
        Unit::Member(_) | Unit::Item(_) => json::is_empty(text),
        Unit::Table(_) => toml::is_empty(text),
    })
}

/// Why a part cannot be written.
struct Refusal {
    reason: String,
    start: Option<usize>,
}

impl Refusal {
    fn of(reason: String) -> Self {
        Self { reason, start: None }
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is used as a conversion in `map_err`")]
    fn of_json(error: crate::jsonc::JsonError) -> Self {
        Self { reason: error.to_string(), start: Some(error.span().start) }
    }

    fn of_toml(refusal: toml::TomlRefusal) -> Self {
        match refusal {
            toml::TomlRefusal::Syntax(error) => {
                Self { reason: "it is not valid TOML".to_owned(), start: error.span().map(|span| span.start) }
            }
            toml::TomlRefusal::NotATable(key) => {
                Self { reason: format!("`{key}` is not a table"), start: None }
            }
        }
    }
}

fn write_whole(text: &str, new: Option<&String>, previous: &[UnitRecord], exists: bool) -> Outcome {
    let mut written = Outcome::default();
    let hash = ContentHash::of(text.as_bytes());
    let is_ours = previous.iter().any(|unit| unit.hash == hash);
    let is_same = new.is_some_and(|new| new == text);
    if exists && !is_ours && !is_same {
        written.add_drift(&Unit::File);
    }
    if let Some(new) = new {
        written.text.clone_from(new);
        written.owned.push(UnitRecord { unit: Unit::File, hash: ContentHash::of(new.as_bytes()) });
    }
    written
}
