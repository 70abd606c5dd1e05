//! Access lists as permissions of an agent of opencode.

use minds_access_control::{Access, ListKind, Pattern, Policy};
use minds_clients::permissions::Effect;

use super::{Hands, Obstacle, Translation, entries, expand, extensions, find_unreadable, limits, loss};

/// The patterns of the permissions `read` and `edit`, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRules {
    /// For reading and listing.
    pub read: Vec<(String, Effect)>,
    /// For writing.
    pub edit: Vec<(String, Effect)>,
}

/// The maximum number of `**` in an entry whose forms are written one by one.
const MAX_ANY: usize = 2;
/// The names that are reserved for reading and writing, in the spellings that are in use.
const PACKAGES: [&str; 2] = ["*.tsk", "*.TSK"];
/// The directories that are reserved for writing: those of `minds`, and those of the client, which decide about these rules.
const CONTROL: [&str; 4] = [".minds", ".opencode", "opencode.json", "opencode.jsonc"];

/// Returns the patterns for one member. They begin with what is denied by default.
///
/// # Errors
///
/// Returns the list that cannot be read.
pub fn translate(policy: &Policy, hands: Hands) -> Result<Translation<PathRules>, Obstacle> {
    if let Some(obstacle) = find_unreadable(policy, hands) {
        return Err(obstacle);
    }
    let mut made = Translation::<PathRules>::default();
    for access in Access::ALL {
        let mut rules = Rules { policy, access, made: &mut made, list: vec![("*".to_owned(), Effect::Deny)] };
        if hands.has(access) {
            rules.add_allowed();
            rules.add_denied();
            rules.add_reserved();
        }
        let list = rules.list;
        match access {
            Access::Read => made.permissions.read = list,
            Access::Write => made.permissions.edit = list,
        }
    }
    Ok(made)
}

struct Rules<'r> {
    policy: &'r Policy,
    access: Access,
    made: &'r mut Translation<PathRules>,
    list: Vec<(String, Effect)>,
}

impl Rules<'_> {
    fn add_allowed(&mut self) {
        let mut scopes: Vec<Vec<String>> = Vec::new();
        for (index, entry) in entries(self.policy, self.access, ListKind::Allow).iter().enumerate() {
            if let Some(forms) = allowed_forms(entry) {
                scopes.push(forms);
            } else {
                let reason = "a pattern of opencode would allow more, so the entry is left out";
                self.made.losses.push(loss(self.access, ListKind::Allow, Some(index), reason));
            }
        }
        let has_list = limits(self.policy, self.access, ListKind::Allow);
        if limits(self.policy, self.access, ListKind::AllowExtension) {
            let reason = "files without an extension, and extensions in other letter case, are left out";
            self.made.losses.push(loss(self.access, ListKind::AllowExtension, None, reason));
            for (_, extension) in extensions(self.policy, self.access, ListKind::AllowExtension) {
                if extension.contains('?') {
                    continue;
                }
                if !has_list {
                    self.allow(format!("*.{extension}"));
                }
                for form in scopes.iter().flatten().filter(|form| form.ends_with('*')) {
                    self.allow(format!("{form}.{extension}"));
                }
            }
        } else if has_list {
            for form in scopes.into_iter().flatten() {
                self.allow(form);
            }
        } else if let Some((_, effect)) = self.list.first_mut() {
            *effect = Effect::Allow;
        }
    }

    /// Allows a pattern. A key must not be given twice: a file that a reader cannot parse has no limits at all.
    fn allow(&mut self, pattern: String) {
        match self.list.iter_mut().find(|(known, _)| *known == pattern) {
            Some((_, effect)) => *effect = Effect::Allow,
            None => self.list.push((pattern, Effect::Allow)),
        }
    }

    fn deny(&mut self, pattern: String) {
        // JavaScript puts a key of digits first, where a later rule would replace it.
        let pattern = if pattern.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("?{}", pattern.get(1..).unwrap_or_default())
        } else {
            pattern
        };
        // A later pattern would keep the place of an equal earlier one.
        self.list.retain(|(known, _)| *known != pattern);
        self.list.push((pattern, Effect::Deny));
    }

    fn add_denied(&mut self) {
        for (index, entry) in entries(self.policy, self.access, ListKind::Deny).iter().enumerate() {
            let (forms, is_exact) = denied_forms(entry);
            for form in forms {
                self.deny(form);
            }
            if !is_exact {
                let reason = "a wildcard of opencode also stands for separators, so more is denied";
                self.made.losses.push(loss(self.access, ListKind::Deny, Some(index), reason));
            }
        }
        for (_, extension) in extensions(self.policy, self.access, ListKind::DenyExtension) {
            for extension in [extension.to_owned(), extension.to_uppercase()] {
                self.deny(format!("*.{extension}"));
            }
        }
    }

    fn add_reserved(&mut self) {
        for package in PACKAGES {
            self.deny(package.to_owned());
            self.deny(format!("{package}/*"));
        }
        if self.access == Access::Write {
            for name in CONTROL {
                self.deny(name.to_owned());
                self.deny(format!("{name}/*"));
            }
            for form in [".git", ".git/*", "*/.git", "*/.git/*"] {
                self.deny(form.to_owned());
            }
        }
    }
}

