//! Access lists as a permission profile of Codex, for a session as one member.

use minds_access_control::{Access, ListKind, Pattern, Policy};
use minds_clients::permissions::{CodexAccess, CodexBase, CodexProfile};

use super::{Hands, Obstacle, Translation, entries, extensions, find_unreadable, limits, loss};

/// Returns the profile of one member.
///
/// The system enforces it, also for commands. It does not hold what is reserved by name alone: new files in task packages and
/// in a `.git` below the root can be written.
///
/// # Errors
///
/// Returns the list that the client cannot hold: it has no form for extensions that may be read, and no session without reading.
pub fn translate(policy: &Policy, hands: Hands) -> Result<Translation<CodexProfile>, Obstacle> {
    if let Some(obstacle) = find_unreadable(policy, hands) {
        return Err(obstacle);
    }
    if !hands.reads {
        let list = ListKind::Allow.key(Access::Read);
        let reason =
            "a session of Codex reads with commands, and the member has no tools that read".to_owned();
        return Err(Obstacle { list, entry: None, reason });
    }
    if limits(policy, Access::Read, ListKind::AllowExtension) {
        let list = ListKind::AllowExtension.key(Access::Read);
        let reason = "Codex has no entry for extensions that may be read".to_owned();
        return Err(Obstacle { list, entry: None, reason });
    }
    let mut profile = Profile { policy, made: Translation::default() };
    profile.add_reading();
    if hands.writes {
        profile.add_writing();
    } else if profile.made.permissions.base == CodexBase::Workspace {
        profile.made.permissions.base = CodexBase::ReadOnly;
    }
    profile.add_denied();
    Ok(profile.made)
}

struct Profile<'p> {
    policy: &'p Policy,
    made: Translation<CodexProfile>,
}

