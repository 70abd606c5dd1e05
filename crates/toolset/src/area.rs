//! The areas of a workspace that tools can access.

use minds_access_control::{Access, Policy, Reason, ReservedArea};
use minds_fs::is_temporary;
use minds_taskdoc::Section;
use minds_taskdoc::tools::{CHANGE_MIND, RECALL_TASKDOC};
use minds_vfs::WorkspacePath;
use minds_vfs::portable::is_encapsulated;
use serde_json::json;

use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::denial;
use crate::file_refusal::quote;
use crate::permissions::Permissions;

/// The directory with the files that configure the team.
pub(crate) const MINDS: &str = ".minds";

/// The area that a tool can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// `.minds` and its contents: explicit paths, no links, no task packages; access lists do not apply.
    Minds,
    /// The whole workspace, within the access lists of the caller. Links that stay inside are followed, and the access to
    /// their targets is checked as well.
    Workspace,
}

impl Area {
    /// Returns the path of the area itself.
    pub(crate) fn top(self) -> WorkspacePath {
        match self {
            // The name is a valid path, so this is never the root.
            Self::Minds => WorkspacePath::parse(MINDS).unwrap_or_default(),
            Self::Workspace => WorkspacePath::root(),
        }
    }

    /// Parses a path.
    ///
    /// # Errors
    ///
    /// Refuses a path that is not valid or outside the area; the refusal suggests the right spelling if there is one.
    pub(crate) fn parse(self, argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
        match self {
            Self::Minds => parse_minds(argument, text),
            Self::Workspace => WorkspacePath::normalize(text).map_err(|error| {
                let outside = error.kind().is_outside();
                let what = if outside { "is outside the workspace" } else { "is not a valid path" };
                Refusal::new(Code::InvalidPath, format!("`{argument}` {} {what}", quote(text)))
                    .next("pass a path relative to the workspace, such as `src/main.rs`")
            }),
        }
    }

    /// Checks the access to a requested or real path: in the workspace by the lists of the caller, in `.minds` only for task
    /// packages.
    ///
    /// # Errors
    ///
    /// Refuses a path that the caller may not access, with the entry that decided.
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
            Self::Workspace => check_lists(permissions, access, path),
        }
    }

    /// Returns whether access is allowed, without a reason.
    pub(crate) fn permits(self, policy: &Policy, access: Access, path: &WorkspacePath) -> bool {
        !path.segments().any(is_temporary)
            && match self {
                Self::Minds => !path.segments().any(is_encapsulated),
                Self::Workspace => policy.check(access, path).is_allowed(),
            }
    }
}

/// Refuses names of temporary files, which no tool accesses.
pub(crate) fn check_name(path: &WorkspacePath) -> Result<(), Refusal> {
    if path.segments().any(is_temporary) {
        let message = format!("{} is reserved for temporary files", quote(path.as_str()));
        return Err(Refusal::new(Code::InvalidPath, message).next("choose another name"));
    }
    Ok(())
}

/// The next step for paths in task packages.
const PACKAGES: &str = "task packages have their own tools, and are never in `.minds`";

fn parse_minds(argument: &str, text: &str) -> Result<WorkspacePath, Refusal> {
    let refused = |what: &str| {
        let refusal = Refusal::new(Code::InvalidPath, format!("`{argument}` {} {what}", quote(text)));
        match suggest_path(text) {
            Some(right) => refusal.next(format!("use `{right}`")),
            None => refusal.next("pass a path that begins with `.minds/`, such as `.minds/team.yaml`"),
        }
    };
    let path = match WorkspacePath::parse(text) {
        Ok(path) => path,
        Err(error) if error.kind().is_outside() => return Err(refused("is absolute")),
        Err(_) if text.split('/').any(|name| name == "..") => return Err(refused("contains `..`")),
        Err(_) => return Err(refused("is not a normalized path")),
    };
    if path.segments().next() != Some(MINDS) {
        return Err(refused("is not below `.minds`"));
    }
    if path.segments().any(is_encapsulated) {
        return Err(refused("is in a task package, which file tools cannot access").next(PACKAGES));
    }
    Ok(path)
}

/// Returns the right spelling of a path in `.minds`, if the intention is clear.
fn suggest_path(text: &str) -> Option<String> {
    const MAX_BYTES: usize = 200;
    if text.len() > MAX_BYTES {
        return None;
    }
    let plain = text.replace('\\', "/");
    let candidate = match plain.split_once("/.minds/").filter(|_| plain.starts_with('/')) {
        Some((_, rest)) => format!("{MINDS}/{rest}"),
        // Any other absolute path is a path of the machine, unless it is a single name.
        None if plain.starts_with('/') && plain.trim_matches('/').contains('/') => return None,
        None => plain.trim_start_matches('/').to_owned(),
    };
    let path = WorkspacePath::normalize(&candidate).ok()?;
    let first = path.segments().next()?;
    let path = if first == MINDS {
        path
    } else if candidate.split('/').any(|name| name == "..") || first.starts_with('~') {
        return None;
    } else if first.eq_ignore_ascii_case(MINDS) {
        WorkspacePath::parse(&format!("{MINDS}{}", path.as_str().get(first.len()..)?)).ok()?
    } else {
        WorkspacePath::parse(MINDS).ok()?.join(path.as_str()).ok()?
    };
    (!path.segments().any(is_encapsulated)).then(|| path.as_str().to_owned())
}

fn check_lists(permissions: &Permissions, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
    let decision = permissions.policy().check(access, path);
    if decision.is_allowed() {
        return Ok(());
    }
    if decision.reason() != Reason::Reserved {
        return Err(denial::refusal(permissions, access, path));
    }
    let next = match ReservedArea::find(access, path) {
        Some(ReservedArea::Minds) => "use the `team_mgmt_*` tools for `.minds`",
        Some(ReservedArea::Git) => "no tool writes to `.git`; change files of the work tree",
        _ => &package_call(access, path),
    };
    let message = format!("you may not {} {}: {decision}", denial::verb(access), quote(&path.to_string()));
    let details = Fields::new().with("reason", decision.reason().code());
    Err(Refusal::new(Code::AccessDenied, message).next(next).details(details))
}

/// Returns the call of a task tool that replaces a general tool for a path in a task package.
fn package_call(access: Access, path: &WorkspacePath) -> String {
    let segments: Vec<&str> = path.segments().collect();
    let end =
        segments.iter().position(|segment| is_encapsulated(segment)).map_or(segments.len(), |at| at + 1);
    let (package, below) = segments.split_at(end.min(segments.len()));
    // A name without a slash would be searched in the task home only.
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
    /// Returns the area of a path that a person wrote, and the path as the tools of that area take it.
    pub fn of(text: &str) -> (Self, String) {
        match WorkspacePath::normalize(text) {
            Ok(path) if path.segments().next() == Some(MINDS) => (Self::Minds, path.as_str().to_owned()),
            // The tools report what is wrong with an invalid path.
            _ => (Self::Workspace, text.to_owned()),
        }
    }

    /// Returns the name of the tool for this area that corresponds to the general tool `name`.
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
    fn paths_in_minds_have_their_own_area() {
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
    fn each_area_has_its_own_tools() {
        assert_eq!(Area::Minds.tool("read_file"), "team_mgmt_read_file");
        assert_eq!(Area::Workspace.tool("read_file"), "read_file");
    }
}
