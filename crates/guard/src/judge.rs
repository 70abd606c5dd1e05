//! Judges what a tool call does.

use minds_access_control::Access;
use minds_vfs::WorkspacePath;
use minds_vfs::portable::is_same_name;

use crate::place::{Place, Places, places};
use crate::settings::settings;
use crate::shell::{self, ShellPolicy};
use crate::{Action, ClientId, Kind, Member, Outcome, Surroundings, Verdict};

/// The directory of the team files.
const MINDS: &str = ".minds";
/// The server that `minds mcp` is: it checks the rights of its member itself.
const OWN_SERVER: &str = "minds";
/// The characters that are operators in the patterns of some client.
const OPERATORS: [char; 7] = ['*', '?', '[', '{', '!', '(', '\\'];

/// The maximum length of a command line, which is judged while the client waits.
const MAX_COMMAND_BYTES: usize = 1 << 20;

/// What is needed to judge a call.
pub(crate) struct Judge<'j, 'm> {
    pub(crate) client: ClientId,
    pub(crate) surroundings: &'j dyn Surroundings,
    /// The members that must all be allowed to make the call.
    pub(crate) members: &'j mut [Box<dyn Member + 'm>],
    pub(crate) shell: ShellPolicy,
    /// Whether the client can ask a person about this event.
    pub(crate) can_ask: bool,
    pub(crate) verdict: Verdict,
}

impl Judge<'_, '_> {
    /// Judges an action in a working directory.
    pub(crate) fn judge(&mut self, action: &Action, directory: Option<&str>) {
        match action {
            Action::Read { path } => {
                self.judge_path(directory, path, &[Access::Read], Extent::Entry);
            }
            Action::Search { path } => {
                self.judge_path(directory, path, &[Access::Read], Extent::Tree);
            }
            Action::Write { path } => {
                self.judge_path(directory, path, &[Access::Write], Extent::Entry);
            }
            Action::WriteTree { path } => {
                self.judge_path(directory, path, &[Access::Write], Extent::NewTree);
            }
            Action::Delete { path } => {
                self.judge_path(directory, path, &[Access::Write], Extent::Tree);
            }
            Action::Move { from, to } => {
                // The content can be read at its new place.
                self.judge_path(directory, from, &[Access::Read, Access::Write], Extent::Tree);
                self.judge_path(directory, to, &[Access::Write], Extent::Entry);
                if self.is_directory(directory, from) {
                    self.judge_path(directory, to, &[Access::Write], Extent::NewTree);
                }
            }
            Action::Glob { base, pattern } => self.judge_glob(directory, base.as_deref(), pattern),
            Action::Shell { command, directory: given } => {
                let directory = match given.as_deref() {
                    Some(given) if given.starts_with('/') => Some(given.to_owned()),
                    Some(given) => directory.map(|directory| format!("{directory}/{given}")),
                    None => directory.map(str::to_owned),
                };
                self.judge_shell(command, directory.as_deref());
            }
            Action::Foreign { name, separator, is_marked } => {
                self.judge_foreign(name, *separator, *is_marked);
            }
            Action::Unknown { reason } => self.verdict.add(Outcome::Ask, reason.clone()),
        }
    }

    /// Judges all accesses to a path, and to everything below it if it is a directory.
    fn judge_path(&mut self, directory: Option<&str>, path: &str, accesses: &[Access], extent: Extent) {
        let Places { found, absolute } = match places(self.surroundings, directory, path) {
            Ok(found) => found,
            Err(reason) => return self.verdict.add(Outcome::Deny, format!("{}: {reason}", quote(path))),
        };
        let is_tree = match extent {
            Extent::Entry => false,
            // A path that does not exist has nothing below it.
            Extent::Tree => self.surroundings.kind(&absolute) == Kind::Directory,
            Extent::NewTree => true,
        };
        for place in &found {
            match place {
                Place::Outside(outside) => {
                    let outcome =
                        if accesses.contains(&Access::Write) { Outcome::Deny } else { Outcome::Ask };
                    self.verdict.add(outcome, format!("{} is outside of the workspace", quote(outside)));
                }
                Place::Inside(inside) => {
                    for access in accesses {
                        self.judge_entry(*access, inside);
                        if is_tree {
                            self.judge_tree(*access, inside, &absolute);
                        }
                    }
                }
            }
        }
    }

