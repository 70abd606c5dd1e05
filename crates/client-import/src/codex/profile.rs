//! Permission profiles and sandbox modes of Codex, which hold for a session.
//!
//! In a profile, the most specific path wins. In a team, an entry that denies always wins, so a path that is open below a
//! denied one stays denied. Without a profile and a sandbox mode, Codex does not write until the user decides.

use minds_clients::{ClientFile, Entry, Item};
use minds_diagnostics::Label;

use crate::access::{Access, covers};
use crate::context::Context;
use crate::fields::Fields;
use crate::findings::{place, shorten};
use crate::patterns::{Deny, Directories, deny_of_git};

/// The number of profiles that may extend each other.
const MAX_EXTENDED: usize = 16;

/// What all roles may read and write.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionLimits {
    pub(super) access: Access,
}

impl SessionLimits {
    /// Returns the limits if no file says anything: nothing is written.
    pub(super) fn unknown() -> Self {
        let mut limits = Self::default();
        limits.access.write.is_closed = true;
        limits
    }
}

/// A level of access to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Deny,
    Read,
    Write,
}

/// An entry of a profile.
struct PathRule<'i> {
    path: &'i str,
    level: Level,
    place: Label,
}

/// What a profile says about the workspace as a whole, and its entries.
struct Profile<'i> {
    base: Level,
    rules: Vec<PathRule<'i>>,
    /// Directories of the workspace that the base does not write.
    protected: Vec<&'static str>,
    /// Whether a part of it is not known.
    is_unknown: bool,
}

pub(super) fn read(cx: &mut Context<'_>, file: &ClientFile, fields: &mut Fields<'_>) -> SessionLimits {
    let chosen = fields.entry("default_permissions");
    let profiles = fields.get("permissions");
    let sandbox = fields.entry("sandbox_mode");
    let _ = fields.entry("sandbox_workspace_write");
    let mut limits = SessionLimits::default();
    let mut is_known = false;
    if let Some(sandbox) = sandbox {
        is_known = true;
        match sandbox.item.text() {
            Some("workspace-write" | "danger-full-access") => {}
            _ => limits.access.write.is_closed = true,
        }
    }
    if let Some(chosen) = chosen
        && let Some(name) = chosen.item.text()
    {
        is_known = true;
        let profile = load(file, profiles, name, 0);
        limits.access.restrict(&access(cx, &profile, &place(file, chosen.item.span)));
    } else if let Some(profiles) = profiles {
        for entry in profiles.entries() {
            cx.findings.report_loss(
                &place(file, entry.key_span),
                format!("the profile `{}` is not used by default", shorten(&entry.key)),
                "set `default_permissions` to it, and import again, to make access lists from it",
            );
        }
    }
    if !is_known {
        cx.findings.report_narrower(
            &place(file, file.content.place),
            "members of Codex do not write: its configuration has neither `sandbox_mode` nor `default_permissions`",
            "add the toolset `ws_mod` to members that may write, with `write_dirs`",
        );
        return SessionLimits::unknown();
    }
    limits
}

fn load<'i>(file: &ClientFile, profiles: Option<&'i Item>, name: &str, depth: usize) -> Profile<'i> {
    let empty = |base, protected| Profile { base, rules: Vec::new(), protected, is_unknown: false };
    match name {
        ":read-only" => return empty(Level::Read, Vec::new()),
        ":workspace" => return empty(Level::Write, vec![".git", ".agents", ".codex"]),
        _ => {}
    }
    let Some(item) = profiles.and_then(|profiles| profiles.get(name)).filter(|_| depth < MAX_EXTENDED) else {
        return Profile { is_unknown: true, ..empty(Level::Deny, Vec::new()) };
    };
    let mut profile = match item.get("extends").and_then(Item::text) {
        Some(other) => load(file, profiles, other, depth + 1),
        None => empty(Level::Deny, Vec::new()),
    };
    for entry in item.get("filesystem").map(Item::entries).unwrap_or_default() {
        if entry.key == ":workspace_roots" {
            for inner in entry.item.entries() {
                profile.add(file, inner);
            }
        } else if let Some(level) = level(&entry.item) {
            match entry.key.as_str() {
                ":root" => profile.base = profile.base.max(level),
                // System files and temporary directories are not in the workspace.
                ":minimal" | ":tmpdir" | ":slash_tmp" => {}
                _ => profile.add(file, entry),
            }
        }
    }
    profile
}

