use std::collections::BTreeMap;

use minds_access_control::Pattern;
use minds_diagnostics::{Diagnostic, Rule, Severity, Span};
use minds_document::{Field, NodeId, Spanned};

use super::shell_specialist_forbidden_member::shell_tools;
use super::{Check, MemberGrants};
use crate::catalog::{self, WRITING_TOOLS};
use crate::model::AccessList;
use crate::{Effective, Grants};

pub(crate) static RULE: Rule = Rule {
    code: "access/unguarded-minds",
    summary: "members could change the team's configuration with general tools",
    default_severity: Severity::Info,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("unguarded_minds.md"),
};

/// What must be denied: what decides about rights, models and minds. Whoever denies `.minds` denies all of it.
const PLACES: [&str; 4] = [".minds/team.yaml", ".minds/llm.yaml", ".minds/mcp.yaml", ".minds/team/*"];

/// How many members and how many further places are named.
const NAMED: usize = 3;

/// One finding for the whole team: what mends it is one list.
pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let places = PLACES.iter().filter_map(|place| Pattern::parse(place).ok()).collect();
    let whole = Pattern::parse(".minds").ok();
    let mut guards = Guards { whole, places, ..Guards::default() };
    // A member's list that replaces one that holds is a finding of its own.
    let inherited = check.team.defaults().map_or(&Field::Absent, |defaults| &defaults.access.no_write_dirs);
    let unguarded: Vec<(&Effective<'_>, Spanned<&str>)> = members
        .iter()
        .filter_map(|(member, grants)| Some((member, grants.as_ref()?)))
        .filter(|(member, _)| !guards.hold(member, inherited))
        // Whom the shell is open to no list keeps out.
        .filter(|(_, grants)| shell_tools(grants).is_empty())
        .filter_map(|(member, grants)| Some((member, writing_grant(member, grants)?)))
        .collect();
    let Some((_, first)) = unguarded.first() else { return };
    let mut others: Vec<Span> = unguarded.iter().map(|(_, grant)| grant.span).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|span| *span != first.span);
    check.report(&RULE, first, |document, label| {
        let named: Vec<String> = unguarded.iter().take(NAMED).map(|(member, _)| format!("`{}`", member.id)).collect();
        let more = unguarded.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let found = Diagnostic::new(&RULE, format!("{}{more} could change `.minds` with general tools", named.join(", ")))
            .primary(label.message(format!("`{}` writes files", first.value)))
            .note("runtimes that do not reserve `.minds` rely on `no_write_dirs`")
            .help("add `.minds/**` to `no_write_dirs` in `member_defaults`, and to lists of members that replace it");
        others.iter().take(NAMED).fold(found, |found, span| {
            found.secondary(document.source().label(*span).message("so does this"))
        })
    });
}

/// Returns the entry of `toolsets` or `tools` that gives a member a tool that writes files.
fn writing_grant<'t>(member: &Effective<'t>, grants: &Grants<'_>) -> Option<Spanned<&'t str>> {
    let toolsets = member.field(|fields| &fields.toolsets).given().map(|list| &list.value.items);
    let grants_writing = |entry: &str| {
        let writes = |tools: &[&str]| {
            WRITING_TOOLS.iter().any(|tool| tools.contains(tool) && grants.toolset_with(tool).is_some())
        };
        match catalog::find_toolset(entry) {
            Some(toolset) => writes(toolset.tools),
            None => entry == "*" && WRITING_TOOLS.iter().any(|tool| grants.toolset_with(tool).is_some()),
        }
    };
    let toolset = toolsets.into_iter().flatten().find(|entry| grants_writing(&entry.value));
    let tools = || member.field(|fields| &fields.tools).given().map(|list| &list.value.items);
    let tool = || tools().into_iter().flatten().find(|tool| WRITING_TOOLS.contains(&tool.value.as_str()));
    let entry = toolset.or_else(tool)?;
    Some(Spanned { value: entry.value.as_str(), span: entry.span, node: entry.node })
}

/// Lists with so few entries are looked at again for each member that has them: that is quicker than knowing them.
const FEW: usize = 8;

/// What lists say about [`PLACES`], each pair of long lists once: members that inherit share theirs.
#[derive(Default)]
struct Guards {
    whole: Option<Pattern>,
    places: Vec<Pattern>,
    known: BTreeMap<(Option<NodeId>, Option<NodeId>), bool>,
}

impl Guards {
    /// Returns whether a member's lists keep it out of `.minds`, would if they could be read, or have a finding of their
    /// own that says that they no longer do.
    fn hold(&mut self, member: &Effective<'_>, inherited: &PatternField) -> bool {
        // One of the built-in members is denied it in any case, the other one is there to do it.
        if member.shadow().is_some() {
            return true;
        }
        let denied = member.field(|fields| &fields.access.no_write_dirs);
        let allowed = member.field(|fields| &fields.access.write_dirs);
        self.deny(denied, allowed) || self.deny(inherited, allowed)
    }

    fn deny(&mut self, denied: &PatternField, allowed: &PatternField) -> bool {
        if is_unreadable(denied) || is_unreadable(allowed) {
            return true;
        }
        if patterns(denied).len() + patterns(allowed).len() <= FEW {
            return self.find(denied, allowed);
        }
        let node = |list: &PatternField| list.given().map(|list| list.node);
        let pair = (node(denied), node(allowed));
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        let found = self.find(denied, allowed);
        self.known.insert(pair, found);
        found
    }

    fn find(&self, denied: &PatternField, allowed: &PatternField) -> bool {
        let covers = |list, place| patterns(list).iter().any(|pattern| pattern.value.covers(place));
        let reaches = |place| patterns(allowed).is_empty() || covers(allowed, place);
        // Most lists deny all of it in one entry.
        self.whole.as_ref().is_some_and(|whole| covers(denied, whole))
            || self.places.iter().all(|place| covers(denied, place) || !reaches(place))
    }
}

type PatternField = Field<AccessList<Pattern>>;

fn patterns(list: &PatternField) -> &[Spanned<Pattern>] {
    list.given().map(|list| list.value.0.items.as_slice()).unwrap_or_default()
}

/// An unreadable list denies, so there is nothing to guard against.
fn is_unreadable(list: &PatternField) -> bool {
    list.is_unreadable() || list.given().is_some_and(|list| !list.value.0.is_complete)
}
