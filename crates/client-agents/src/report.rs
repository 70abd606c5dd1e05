//! The findings about members.

use std::collections::BTreeSet;

use minds_access_control::ListKey;
use minds_clients::ClientId;
use minds_diagnostics::{Diagnostic, Problems, Rule};
use minds_document::{Document, NodeId};

use crate::rights::{Loss, LossKind, Obstacle};
use crate::rules::{MEMBER_LEFT_OUT, NARROWER, NO_COUNTERPART, OTHER_READERS, SAME_FILE, WIDER};
use crate::team::Member;

/// Reports findings about members for one client.
pub(crate) struct Reporter<'r> {
    pub(crate) client: ClientId,
    pub(crate) document: &'r Document,
    pub(crate) problems: &'r mut Problems,
    /// Whether the hook of the client is installed, which compares names as the lists do.
    pub(crate) has_hook: bool,
    /// What was reported: several targets of one client have the same findings.
    pub(crate) reported: &'r mut BTreeSet<(&'static str, NodeId, String)>,
}

impl Reporter<'_> {
    fn report(&mut self, rule: &'static Rule, node: NodeId, label: &str, found: impl FnOnce() -> Diagnostic) {
        let found = found();
        if !self.reported.insert((rule.code, node, found.message.clone())) {
            return;
        }
        let node = self.document.node(node);
        self.problems.report(self.document.source(), node.span(), rule, || {
            found.primary(node.label().message(label)).pointer(node.pointer())
        });
    }

    /// Reports that a member is not rendered.
    pub(crate) fn leave_out(&mut self, member: &Member<'_>, node: NodeId, reason: &str, help: &str) {
        let client = self.client.title();
        self.report(&MEMBER_LEFT_OUT, node, "not rendered", || {
            Diagnostic::new(
                &MEMBER_LEFT_OUT,
                format!("the member `{}` is not rendered for {client}", member.id),
            )
            .note(reason)
            .help(help)
        });
    }

    /// Reports a member whose limits are not held, as the user allowed.
    pub(crate) fn widen(&mut self, member: &Member<'_>, node: NodeId, reason: &str) {
        let client = self.client.title();
        self.report(&WIDER, node, "does not apply", || {
            Diagnostic::new(
                &WIDER,
                format!("{client} does not hold the limits of the member `{}`", member.id),
            )
            .note(reason)
            .help("remove the member from `--allow-wider`, or install the hook of this client")
        });
    }

    /// Reports what permissions do not hold exactly.
    pub(crate) fn lose(&mut self, member: &Member<'_>, losses: &[Loss]) {
        let (client, id) = (self.client.title(), self.client);
        let has_hook = self.has_hook;
        for loss in losses.iter().filter(|loss| !has_hook || loss.kind == LossKind::Narrower) {
            let node = place(member, loss.list, loss.entry);
            let what = match loss.kind {
                LossKind::Narrower => "is narrower",
                LossKind::LetterCase => "ignores letter case",
            };
            self.report(&NARROWER, node, what, || {
                let key = loss.list.as_str();
                Diagnostic::new(&NARROWER, format!("`{key}` of `{}` {what} in {client}", member.id))
                    .note(loss.reason.clone())
                    .help(format!(
                        "install the hook, which holds the list exactly, with `--target hooks:{id}`"
                    ))
            });
        }
    }

    /// Reports the fields of a member without a counterpart, in one finding.
    pub(crate) fn omit(&mut self, member: &Member<'_>, fields: &[(String, Option<NodeId>)]) {
        if fields.is_empty() {
            return;
        }
        let client = self.client.title();
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let node = match fields {
            [(_, Some(node))] => *node,
            _ => member.node,
        };
        self.report(&NO_COUNTERPART, node, "left out", || {
            let verb = if names.len() == 1 { "has" } else { "have" };
            let list = names.join(", ");
            Diagnostic::new(
                &NO_COUNTERPART,
                format!("{list} of `{}` {verb} no counterpart in {client}", member.id),
            )
            .help(format!("`minds mcp --member {}` serves the tools of the member to any client", member.id))
        });
    }

    /// Reports that other clients read the agents too.
    pub(crate) fn name_readers(&mut self, member: &Member<'_>, readers: &[String]) {
        let client = self.client.title();
        self.report(&OTHER_READERS, member.node, "the first agent", || {
            let readers = readers.join(", ");
            Diagnostic::new(&OTHER_READERS, format!("{readers} read the agents of {client} too"))
                .note("rules and hooks in the settings of this client do not hold there")
                .help("install the hooks of these clients too")
        });
    }

    /// Reports two members with one file.
    pub(crate) fn refuse_same_file(&mut self, member: &Member<'_>, other: &str, file: &str) {
        self.report(&SAME_FILE, member.node, "has the same file", || {
            Diagnostic::new(
                &SAME_FILE,
                format!("`{}` and `{other}` would both be rendered into `{file}`", member.id),
            )
            .note("letter case does not distinguish files on every system")
            .help("rename one of the members")
        });
    }
}

/// Returns where a list or an entry of it is defined; the member, if the list is built in.
pub(crate) fn place(member: &Member<'_>, list: ListKey, entry: Option<usize>) -> NodeId {
    let place = member.policy.place(list.access, list.kind);
    let entry = entry.and_then(|index| place.entries.get(index).copied().flatten());
    entry
        .or(place.unreadable_entry.filter(|_| place.entries.is_empty()))
        .or(place.node)
        .unwrap_or(member.node)
}

/// Returns where an obstacle is.
pub(crate) fn place_of(member: &Member<'_>, obstacle: &Obstacle) -> NodeId {
    place(member, obstacle.list, obstacle.entry)
}
