//! Which tools of a server members see, and under which names.
//!
//! [`ExposureRules`] judges the tools that a server lists. Checks, renderings and the gateway use it.
//!
//! ```
//! use minds_core::mcp::Transform;
//! use minds_core::mcp::exposure::ExposureRules;
//! use serde_json::json;
//!
//! let whitelist = ["open_*".to_owned()];
//! let transforms = [Transform::Prefix("web_".to_owned())];
//! let rules = ExposureRules::new(&whitelist, [], &transforms);
//!
//! let schema = json!({ "type": "object" });
//! let exposed = rules.expose([("open_page", &schema), ("close", &schema)], &|_| None);
//! assert_eq!(exposed[0].as_deref(), Ok("web_open_page"));
//! assert_eq!(exposed[1].as_ref().map_err(|reason| reason.code()), Err("not-whitelisted"));
//! ```

mod entries;
mod names;
mod schema;
mod skip_reason;

use std::collections::BTreeSet;

use serde_json::Value;

use self::entries::Entries;
pub(crate) use self::names::{MAX_NAME_BYTES, invalid_name_reason, is_name_character};
pub use self::schema::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, find_defect as find_schema_defect};
pub use self::skip_reason::SkipReason;
use super::Transform;
use super::transform::{MAX_FOLLOWED_BYTES, MAX_STEPS, apply};
use crate::catalog;

/// The filter and the renaming of a server.
///
/// Entries of the lists are compared with the complete *original* name of a tool, in the same letter case; `*` stands for
/// any characters. The whitelist takes precedence:
///
/// | whitelist | blacklist | accepted |
/// |---|---|---|
/// | empty | empty | all tools |
/// | given | empty | those in the whitelist |
/// | any | given | those in the whitelist, and those that are not in the blacklist |
#[derive(Clone, Debug, Default)]
pub struct ExposureRules<'r> {
    whitelist: Entries<'r>,
    blacklist: Entries<'r>,
    transforms: Vec<&'r Transform>,
}

/// A list of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilterList {
    /// `whitelist`: the tools that are offered in any case.
    Whitelist,
    /// `blacklist`: the tools that are not offered.
    Blacklist,
}

/// An entry of a list that matches no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnmatchedEntry<'r> {
    /// The list.
    pub list: FilterList,
    /// The entry.
    pub entry: &'r str,
}

impl<'r> ExposureRules<'r> {
    /// Creates the rules of a server from its lists and its renaming steps, each in file order.
    pub fn new(
        whitelist: impl IntoIterator<Item = &'r String>,
        blacklist: impl IntoIterator<Item = &'r String>,
        transforms: impl IntoIterator<Item = &'r Transform>,
    ) -> Self {
        Self {
            whitelist: whitelist.into_iter().map(String::as_str).collect(),
            blacklist: blacklist.into_iter().map(String::as_str).collect(),
            transforms: transforms.into_iter().collect(),
        }
    }

    /// Judges a tool by the lists alone.
    ///
    /// # Errors
    ///
    /// Fails if the lists exclude the tool.
    pub fn filter(&self, original: &str) -> Result<(), SkipReason> {
        if self.whitelist.matches(original) {
            Ok(())
        } else if self.blacklist.matches(original) {
            Err(SkipReason::Blacklisted)
        } else if self.accepts_unlisted() {
            Ok(())
        } else {
            Err(SkipReason::NotWhitelisted)
        }
    }

    /// Returns whether tools that are in no list are accepted: unless there is only a whitelist.
    pub fn accepts_unlisted(&self) -> bool {
        self.whitelist.is_empty() || !self.blacklist.is_empty()
    }

    /// Returns the name of a tool after the renaming steps.
    ///
    /// # Errors
    ///
    /// Fails if it is not a valid name, or cannot be determined.
    pub fn rename(&self, original: &str) -> Result<String, SkipReason> {
        let Some(name) = apply(original, self.transforms.iter().copied()) else {
            let detail = if self.transforms.len() > MAX_STEPS {
                format!("`transform` has more than {MAX_STEPS} steps")
            } else {
                format!("it becomes longer than {MAX_FOLLOWED_BYTES} bytes")
            };
            return Err(SkipReason::InvalidFinalName { name: None, detail });
        };
        match invalid_name_reason(&name) {
            None => Ok(name),
            Some(detail) => Err(SkipReason::InvalidFinalName { name: Some(name), detail }),
        }
    }

    /// Returns the name of each tool that a server lists, or why it is not exposed, in the order of the list.
    ///
    /// A tool is its original name and the schema of its arguments. It is exposed if its original name is valid, the lists
    /// accept it, its name after renaming is valid, no earlier tool of the list has that name, neither a built-in tool nor
    /// one of another server has it, and its schema can be used. The first of these conditions that fails is the reason.
    /// `taken` returns the server with a tool of that name, for servers that precede this one in the file.
    pub fn expose<'t>(
        &self,
        tools: impl IntoIterator<Item = (&'t str, &'t Value)>,
        taken: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<Result<String, SkipReason>> {
        let mut exposed = BTreeSet::new();
        let judge = |(original, schema)| {
            let name = self.judge(original, schema, &exposed, taken)?;
            exposed.insert(name.clone());
            Ok(name)
        };
        tools.into_iter().map(judge).collect()
    }

    fn judge(
        &self,
        original: &str,
        schema: &Value,
        exposed: &BTreeSet<String>,
        taken: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, SkipReason> {
        if let Some(detail) = invalid_name_reason(original) {
            return Err(SkipReason::InvalidName { detail });
        }
        self.filter(original)?;
        let name = self.rename(original)?;
        if exposed.contains(&name) {
            return Err(SkipReason::DuplicateInServer { name });
        }
        let built_in = catalog::toolsets_with(&name).next().map(str::to_owned);
        if let Some(owner) = built_in.or_else(|| taken(&name)) {
            return Err(SkipReason::Collision { name, owner });
        }
        match schema::find_defect(schema) {
            None => Ok(name),
            Some(detail) => Err(SkipReason::InvalidSchema { name, detail }),
        }
    }

    /// Returns the entries of the lists that match none of these original names, without repetitions: first those of the
    /// whitelist, then those of the blacklist, each in file order.
    pub fn find_unmatched<'t>(
        &self,
        originals: impl IntoIterator<Item = &'t str>,
    ) -> Vec<UnmatchedEntry<'r>> {
        let originals: BTreeSet<&str> = originals.into_iter().collect();
        let lists = [(FilterList::Whitelist, &self.whitelist), (FilterList::Blacklist, &self.blacklist)];
        let unmatched = lists.into_iter().flat_map(|(list, entries)| {
            entries.find_unmatched(&originals).map(move |entry| UnmatchedEntry { list, entry })
        });
        unmatched.collect()
    }
}

impl FilterList {
    /// Returns the key of the list.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whitelist => "whitelist",
            Self::Blacklist => "blacklist",
        }
    }
}
