//! The names of the files of hunks.

use minds_vfs::ContentHash;

use super::{HunkId, LIFETIME};

/// The parts of the name of a file with a hunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// The expiry time, in milliseconds since 1970.
    pub(super) expires: u64,
    /// A hash of the owner.
    pub(super) owner: String,
    pub(super) id: HunkId,
}

/// The number of digits of the hash of an owner.
const DIGITS: usize = 16;

/// Returns the hash of an owner for file names.
pub(super) fn digits(owner: &str) -> String {
    let hash = ContentHash::of(owner.as_bytes()).to_string();
    hash.chars().skip_while(|c| *c != ':').skip(1).take(DIGITS).collect()
}

impl Name {
    /// Returns the name of the file.
    pub(super) fn file(&self) -> String {
        format!("{}-{}-{}.json", self.owner, self.expires, self.id.as_str())
    }

    /// Parses the name of a file; `None` if it is not that of a hunk.
    pub(super) fn parse(file: &str) -> Option<Self> {
        let mut parts = file.strip_suffix(".json")?.splitn(3, '-');
        let (owner, expires, id) = (parts.next()?, parts.next()?, parts.next()?);
        let name = Self { expires: expires.parse().ok()?, owner: owner.to_owned(), id: HunkId::parse(id)? };
        (name.file() == file && owner.len() == DIGITS).then_some(name)
    }

    /// Returns whether the hunk is valid now. An expiry time beyond the lifetime was not written by this clock.
    pub(super) fn is_valid(&self, now: u64) -> bool {
        now < self.expires && self.expires <= now.saturating_add(LIFETIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_parsed_to_its_parts() {
        let id = HunkId::parse("0f-3a").unwrap();
        let name = Name { expires: 12, owner: digits("minds/member/a"), id };
        assert_eq!(Name::parse(&name.file()), Some(name));
        for file in
            ["a.json", "-1-ab.json", "0123456789abcdef-01-ab.json", "0123456789abcdef-1-a.json", "x-1-ab"]
        {
            assert_eq!(Name::parse(file), None, "{file}");
        }
    }

    #[test]
    fn a_hunk_is_valid_for_an_hour() {
        let is_valid = |now: u64| {
            Name { expires: LIFETIME, owner: String::new(), id: HunkId::parse("ab").unwrap() }.is_valid(now)
        };
        assert!(is_valid(0) && is_valid(LIFETIME - 1));
        assert!(!is_valid(LIFETIME) && !is_valid(LIFETIME + 1));
        let later = Name { expires: LIFETIME + 2, owner: String::new(), id: HunkId::parse("ab").unwrap() };
        assert!(!later.is_valid(1));
    }
}
