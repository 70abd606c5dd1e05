use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{Access, Pattern};
use minds_diagnostics::{Diagnostic, Span, rule};
use minds_document::Spanned;
use minds_vfs::WorkspacePath;

use super::shell_specialist_forbidden_member::shell_tools;
use super::{Check, MemberGrants};
use crate::access::MemberPolicies;
use crate::catalog::{self, WRITING_TOOLS};
use crate::powerful_files::{POWERFUL_FILES, PowerfulFile};
use crate::{Effective, Grants};

rule! {
    pub(crate) static RULE {
        code: "access/writable-configuration",
        summary: "members may write files that control what agents may do or which programs are started",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "writable_configuration.md",
    }
}

/// The maximum number of members, files and further places that are listed.
const MAX_LISTED: usize = 3;

/// The files of [`POWERFUL_FILES`] that a member may write, as a bit set.
type Files = u64;

/// Reports one finding for the whole team, because one list fixes it.
pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let paths: Vec<Option<WorkspacePath>> =
        POWERFUL_FILES.iter().map(|file| WorkspacePath::parse(file.path).ok()).collect();
    let names: BTreeSet<&str> = paths.iter().flatten().filter_map(|path| path.segments().next()).collect();
    let mut policies = MemberPolicies::new(check.team, check.document);
    // Members with equal lists share a policy.
    let mut known: BTreeMap<*const crate::MemberPolicy, Files> = BTreeMap::new();
    let mut found: Vec<(&Effective<'_>, Spanned<&str>, Files)> = Vec::new();
    let mut with_shell: Vec<&str> = Vec::new();
    for (member, grants) in members {
        let Some(grants) = grants.as_ref().filter(|_| member.shadow().is_none()) else { continue };
        let Some(grant) = write_grant(member, grants) else { continue };
        // Most members write only below directories of their own: for these, no policy is compiled.
        let reaches = |entry: &Pattern| names.iter().any(|name| entry.may_begin_with(name));
        if policies.write_entries(member).is_some_and(|mut entries| !entries.any(reaches)) {
            continue;
        }
        let policy = policies.policy(member);
        let writable = *known.entry(std::sync::Arc::as_ptr(&policy)).or_insert_with(|| {
            let may_write = |path: &WorkspacePath| policy.policy.check(Access::Write, path).is_allowed();
            let bits = paths.iter().enumerate().filter(|(_, path)| path.as_ref().is_some_and(may_write));
            bits.fold(0, |files, (at, _)| files | 1 << at)
        });
        if writable == 0 {
            continue;
        }
        // Access lists do not restrict shell tools.
        if shell_tools(grants).is_empty() {
            found.push((member, grant, writable));
        } else {
            with_shell.push(member.id);
        }
    }
    let Some((_, first, _)) = found.first() else { return };
    let writable = found.iter().fold(0, |all, (_, _, files)| all | files);
    let files: Vec<&PowerfulFile> = POWERFUL_FILES
        .iter()
        .enumerate()
        .filter(|(at, _)| writable & 1 << at != 0)
        .map(|(_, file)| file)
        .collect();
    let mut others: Vec<Span> = found.iter().map(|(_, grant, _)| grant.span).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|span| *span != first.span);
    check.report(&RULE, first, |document, label| {
        let members: Vec<&str> = found.iter().map(|(member, _, _)| member.id).collect();
        let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
        let entries: Vec<&str> = files.iter().map(|file| file.entry).collect();
        let message = format!("{} may write security-relevant configuration: {}", list_names(&members), list_names(&paths));
        let mut finding = Diagnostic::new(&RULE, message)
            .primary(label.message(format!("`{}` can write files", first.value)));
        for span in others.iter().take(MAX_LISTED) {
            finding = finding.secondary(document.source().label(*span).message("this one too"));
        }
        for file in files.iter().take(MAX_LISTED) {
            finding = finding.note(format!("`{}` {}", file.path, file.reason));
        }
        if !with_shell.is_empty() {
            finding = finding
                .note(format!("not counted because access lists do not restrict shell tools: {}", list_names(&with_shell)));
        }
        finding.help(format!(
            "limit these members with `write_dirs`, or add to `no_write_dirs` in `member_defaults`, and in members that \
             replace it: `[{}]`",
            entries.join(", ")
        ))
    });
}

/// Returns the first names, and the number of further ones.
fn list_names(names: &[&str]) -> String {
    let first: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MAX_LISTED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns the entry of `toolsets` or `tools` that grants a member a tool that writes files.
fn write_grant<'t>(member: &Effective<'t>, grants: &Grants<'_>) -> Option<Spanned<&'t str>> {
    let toolsets = member.field(|fields| &fields.toolsets).as_given().map(|list| &list.value.items);
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
    let tools = || member.field(|fields| &fields.tools).as_given().map(|list| &list.value.items);
    let is_writing = |tool: &&Spanned<String>| {
        WRITING_TOOLS.contains(&tool.value.as_str()) && grants.has_tool(&tool.value)
    };
    let tool = || tools().into_iter().flatten().find(is_writing);
    let entry = toolset.or_else(tool)?;
    Some(Spanned { value: entry.value.as_str(), span: entry.span, node: entry.node })
}