/// Returns the patterns that cover exactly the scope of an entry; none if there are none.
fn allowed_forms(entry: &Pattern) -> Option<Vec<String>> {
    let ways = expand(entry, MAX_ANY)?;
    let mut forms = Vec::new();
    for way in &ways {
        let last = way.len().checked_sub(1);
        let mut names = Vec::new();
        for (at, element) in way.iter().enumerate() {
            let name = match element {
                None => "*",
                // `*` crosses separators, which is right only where everything below is in the scope.
                Some(name) if name.contains('?') => return None,
                Some(name) if name.contains('*') => {
                    let ends_open = Some(at) == last && name.find('*') == Some(name.len() - 1);
                    if !ends_open {
                        return None;
                    }
                    name
                }
                Some(name) => name,
            };
            names.push(name);
        }
        let path = names.join("/");
        let is_special = path.starts_with('~') || path.starts_with("$HOME") || path.ends_with(" *");
        if is_special {
            return None;
        }
        if path.is_empty() {
            forms.push("*".to_owned());
            continue;
        }
        let is_open = path.ends_with('*');
        // JavaScript puts a key of digits first, where the default would replace it.
        if !path.bytes().all(|byte| byte.is_ascii_digit()) {
            forms.push(path.clone());
        }
        if !is_open {
            forms.push(format!("{path}/*"));
        }
    }
    Some(forms)
}

/// Returns patterns that cover at least the scope of an entry, and whether they cover no more.
fn denied_forms(entry: &Pattern) -> (Vec<String>, bool) {
    let (paths, mut is_exact) = match expand(entry, MAX_ANY) {
        Some(ways) => {
            let join = |way: Vec<Option<&str>>| {
                let names: Vec<&str> = way.into_iter().map(|name| name.unwrap_or("*")).collect();
                names.join("/")
            };
            (ways.into_iter().map(join).collect(), true)
        }
        None => (vec![join_loosely(entry)], false),
    };
    is_exact &= !entry.segments().filter_map(super::name).any(|name| name.contains(['*', '?']));
    let mut forms = Vec::new();
    for mut path in paths {
        if path.is_empty() {
            path.push('*');
        }
        if path.starts_with('~') || path.starts_with("$HOME") {
            path.replace_range(..1, "?");
            is_exact = false;
        }
        // A final wildcard stands for everything below too.
        let below = (!path.ends_with('*')).then(|| format!("{path}/*"));
        forms.extend([path].into_iter().chain(below));
    }
    (forms, is_exact)
}

/// Returns a pattern in which each `**` with its separators is one wildcard.
fn join_loosely(entry: &Pattern) -> String {
    let mut path = String::new();
    for segment in entry.segments() {
        match super::name(segment) {
            None => path.push('*'),
            Some(name) => {
                if !path.is_empty() && !path.ends_with('*') {
                    path.push('/');
                }
                path.push_str(name);
            }
        }
    }
    path
}