    fn judge_entry(&mut self, access: Access, path: &WorkspacePath) {
        for member in &mut *self.members {
            if member.lacks_tools(access) {
                let what = match access {
                    Access::Read => "reads",
                    Access::Write => "changes or creates",
                };
                let text = format!("{} has no tool that {what} files", quote(member.id()));
                self.verdict.add(Outcome::Deny, text);
            } else if let Err(reason) = member.decide(access, path) {
                let (id, path) = (quote(member.id()), quote(&path.to_string()));
                self.verdict.add(Outcome::Deny, format!("{id} may not {access} {path}: {reason}"));
            }
        }
        if access == Access::Write
            && let Some(reason) = self.control(path)
        {
            self.verdict.add(Outcome::Ask, format!("{} {reason}", quote(&path.to_string())));
        }
    }

    /// Judges what is below a directory without reading it: any entry that could deny something there denies the whole.
    fn judge_tree(&mut self, access: Access, directory: &WorkspacePath, absolute: &str) {
        let shown = quote(&directory.to_string());
        for member in &mut *self.members {
            if let Some(reason) = member.denial_below(access, directory) {
                let id = quote(member.id());
                let text = format!("{id} may not {access} everything below {shown}: {reason}");
                self.verdict.add(Outcome::Deny, text);
            }
        }
        let packages = self.surroundings.packages();
        if let Some(package) = packages.iter().find(|package| package.is_at_or_below(directory)) {
            let outcome = if access == Access::Write { Outcome::Deny } else { Outcome::Ask };
            let package = quote(&package.to_string());
            self.verdict
                .add(outcome, format!("{shown} contains the task package {package}, which is reserved"));
        }
        if access == Access::Write {
            let git = format!("{absolute}/.git");
            if directory.is_root() || self.surroundings.kind(&git) != Kind::Missing {
                let text = format!("{shown} contains files of `minds` or git, which are reserved");
                self.verdict.add(Outcome::Deny, text);
            }
            let settings = settings(self.client).iter().filter_map(|path| WorkspacePath::parse(path).ok());
            if settings.into_iter().any(|path| path.to_folded().is_at_or_below(&directory.to_folded())) {
                self.verdict.add(Outcome::Ask, format!("{shown} can contain the settings of this client"));
            }
        }
    }

