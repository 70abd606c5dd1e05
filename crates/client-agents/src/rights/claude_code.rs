//! Access lists as rules of a settings file of Claude Code at the root of the workspace.

use minds_access_control::{Access, ListKind, Pattern, Policy, Segment};
use minds_clients::permissions::ClaudeCodePermissions;

use super::{
    Hands, Loss, LossKind, Obstacle, Translation, entries, extensions, find_unreadable, limits, loss,
};

/// What no member may read.
const RESERVED_FOR_READING: [&str; 1] = ["Read(**/*.tsk)"];
/// What no member may write; the settings of the client decide about the other rules.
const RESERVED_FOR_WRITING: [&str; 6] = [
    "Edit(**/*.tsk)",
    "Edit(/.minds)",
    "Edit(**/.git)",
    "Edit(**/.claude)",
    "Edit(**/.mcp.json)",
    "Edit(/.claude-*.json)",
];

/// Returns the rules that hold for every member, whatever its lists are.
pub(crate) fn reserved_rules() -> impl Iterator<Item = String> {
    RESERVED_FOR_READING.into_iter().chain(RESERVED_FOR_WRITING).map(str::to_owned)
}

/// Returns the rules for a session of one member. What they do not allow is denied (`dontAsk`).
///
/// # Errors
///
/// Returns the list that the client cannot hold: reading needs no rule there, so a list of what may be read has no form.
pub fn translate(policy: &Policy, hands: Hands) -> Result<Translation<ClaudeCodePermissions>, Obstacle> {
    if let Some(obstacle) = find_unreadable(policy, hands) {
        return Err(obstacle);
    }
    let mut made = Translation::<ClaudeCodePermissions>::default();
    made.permissions.denies_by_default = true;
    made.permissions.deny.extend(reserved_rules());
    if hands.reads {
        for kind in [ListKind::Allow, ListKind::AllowExtension] {
            if limits(policy, Access::Read, kind) {
                let reason = "Claude Code reads every file of the workspace that is not denied".to_owned();
                return Err(Obstacle { list: kind.key(Access::Read), entry: None, reason });
            }
        }
        made.permissions.allow.push("Read(/**)".to_owned());
        made.deny(policy, Access::Read, "Read");
        if hands.writes && super::has_limits(policy, Access::Read) {
            let reason = "Claude Code does not write what it may not read";
            made.losses.push(loss(Access::Read, ListKind::Deny, None, reason));
        }
    }
    if hands.writes {
        made.deny(policy, Access::Write, "Edit");
        made.allow_writing(policy);
    }
    Ok(made)
}

impl Translation<ClaudeCodePermissions> {
    fn deny(&mut self, policy: &Policy, access: Access, tool: &str) {
        for (index, entry) in entries(policy, access, ListKind::Deny).iter().enumerate() {
            let path = Path::of(entry);
            self.permissions.deny.push(format!("{tool}({})", path.text));
            if !path.is_exact {
                let reason = "`?` and white space at the end stand for any character there";
                self.losses.push(loss(access, ListKind::Deny, Some(index), reason));
            }
        }
        for (index, extension) in extensions(policy, access, ListKind::DenyExtension) {
            self.permissions.deny.push(format!("{tool}(/**/*.{})", escape(extension).text));
            let reason = "a directory with such a name is denied with everything in it";
            self.losses.push(loss(access, ListKind::DenyExtension, Some(index), reason));
        }
    }

    fn allow_writing(&mut self, policy: &Policy) {
        let access = Access::Write;
        let mut scopes = Vec::new();
        for (index, entry) in entries(policy, access, ListKind::Allow).iter().enumerate() {
            let path = Path::of(entry);
            if path.is_exact {
                scopes.push(path.text);
            } else {
                let reason = "a rule with `?` would allow more, so the entry is left out";
                self.losses.push(loss(access, ListKind::Allow, Some(index), reason));
            }
        }
        let has_list = limits(policy, access, ListKind::Allow);
        if has_list {
            let reason = "Claude Code ignores letter case, so names in other letters are allowed too";
            let list = ListKind::Allow.key(access);
            self.losses.push(Loss {
                list,
                entry: None,
                kind: LossKind::LetterCase,
                reason: reason.to_owned(),
            });
        } else {
            scopes.push("/**".to_owned());
        }
        if !limits(policy, access, ListKind::AllowExtension) {
            self.permissions.allow.extend(scopes.iter().map(|scope| format!("Edit({scope})")));
            return;
        }
        let reason = "files without an extension are left out";
        self.losses.push(loss(access, ListKind::AllowExtension, None, reason));
        for (_, extension) in extensions(policy, access, ListKind::AllowExtension) {
            let extension = escape(extension);
            if !extension.is_exact {
                continue;
            }
            let extension = extension.text;
            for scope in &scopes {
                let scope = scope.strip_suffix("/**").unwrap_or(scope);
                self.permissions.allow.push(format!("Edit({scope}/**/*.{extension})"));
            }
            // Otherwise a directory with such a name would be allowed with everything in it.
            self.permissions.deny.push(format!("Edit(/**/*.{extension}/*)"));
        }
    }
}

/// A path in the syntax of the client.
struct Path {
    text: String,
    /// Whether it covers exactly the scope of the entry, apart from letter case.
    is_exact: bool,
}

impl Path {
    fn of(pattern: &Pattern) -> Self {
        let mut path = Self { text: String::new(), is_exact: true };
        for segment in pattern.segments() {
            path.text.push('/');
            match segment {
                Segment::Any => path.text.push_str("**"),
                Segment::Glob(name) | Segment::Literal(name) => {
                    let Self { text, is_exact } = escape(name);
                    path.text.push_str(&text);
                    path.is_exact &= is_exact;
                }
            }
        }
        if path.text.is_empty() {
            path.text.push_str("/**");
        }
        if path.text.ends_with(char::is_whitespace) {
            path.text.pop();
            path.text.push('?');
            path.is_exact = false;
        }
        path
    }
}

/// Escapes the operators of the client in a name; `*` stays one.
fn escape(name: &str) -> Path {
    let mut escaped = Path { text: String::new(), is_exact: true };
    for character in name.chars() {
        match character {
            '[' | ']' => escaped.text.extend(['\\', character]),
            // There is no way to write it.
            '?' => {
                escaped.text.push('?');
                escaped.is_exact = false;
            }
            other => escaped.text.push(other),
        }
    }
    escaped
}
