//! What tools can reach.

use minds_access_control::{Access, Policy, Reason, Reserved};
use minds_paths::WorkspacePath;
use minds_paths::portable::is_encapsulated;
use minds_system::is_temporary;
use minds_taskdoc::Section;
use minds_taskdoc::tools::{CHANGE_MIND, RECALL_TASKDOC};
use serde_json::json;

use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::denial;
use crate::file_refusal::quote;
use crate::permissions::Permissions;

/// The directory with the files that configure the team.
pub(crate) const MINDS: &str = ".minds";

/// What a tool can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// `.minds` and what lies below: explicit paths, no links, no task packages; no lists apply.
    Minds,
    /// The whole workspace, within the lists of the caller; links that stay inside are followed, and what they lead to is
    /// judged as well.
    Workspace,
}

impl Area {
    /// Returns the path of the area itself.
    pub(crate) fn top(self) -> WorkspacePath {
        match self {
            // The name is a path, so this is never the root.
            Self::Minds => WorkspacePath::parse(MINDS).unwrap_or_default(),
            Self::Workspace => WorkspacePath::root(),
        }
    }

    /// Returns the path that `text` names.
    ///
    /// # Errors
    ///
    /// Refuses what is no path of this area; the refusal names the right spelling where there is one.
    pub(crate) fn parse(self, argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
        match self {
            Self::Minds => parse_minds(argument, text),
            Self::Workspace => WorkspacePath::normalize(text).map_err(|error| {
                let outside = error.kind().is_outside();
                let what = if outside { "leads out of the workspace" } else { "is no path" };
                Refusal::new(Code::InvalidPath, format!("`{argument}` {} {what}", quote(text)))
                    .next("give a path from the top of the workspace, such as `src/main.rs`")
            }),
        }
    }

    /// Judges a path, asked for or real: in the workspace by the lists of a caller, in `.minds` by what never lies there.
    ///
    /// # Errors
    ///
    /// Refuses what the caller may not touch, with the entry that decided.
    pub(crate) fn check_access(
        self,
        permissions: &Permissions,
        access: Access,
        path: &WorkspacePath,
    ) -> Result<(), Refusal> {
        check_name(path)?;
        match self {
            Self::Minds if path.segments().any(is_encapsulated) => {
                let message = format!("{} is in a task package", quote(path.as_str()));
                Err(Refusal::new(Code::AccessDenied, message).next(PACKAGES))
            }
            Self::Minds => Ok(()),
            Self::Workspace => check_access(permissions, access, path),
        }
    }

    /// Returns whether that is allowed.
    pub(crate) fn permits(self, policy: &Policy, access: Access, path: &WorkspacePath) -> bool {
        !path.segments().any(is_temporary)
            && match self {
                Self::Minds => !path.segments().any(is_encapsulated),
                Self::Workspace => policy.check(access, path).is_allowed(),
            }
    }
}

/// Refuses names of temporary files, which no tool touches.
pub(crate) fn check_name(path: &WorkspacePath) -> Result<(), Refusal> {
    if path.segments().any(is_temporary) {
        let message = format!("{} is a name of temporary files", quote(path.as_str()));
        return Err(Refusal::new(Code::InvalidPath, message).next("choose another name"));
    }
    Ok(())
}

/// What to do about task packages.
const PACKAGES: &str = "task packages have tools of their own, and never lie in `.minds`";

fn parse_minds(argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
    let refused = |what: &str| {
        let refusal = Refusal::new(Code::InvalidPath, format!("`{argument}` {} {what}", quote(text)));
        match right_spelling(text) {
            Some(right) => refusal.next(format!("use `{right}`")),
            None => refusal.next("give a path that begins with `.minds/`, such as `.minds/team.yaml`"),
        }
    };
    let path = match WorkspacePath::parse(text) {
        Ok(path) => path,
        Err(error) if error.kind().is_outside() => return Err(refused("is absolute")),
        Err(_) if text.split('/').any(|name| name == "..") => return Err(refused("has `..`")),
        Err(_) => return Err(refused("is no plain path")),
    };
    if path.segments().next() != Some(MINDS) {
        return Err(refused("is not below `.minds`"));
    }
    if path.segments().any(is_encapsulated) {
        return Err(refused("is in a task package, which no file tool touches").next(PACKAGES));
    }
    Ok(path)
}