    /// Returns why a write could change what the guard itself does.
    fn control(&self, path: &WorkspacePath) -> Option<&'static str> {
        let folded = path.to_folded();
        let mut settings = settings(self.client).iter().filter_map(|path| WorkspacePath::parse(path).ok());
        if settings.any(|settings| folded.is_at_or_below(&settings)) {
            return Some("holds settings of this client, which decide whether this check is made");
        }
        // The first one is reserved.
        let is_nested = path.segments().skip(1).any(|name| is_same_name(name, MINDS));
        is_nested.then_some("would belong to the team of a nested workspace")
    }

    fn judge_glob(&mut self, directory: Option<&str>, base: Option<&str>, pattern: &str) {
        let literal: Vec<&str> =
            pattern.split('/').take_while(|segment| !segment.contains(OPERATORS)).collect();
        let rest: Vec<&str> = pattern.split('/').skip(literal.len()).collect();
        if rest.iter().any(|segment| segment.contains("..")) {
            let text = format!("the pattern {} contains `..` after a wildcard", quote(pattern));
            return self.verdict.add(Outcome::Deny, text);
        }
        // A brace can contain separators, and with them absolute paths and `..`.
        if pattern.contains(['{', '(']) && pattern.contains("..") {
            return self
                .verdict
                .add(Outcome::Deny, format!("the pattern {} is not understood", quote(pattern)));
        }
        let prefix = literal.join("/");
        let is_absolute = pattern.starts_with('/');
        let path = match (base, prefix.as_str()) {
            (_, "") if is_absolute => "/".to_owned(),
            (_, prefix) if is_absolute => prefix.to_owned(),
            (None | Some(""), "") => ".".to_owned(),
            (None | Some(""), prefix) => prefix.to_owned(),
            (Some(base), "") => base.to_owned(),
            (Some(base), prefix) => format!("{base}/{prefix}"),
        };
        self.judge_path(directory, &path, &[Access::Read], Extent::Tree);
    }

    fn judge_shell(&mut self, command: &str, directory: Option<&str>) {
        if command.len() > MAX_COMMAND_BYTES {
            return self.verdict.add(Outcome::Deny, "the command is longer than 1 MiB");
        }
        let found = {
            let surroundings = self.surroundings;
            let is_directory = |directory: &str, path: &str| {
                places(surroundings, Some(directory), path)
                    .is_ok_and(|places| surroundings.kind(&places.absolute) == Kind::Directory)
            };
            shell::analyze(command, directory, &is_directory)
        };
        for (directory, action) in &found.actions {
            self.judge(action, directory.as_deref());
        }
        let Some(reason) = found.unknown else { return };
        if let Some(member) = self.members.iter().find(|member| member.lacks_shell()) {
            let text = format!(
                "{} has no toolset with a shell, and it is not known which files the command touches: {reason}",
                quote(member.id())
            );
            return self.verdict.add(Outcome::Deny, text);
        }
        let has_lists = self.members.iter().any(|member| member.has_lists());
        let outcome = match self.shell {
            ShellPolicy::Allow => Outcome::Allow,
            // There is nothing that the command could circumvent.
            ShellPolicy::Ask if !self.can_ask && !has_lists => Outcome::Allow,
            ShellPolicy::Ask => Outcome::Ask,
            ShellPolicy::Deny => Outcome::Deny,
        };
        self.verdict.add(outcome, format!("it is not known which files the command touches: {reason}"));
    }

    fn is_directory(&self, directory: Option<&str>, path: &str) -> bool {
        places(self.surroundings, directory, path)
            .is_ok_and(|places| self.surroundings.kind(&places.absolute) == Kind::Directory)
    }

    fn judge_foreign(&mut self, name: &str, separator: Option<&str>, is_marked: bool) {
        let known = self.surroundings.servers();
        let candidates = candidates(name, separator, is_marked, &known);
        if candidates.is_empty() {
            let text = format!("the tool {} is not known", quote(name));
            return self.verdict.add(Outcome::Ask, text);
        }
        for (server, tool) in candidates {
            if server == OWN_SERVER {
                continue;
            }
            for member in &mut *self.members {
                if !member.has_server_tool(&server, &tool) {
                    let (id, server) = (quote(member.id()), quote(&server));
                    let text = format!("{id} does not have the tools of the MCP server {server}");
                    self.verdict.add(Outcome::Deny, text);
                }
            }
        }
    }
}

/// Which paths an action touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Only the path.
    Entry,
    /// The path, and everything below it if it is a directory.
    Tree,
    /// The path, and anything below it.
    NewTree,
}

/// Returns the servers and tools that a name can stand for: clients replace characters, so a name can be split in several ways.
/// Among known servers all are returned; without any, the first split of a name that is marked as that of a server.
fn candidates(
    name: &str,
    separator: Option<&str>,
    is_marked: bool,
    known: &[String],
) -> Vec<(String, String)> {
    let Some(separator) = separator else {
        let server = known.iter().find(|server| client_spelling(server) == client_spelling(name));
        return vec![(server.map_or(name, String::as_str).to_owned(), String::new())];
    };
    let splits: Vec<(&str, &str)> =
        name.match_indices(separator).filter_map(|(at, _)| name.split_at_checked(at)).collect();
    let mut found = Vec::new();
    for (server, rest) in &splits {
        let tool = rest.trim_start_matches(separator);
        let same = known.iter().filter(|known| client_spelling(known) == client_spelling(server));
        found.extend(same.map(|known| (known.clone(), tool.to_owned())));
        if client_spelling(server) == OWN_SERVER && is_marked {
            found.push((OWN_SERVER.to_owned(), tool.to_owned()));
        }
    }
    if found.is_empty() && is_marked {
        let first = splits.first().map(|(server, rest)| (*server, rest.trim_start_matches(separator)));
        found.extend(first.map(|(server, tool)| (server.to_owned(), tool.to_owned())));
    }
    found
}

/// Returns the name of a server as clients write it in names of tools.
fn client_spelling(server: &str) -> String {
    server.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// The maximum length of a quoted string in bytes.
const MAX_QUOTED_BYTES: usize = 200;

/// Quotes a string for a message.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("`");
    for c in text.chars() {
        if quoted.len() > MAX_QUOTED_BYTES {
            quoted.push('…');
            break;
        }
        quoted.extend(c.escape_debug());
    }
    quoted.push('`');
    quoted
}