fn level(item: &Item) -> Option<Level> {
    Some(match item.text()? {
        "read" => Level::Read,
        "write" => Level::Write,
        _ => Level::Deny,
    })
}

impl<'i> Profile<'i> {
    fn add(&mut self, file: &ClientFile, entry: &'i Entry) {
        let level = level(&entry.item).unwrap_or(Level::Deny);
        if matches!(entry.key.as_str(), "." | "**" | "./") {
            self.base = level;
            return;
        }
        // A later profile replaces the entry of the one that it extends.
        self.rules.retain(|rule| rule.path != entry.key);
        self.rules.push(PathRule { path: &entry.key, level, place: place(file, entry.key_span) });
    }
}

/// Returns the entries for a path; none if it is not in the workspace.
fn entries(path: &str, directories: Directories<'_>) -> Deny {
    if path.starts_with('~') || path.starts_with('/') {
        let absolute = if path.starts_with('/') { format!("/{path}") } else { path.to_owned() };
        return deny_of_git(&absolute, directories);
    }
    deny_of_git(&format!("/{path}"), directories)
}

fn access(cx: &mut Context<'_>, profile: &Profile<'_>, chosen: &Label) -> Access {
    let mut access = Access::default();
    if profile.is_unknown {
        cx.findings.report_narrower(
            chosen,
            "members of Codex have no access: the profile is not defined",
            "define the profile, and import again",
        );
        access.read.is_closed = true;
        access.write.is_closed = true;
        return access;
    }
    let (mut readable, mut writable) = (Vec::new(), Vec::new());
    access.write.deny.extend(profile.protected.iter().map(|&path| path.to_owned()));
    for rule in &profile.rules {
        let found = entries(rule.path, cx.directories);
        let Deny::Entries(found) = found else {
            if found == Deny::Everything && rule.level < Level::Write {
                access.write.is_closed = true;
                access.read.is_closed |= rule.level == Level::Deny;
            } else if found == Deny::Nothing && rule.level != Level::Deny {
                cx.findings.report_narrower(
                    &rule.place,
                    format!("`{}`: members have no access outside of the workspace", shorten(rule.path)),
                    "move what they need into the workspace",
                );
            }
            continue;
        };
        // Only a path without operators allows exactly what it names.
        let stem = rule.path.strip_suffix("/**").unwrap_or(rule.path);
        let is_plain = !stem.contains(['*', '?', '[', '\\']) && !stem.starts_with(['~', '/']);
        if rule.level == Level::Deny {
            access.read.add_denial(&Deny::Entries(found.clone()));
            access.write.add_denial(&Deny::Entries(found));
            continue;
        }
        if rule.level >= Level::Read && profile.base < Level::Read && is_plain {
            readable.extend(found.iter().cloned());
        }
        if rule.level == Level::Write && profile.base < Level::Write && is_plain {
            writable.extend(found.iter().cloned());
        }
        let is_open = |other: &&PathRule<'_>| {
            other.level == Level::Write
                && matches!(entries(other.path, cx.directories), Deny::Entries(wide) if found.iter().all(|entry| wide.iter().any(|wide| covers(wide, entry))))
        };
        if rule.level == Level::Read
            && (profile.base == Level::Write || profile.rules.iter().any(|other| is_open(&other)))
        {
            access.write.add_denial(&Deny::Entries(found));
        }
    }
    if profile.base < Level::Read {
        access.read.allow_only(readable);
    }
    if profile.base < Level::Write {
        access.write.allow_only(writable);
    }
    report_closed_below(cx, profile, &access);
    access
}

/// Reports the entries that open a path below a denied one: in a team it stays denied.
fn report_closed_below(cx: &mut Context<'_>, profile: &Profile<'_>, access: &Access) {
    for rule in profile.rules.iter().filter(|rule| rule.level > Level::Deny) {
        let denied = if rule.level == Level::Write { &access.write.deny } else { &access.read.deny };
        let Deny::Entries(found) = entries(rule.path, cx.directories) else { continue };
        if found.iter().any(|entry| denied.iter().any(|wide| covers(wide, entry))) {
            cx.findings.report_narrower(
                &rule.place,
                format!(
                    "`{}` stays denied: in a team, an entry that denies a parent directory wins",
                    shorten(rule.path)
                ),
                "list the other directories in the list that denies, instead of their parent",
            );
        }
    }
}
