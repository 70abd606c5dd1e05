//! Parsing source specifications.

use super::{Remote, SourceSpec, SpecError, local, remote};

impl SourceSpec {
    /// The maximum length of a source specification in bytes.
    pub const MAX_BYTES: usize = 2_048;

    /// Parses a source specification of at most 2,048 bytes:
    ///
    /// | text | means |
    /// |---|---|
    /// | `owner/name`, `github:owner/name` | the repository on GitHub |
    /// | `https://host/owner/name`, `ssh://user@host/owner/name`, `file:///path` | that repository, with any number of names |
    /// | `user@host:owner/name` | the same by SSH |
    /// | `.`, `/path`, `./path`, `../path`, `~/path` | that folder of this machine |
    ///
    /// `base` is the absolute path to which relative paths are relative, `home` the home directory of the
    /// user. A path is resolved lexically and need not exist.
    ///
    /// # Errors
    ///
    /// Returns the first reason why the text has none of these forms, or cannot be fetched or stored.
    pub fn parse(text: &str, base: &str, home: Option<&str>) -> Result<Self, SpecError> {
        if text.len() > Self::MAX_BYTES {
            return Err(SpecError::TooLong);
        }
        if text.starts_with('-') {
            return Err(SpecError::Option);
        }
        if local::is_path(text) {
            let path = local::resolve_path(text, base, home)?;
            return Ok(Self { identity: local::identity_of(&path)?, remote: Remote::Folder(path) });
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            return remote::parse_url(scheme, rest);
        }
        // After two colons, git takes the first part as the name of a program to start.
        if let Some((program, _)) = text.split_once("::") {
            return Err(SpecError::Protocol(program.to_owned()));
        }
        if let Some(read) = remote::parse_short(text) {
            return read;
        }
        remote::parse_default_host(text.strip_prefix("github:").unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SourceSpec, SpecError> {
        SourceSpec::parse(text, "/work/super", Some("/home/u"))
    }

    #[track_caller]
    fn repository(text: &str, identity: &str, url: &str) {
        let spec = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(spec.identity.as_str(), identity, "{text}");
        assert_eq!(spec.remote, Remote::Repository(url.to_owned()), "{text}");
    }

    #[track_caller]
    fn folder(text: &str, identity: &str, path: &str) {
        let spec = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(spec.identity.as_str(), identity, "{text}");
        assert_eq!(spec.remote, Remote::Folder(path.to_owned()), "{text}");
    }

    #[test]
    fn repositories_are_known_by_host_and_names() {
        let github = "https://github.com/o/r";
        for text in
            ["o/r", "o/r.git", "o/r/", "github:o/r", "https://github.com/o/r", "HTTPS://GitHub.com/o/r.git/"]
        {
            repository(text, "github.com/o/r", github);
        }
        repository("git@github.com:o/r.git", "github.com/o/r", "git@github.com:o/r.git");
        repository("git@h.org:/o/r", "h.org/o/r", "git@h.org:/o/r");
        repository("https://h.org/a/b/c.git", "h.org/a/b/c", "https://h.org/a/b/c.git");
        repository("https://h.org:8443/o/r", "h.org+8443/o/r", "https://h.org:8443/o/r");
        repository("ssh://git@h.org:22/o/r.git", "h.org+22/o/r", "ssh://git@h.org:22/o/r.git");
        repository("ssh://h.org/~u/r", "h.org/~u/r", "ssh://h.org/~u/r");
        repository("file:///srv/git/r.git", "local/git/r", "file:///srv/git/r.git");
        repository("file://localhost/srv/git/r/", "local/git/r", "file:///srv/git/r");
        repository("o/r.git.git", "github.com/o/r.git", "https://github.com/o/r.git");
    }

    #[test]
    fn folders_are_known_by_their_last_two_names() {
        folder(".", "local/work/super", "/work/super");
        folder("./", "local/work/super", "/work/super");
        folder("./n/../m", "local/super/m", "/work/super/m");
        folder("../x", "local/work/x", "/work/x");
        folder("/a/b/c/", "local/b/c", "/a/b/c");
        folder("/a/b.git", "local/a/b.git", "/a/b.git");
        folder("/r", "local/local/r", "/r");
        folder("~/s", "local/u/s", "/home/u/s");
        folder("~", "local/home/u", "/home/u");
        folder("/a/../../b/c", "local/b/c", "/b/c");
    }

    #[test]
    fn folders_may_have_names_that_no_identity_has() {
        folder("/tmp/.tmpX/repo", "local/tmpX/repo", "/tmp/.tmpX/repo");
        folder("/a/-x/b@c#d", "local/x/b_c_d", "/a/-x/b@c#d");
        folder("/a:b/x.git/.", "local/a_b/x.git", "/a:b/x.git");
        folder("/x.git/y", "local/x.git_/y", "/x.git/y");
        folder("/con/a b", "local/_con/a b", "/con/a b");
        folder("/a/e\u{301}", "local/a/_e", "/a/e\u{301}");
    }

    #[test]
    fn invalid_specifications_are_rejected() {
        use minds_vfs::portable::NameProblem as N;

        use SpecError as E;

        let name = |name: &str, problem| E::Name { name: name.to_owned(), problem };
        let character = |name: &str, character| E::Character { name: name.to_owned(), character };
        for (text, error) in [
            ("", E::Unknown),
            ("notaspec", E::Unknown),
            ("..", E::Unknown),
            ("a/b/c", E::Unknown),
            ("github.com/o/r", E::Unknown),
            ("~u/x", E::Unknown),
            ("/", E::TooShort),
            ("../../..", E::TooShort),
            ("o/", E::Unknown),
            ("o/..", name("..", N::Dots)),
            ("./../../../..", E::TooShort),
            ("gitlab:o/r", name("gitlab:o", N::Forbidden(':'))),
            ("C:\\x", E::Unknown),
            ("o/r#main", character("r#main", '#')),
            ("o/r@v1", character("r@v1", '@')),
            ("o/r\u{1b}[2J", name("r\u{1b}[2J", N::Control)),
            ("o /r", name("o ", N::TrailingDotOrSpace)),
            (" o/r", character(" o", ' ')),
            ("o/.hidden", E::Reserved(".hidden".to_owned())),
            ("https://h/o.git/r", E::Reserved("o.git".to_owned())),
            ("https://h/o.GIT/r", E::Reserved("o.GIT".to_owned())),
            ("https://h/r", E::TooShort),
            ("https://h", E::TooShort),
            ("https://h/o/../r", name("..", N::Dots)),
            ("https://../store/skill", E::Host("..".to_owned())),
            ("git@../..:precious/repo", E::Host("../..".to_owned())),
            ("https://local/o/r", E::Host("local".to_owned())),
            ("https:///o/r", E::Host(String::new())),
            ("https://h:0/o/r", E::Host("h:0".to_owned())),
            ("https://h:99999/o/r", E::Host("h:99999".to_owned())),
            ("https://[::1]/o/r", E::Host("[".to_owned())),
            ("ssh://%2doProxyCommand=x/o/r", E::Host("%2doproxycommand=x".to_owned())),
            ("ssh://-oProxyCommand=x/o/r", E::Option),
            ("ssh://-x@h/o/r", E::Option),
            ("-u@h:o/r", E::Option),
            ("git@-oProxyCommand=x:o/r", E::Option),
            ("--upload-pack=touch x", E::Option),
            ("-/r", E::Option),
            ("o/-r", E::Option),
            ("https://user:tok@h/o/r", E::Credentials),
            ("https://ghp_abc@h/o/r", E::Credentials),
            ("https://@h/o/r", E::Credentials),
            ("ssh://u:p@h/o/r", E::Credentials),
            ("u:p@h:o/r", E::Credentials),
            ("http://h/o/r", E::Protocol("http".to_owned())),
            ("git://h/o/r", E::Protocol("git".to_owned())),
            ("ext::sh -c touch% x", E::Protocol("ext".to_owned())),
            ("ext::sh -c x://y", E::Protocol("ext::sh -c x".to_owned())),
            ("https://h/o/r?x=1", E::Suffix('?')),
            ("https://h/o/r#main", E::Suffix('#')),
            ("file://p/q", E::Unknown),
            ("file://../p", E::Unknown),
            ("file:///", E::TooShort),
            ("/a/\u{202e}b", E::Hidden),
            ("./a\rb", E::Hidden),
        ] {
            let parsed = parse(text);
            assert_eq!(parsed.as_ref(), Err(&error), "{text:?}");
        }
        assert_eq!(SourceSpec::parse("~/x", "/b", None), Err(E::NoHome));
        assert_eq!(parse(&"x".repeat(3_000)), Err(E::TooLong));
    }

    #[test]
    fn no_identity_escapes_the_folder_of_clones() {
        for text in ["o/r", "/a/../..b/c", "~/.x/.y", "file:///a/..x", "git@h:a/b/c.git", "/a/\\\\/ . "] {
            let Ok(spec) = parse(text) else { continue };
            let identity = spec.identity.as_str();
            assert!(minds_vfs::WorkspacePath::parse(identity).is_ok(), "{identity}");
            assert_eq!(super::super::Identity::parse(identity).as_ref(), Ok(&spec.identity));
        }
    }
}