/// Returns how a path that was probably meant is written.
fn right_spelling(text: &str) -> Option<String> {
    const MAX_BYTES: usize = 200;
    if text.len() > MAX_BYTES {
        return None;
    }
    let plain = text.replace('\\', "/");
    let meant = match plain.split_once("/.minds/").filter(|_| plain.starts_with('/')) {
        Some((_, below)) => format!("{MINDS}/{below}"),
        // An absolute path that names no `.minds` is a place of the machine, unless it is a mere name.
        None if plain.starts_with('/') && plain.trim_matches('/').contains('/') => return None,
        None => plain.trim_start_matches('/').to_owned(),
    };
    let path = WorkspacePath::normalize(&meant).ok()?;
    let first = path.segments().next()?;
    let path = if first == MINDS {
        path
    } else if meant.split('/').any(|name| name == "..") || first.starts_with('~') {
        return None;
    } else if first.eq_ignore_ascii_case(MINDS) {
        WorkspacePath::parse(&format!("{MINDS}{}", path.as_str().get(first.len()..)?)).ok()?
    } else {
        WorkspacePath::parse(MINDS).ok()?.join(path.as_str()).ok()?
    };
    (!path.segments().any(is_encapsulated)).then(|| path.as_str().to_owned())
}

fn check_access(permissions: &Permissions, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
    let decision = permissions.policy().check(access, path);
    if decision.is_allowed() {
        return Ok(());
    }
    if decision.reason() != Reason::Reserved {
        return Err(denial::refusal(permissions, access, path));
    }
    let next = match Reserved::find(access, path) {
        Some(Reserved::Minds) => "the `team_mgmt_*` tools change what lies in `.minds`",
        Some(Reserved::Git) => "no tool writes in `.git`; change files of the work tree",
        _ => &package_call(access, path),
    };
    let message = format!("you may not {} {}: {decision}", denial::verb(access), quote(&path.to_string()));
    let details = Fields::new().with("reason", decision.reason().code());
    Err(Refusal::new(Code::AccessDenied, message).next(next).details(details))
}

/// Returns the call that does to a path in a task package what a general tool refuses.
fn package_call(access: Access, path: &WorkspacePath) -> String {
    let segments: Vec<&str> = path.segments().collect();
    let end =
        segments.iter().position(|segment| is_encapsulated(segment)).map_or(segments.len(), |at| at + 1);
    let (package, below) = segments.split_at(end.min(segments.len()));
    // A name without a slash would be looked for in the task home alone.
    let task = if package.len() == 1 { format!("./{}", package.concat()) } else { package.join("/") };
    let section = Section::of_path(&below.join("/"));
    let is_known = section.is_some();
    let section = section.unwrap_or(Section::GOALS);
    let mut args = json!({"selector": section.selector(), "task": task});
    if let (Some(args), Some(category)) = (args.as_object_mut(), section.category()) {
        args.insert("category".into(), category.into());
    }
    let (tool, does) = match access {
        Access::Read => (RECALL_TASKDOC, "reads"),
        Access::Write => (CHANGE_MIND, "replaces"),
    };
    if let (Some(args), Access::Write) = (args.as_object_mut(), access) {
        args.insert("content".into(), "…".into());
    }
    let what = if is_known { "it" } else { "one of its sections" };
    format!("`{tool}` with {args} {does} {what}")
}

impl Area {
    /// Returns the area whose tools touch a path as people write it, and the path as these tools take it: what lies in
    /// `.minds` has tools of its own.
    pub fn of(text: &str) -> (Self, String) {
        match WorkspacePath::normalize(text) {
            Ok(path) if path.segments().next() == Some(MINDS) => (Self::Minds, path.as_str().to_owned()),
            // The tools say what is wrong with a path that is none.
            _ => (Self::Workspace, text.to_owned()),
        }
    }

    /// Returns the name of the tool that does this here, `name` being the one of the general tool.
    pub fn tool(self, name: &str) -> String {
        match self {
            Self::Minds => format!("team_mgmt_{name}"),
            Self::Workspace => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, area: Area, path: &str) {
        assert_eq!(Area::of(text), (area, path.to_owned()), "{text}");
    }

    #[test]
    fn what_lies_in_minds_has_tools_of_its_own() {
        check(".minds", Area::Minds, ".minds");
        check(".minds/team.yaml", Area::Minds, ".minds/team.yaml");
        check("./.minds//team/./a/", Area::Minds, ".minds/team/a");
        check("src/../.minds/team.yaml", Area::Minds, ".minds/team.yaml");
        check(".minds/../src", Area::Workspace, ".minds/../src");
        check(".mindsx/a", Area::Workspace, ".mindsx/a");
        check(".MINDS/a", Area::Workspace, ".MINDS/a");
        check("a/.minds/b", Area::Workspace, "a/.minds/b");
        check("../.minds/a", Area::Workspace, "../.minds/a");
        check("/.minds/a", Area::Workspace, "/.minds/a");
        check("", Area::Workspace, "");
    }

    #[test]
    fn each_area_has_its_tool() {
        assert_eq!(Area::Minds.tool("read_file"), "team_mgmt_read_file");
        assert_eq!(Area::Workspace.tool("read_file"), "read_file");
    }
}