impl Profile<'_> {
    fn set(&mut self, path: String, access: CodexAccess) {
        let entries = &mut self.made.permissions.entries;
        match entries.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) if access == CodexAccess::Write => *known = (*known).max(access),
            Some((_, known)) => *known = (*known).min(access),
            None => entries.push((path, access)),
        }
    }

    fn lose(&mut self, access: Access, kind: ListKind, entry: Option<usize>, reason: &str) {
        self.made.losses.push(loss(access, kind, entry, reason));
    }

    fn add_reading(&mut self) {
        if !limits(self.policy, Access::Read, ListKind::Allow) {
            self.made.permissions.base = CodexBase::ReadOnly;
            return;
        }
        self.made.permissions.base = CodexBase::Minimal;
        for (index, entry) in entries(self.policy, Access::Read, ListKind::Allow).iter().enumerate() {
            let path = literal(entry).filter(|_| !self.is_pruned(entry, Access::Read));
            if let Some(path) = path {
                self.set(path, CodexAccess::Read);
            } else {
                let reason = "Codex has no wildcards for what may be read, and no entry below a denied one";
                self.lose(Access::Read, ListKind::Allow, Some(index), reason);
            }
        }
    }

    fn add_writing(&mut self) {
        let access = Access::Write;
        let extension_lists = [ListKind::AllowExtension, ListKind::DenyExtension];
        if let Some(kind) = extension_lists.into_iter().find(|kind| limits(self.policy, access, *kind)) {
            self.lose(
                access,
                kind,
                None,
                "Codex has no entry for extensions that may be written, so nothing may be",
            );
            return;
        }
        let denied = entries(self.policy, access, ListKind::Deny);
        if let Some(index) = denied.iter().position(|entry| literal(entry).is_none()) {
            let reason = "Codex has no wildcards for what must not be written, so nothing may be";
            self.lose(access, ListKind::Deny, Some(index), reason);
            return;
        }
        let readable = entries(self.policy, Access::Read, ListKind::Allow);
        let allowed = entries(self.policy, access, ListKind::Allow);
        match (allowed, readable) {
            ([], []) => self.made.permissions.base = CodexBase::Workspace,
            // Writing includes reading.
            ([], readable) => {
                self.lose(Access::Read, ListKind::Allow, None, "Codex only writes what it may read");
                self.allow_writing(readable, |_| true, Access::Read);
            }
            (allowed, []) => self.allow_writing(allowed, |_| true, access),
            (allowed, readable) => {
                let is_readable = |entry: &Pattern| readable.iter().any(|other| other.covers(entry));
                self.allow_writing(allowed, is_readable, access);
            }
        }
    }

    fn allow_writing(&mut self, allowed: &[Pattern], is_readable: impl Fn(&Pattern) -> bool, from: Access) {
        for (index, entry) in allowed.iter().enumerate() {
            let is_usable = !self.is_pruned(entry, Access::Read) && !self.is_pruned(entry, Access::Write);
            if let Some(path) = literal(entry).filter(|_| is_usable && is_readable(entry)) {
                self.set(path, CodexAccess::Write);
            } else {
                let reason = "Codex has no wildcards for what may be written, no entry below a denied one, and only \
                              writes what it may read";
                self.lose(from, ListKind::Allow, Some(index), reason);
            }
        }
    }

    /// Returns whether a denial covers an entry: the more specific entry would win over it.
    fn is_pruned(&self, entry: &Pattern, access: Access) -> bool {
        entries(self.policy, access, ListKind::Deny).iter().any(|denied| denied.covers_folded(entry))
    }

    fn add_denied(&mut self) {
        let access = Access::Read;
        for entry in entries(self.policy, access, ListKind::Deny) {
            let denied = entries(self.policy, access, ListKind::Deny);
            let is_covered = denied.iter().any(|other| literal(other).is_none() && other.covers(entry));
            match literal(entry) {
                // A literal entry and a wildcard for the same path make every command fail.
                Some(path) if !is_covered => self.set(path, CodexAccess::Deny),
                Some(_) => {}
                None => {
                    let path = wildcard(entry);
                    self.set(format!("{path}/**"), CodexAccess::Deny);
                    self.set(path, CodexAccess::Deny);
                }
            }
        }
        for (_, extension) in extensions(self.policy, access, ListKind::DenyExtension) {
            self.set(format!("**/*.{}", escape(extension)), CodexAccess::Deny);
        }
        for entry in entries(self.policy, Access::Write, ListKind::Deny) {
            if let Some(path) = literal(entry) {
                self.protect(path);
            }
        }
        self.set("**/*.tsk/**".to_owned(), CodexAccess::Deny);
        for path in [".minds", ".git", ".codex", ".agents"] {
            self.protect(path.to_owned());
        }
    }

    /// Takes the right to write away, if the profile gives it.
    fn protect(&mut self, path: String) {
        let is_minimal = self.made.permissions.base == CodexBase::Minimal;
        let is_inside_readable = self.made.permissions.entries.iter().any(|(known, access)| {
            let is_above =
                known == "." || path.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with('/'));
            *access != CodexAccess::Deny && (is_above || *known == path)
        });
        let is_hidden = self.made.permissions.entries.iter().any(|(known, access)| {
            let is_above = path
                .strip_prefix(known.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            *access == CodexAccess::Deny && (known == "." || is_above)
        });
        // `read` would open what is not readable otherwise.
        if !is_hidden && (!is_minimal || is_inside_readable) {
            self.set(path, CodexAccess::Read);
        }
    }
}

/// Returns the path that an entry without wildcards stands for, in the syntax of the client.
fn literal(entry: &Pattern) -> Option<String> {
    if !entry.is_literal() {
        return None;
    }
    let names: Vec<String> = entry.segments().filter_map(super::name).map(escape).collect();
    let path = names.join("/");
    // A name with these operators has no literal form: entries with an escape can only deny.
    if path.contains(['?', '[', ']']) {
        return None;
    }
    Some(if path.is_empty() { ".".to_owned() } else { path })
}

fn wildcard(entry: &Pattern) -> String {
    let names: Vec<String> = entry
        .segments()
        .map(|segment| super::name(segment).map_or_else(|| "**".to_owned(), escape))
        .collect();
    names.join("/")
}

fn escape(name: &str) -> String {
    name.replace('[', "[[]")
}
