//! The names of the files of hunks.

use minds_document::ContentHash;

use super::{HunkId, LIFETIME};

/// What the name of a file says about the hunk in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// When it ends, in milliseconds since 1970.
    pub(super) expires: u64,
    /// A hash of the owner.
    pub(super) owner: String,
    pub(super) id: HunkId,
}

/// How many digits name an owner.
const DIGITS: usize = 16;

/// Returns the digits that stand for an owner in names.
pub(super) fn digits(owner: &str) -> String {
    let hash = ContentHash::of(owner.as_bytes()).to_string();
    hash.chars().skip_while(|sign| *sign != ':').skip(1).take(DIGITS).collect()
}

impl Name {
    /// Returns the name of the file.
    pub(super) fn file(&self) -> String {
        format!("{}-{}-{}.json", self.owner, self.expires, self.id.as_str())
    }

    /// Returns what a name says; none if it is not the name of a hunk.
    pub(super) fn parse(file: &str) -> Option<Self> {
        let mut parts = file.strip_suffix(".json")?.splitn(3, '-');
        let (owner, expires, id) = (parts.next()?, parts.next()?, parts.next()?);
        let name =
            Self { expires: expires.parse().ok()?, owner: owner.to_owned(), id: HunkId::parse(id).ok()? };
        (name.file() == file && owner.len() == DIGITS).then_some(name)
    }

    /// Returns whether the hunk holds. One that would hold for longer than any does was not planned by this clock.
    pub(super) fn holds(&self, now: u64) -> bool {
        now < self.expires && self.expires <= now.saturating_add(LIFETIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_was_made_of() {
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
    fn a_hunk_holds_for_an_hour() {
        let holds = |now: u64| {
            Name { expires: LIFETIME, owner: String::new(), id: HunkId::parse("ab").unwrap() }.holds(now)
        };
        assert!(holds(0) && holds(LIFETIME - 1));
        assert!(!holds(LIFETIME) && !holds(LIFETIME + 1));
        let later = Name { expires: LIFETIME + 2, owner: String::new(), id: HunkId::parse("ab").unwrap() };
        assert!(!later.holds(1));
    }
}
