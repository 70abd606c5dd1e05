//! The access lists of a member, as they are collected from permissions.

use minds_access_control::Pattern;

use crate::patterns::Deny;

/// What a member may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The limits on reading.
    pub read: Limits,
    /// The limits on writing.
    pub write: Limits,
}

/// The limits on one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The only entries that are allowed; none if there is no such list.
    pub allow: Option<Vec<String>>,
    /// The entries that are denied.
    pub deny: Vec<String>,
    /// Whether the operation is denied altogether.
    pub is_closed: bool,
}

impl Limits {
    /// Denies what a rule of a client denies.
    pub(crate) fn add_denial(&mut self, denial: &Deny) {
        match denial {
            Deny::Nothing => {}
            Deny::Everything => self.is_closed = true,
            Deny::Entries(entries) => {
                for entry in entries {
                    if !self.deny.contains(entry) {
                        self.deny.push(entry.clone());
                    }
                }
            }
        }
    }

    /// Allows only these entries. An empty list would allow everything, so it denies the operation.
    pub(crate) fn allow_only(&mut self, entries: Vec<String>) {
        let mut entries = entries;
        entries.dedup();
        if entries.is_empty() {
            self.is_closed = true;
        } else {
            self.allow = Some(entries);
        }
    }

    /// Returns whether anything is limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.is_closed || self.allow.is_some() || !self.deny.is_empty()
    }

    /// Adds other limits: only what both allow is allowed.
    pub(crate) fn restrict(&mut self, other: &Self) {
        self.is_closed |= other.is_closed;
        self.add_denial(&Deny::Entries(other.deny.clone()));
        let entries = match (&self.allow, &other.allow) {
            (_, None) => return,
            (None, Some(other)) => other.clone(),
            (Some(own), Some(other)) => {
                let is_covered = |entry: &str, by: &[String]| by.iter().any(|wide| covers(wide, entry));
                let first = own.iter().filter(|entry| is_covered(entry, other));
                let second = other.iter().filter(|entry| !own.contains(entry) && is_covered(entry, own));
                first.chain(second).cloned().collect()
            }
        };
        self.allow = None;
        self.allow_only(entries);
    }
}

impl Access {
    /// Adds other limits: only what both allow is allowed.
    pub(crate) fn restrict(&mut self, other: &Self) {
        self.read.restrict(&other.read);
        self.write.restrict(&other.write);
    }

    /// Returns whether anything is limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.read.is_limited() || self.write.is_limited()
    }
}

/// Returns whether every path that an entry covers is covered by another entry.
pub(crate) fn covers(wide: &str, entry: &str) -> bool {
    match (Pattern::parse(wide), Pattern::parse(entry)) {
        (Ok(wide), Ok(entry)) => wide.covers(&entry),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(allow: &[&str]) -> Limits {
        let mut limits = Limits::default();
        limits.allow_only(allow.iter().map(|&entry| entry.to_owned()).collect());
        limits
    }

    #[test]
    fn two_allow_lists_allow_what_both_allow() {
        let mut both = limits(&["src", "docs/api"]);
        both.restrict(&limits(&["docs", "src/a"]));
        assert_eq!(both.allow, Some(vec!["docs/api".to_owned(), "src/a".to_owned()]));
        both.restrict(&limits(&["x"]));
        assert!(both.is_closed && both.allow.is_none());
    }
}
