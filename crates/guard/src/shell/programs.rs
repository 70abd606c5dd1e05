//! The programs whose arguments are understood.

/// A program, with all options that do not change what is known about its files. With any other option it is not known which
/// files it touches.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    /// The short options without a value.
    pub(super) flags: &'static str,
    /// The short options with a value.
    pub(super) values: &'static str,
    /// The long options, with `=` if they have a value.
    pub(super) long: &'static [&'static str],
    /// The options that make the program descend into directories.
    pub(super) recursive: &'static [&'static str],
    pub(super) operands: Operands,
}

/// What a program does with its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// They are not files, and options do not matter.
    Text,
    /// It reads them.
    Read,
    /// It reads everything below them, or below the working directory.
    Search,
    /// It reads them or lists them, or the working directory.
    List,
    /// The first one is a pattern, unless an option passes one; it reads the others.
    Pattern,
    /// As `Pattern`, and it searches the working directory if there is no other one.
    PatternSearch,
    /// It creates or changes them.
    Write,
    /// The first one is a mode; it changes the others.
    ModeWrite,
    /// It removes them.
    Delete,
    /// It copies all but the last one to the last one.
    Copy,
    /// It moves all but the last one to the last one.
    Move,
    /// Makes a link, through which other commands reach other files.
    Link,
    /// The first one is a script, unless an option passes one; it reads or changes the others.
    Sed,
    /// Directories, followed by an expression.
    Find,
    /// A command of git.
    Git,
    /// The new working directory.
    ChangeDirectory,
    /// A shell with a command line.
    Shell,
}

const DEFAULT: Program =
    Program { names: &[], flags: "", values: "", long: &[], recursive: &[], operands: Operands::Text };

/// Finds a program by the first word of a command.
pub(super) fn find(word: &str) -> Option<&'static Program> {
    let name =
        ["/bin/", "/usr/bin/"].iter().find_map(|directory| word.strip_prefix(directory)).unwrap_or(word);
    PROGRAMS.iter().find(|program| program.names.contains(&name))
}

static PROGRAMS: &[Program] = &[
    Program {
        names: &[
            ":", "basename", "dirname", "echo", "exit", "false", "printf", "pwd", "seq", "sleep", "true",
            "uname", "whoami",
        ],
        ..DEFAULT
    },
    Program {
        names: &["cat", "nl", "tac"],
        flags: "AbEensTtuv",
        long: &["--number", "--show-all", "--squeeze-blank"],
        operands: Operands::Read,
        ..DEFAULT
    },
    Program {
        names: &["head", "tail"],
        flags: "fFqvz",
        values: "nc",
        long: &["--lines=", "--bytes=", "--quiet", "--verbose"],
        operands: Operands::Read,
        ..DEFAULT
    },
    Program {
        names: &["wc"],
        flags: "clLmw",
        long: &["--lines", "--words", "--bytes", "--chars"],
        operands: Operands::Read,
        ..DEFAULT
    },
    Program {
        // `xxd` and `uniq` are not listed: their second operand is a file that they write.
        names: &[
            "base64",
            "cksum",
            "cmp",
            "comm",
            "cut",
            "file",
            "fold",
            "hexdump",
            "md5sum",
            "od",
            "paste",
            "rev",
            "sha1sum",
            "sha256sum",
            "stat",
            "strings",
        ],
        operands: Operands::Read,
        ..DEFAULT
    },
    Program { names: &["readlink", "realpath"], flags: "efmn", operands: Operands::Read, ..DEFAULT },
    Program {
        names: &["sort"],
        flags: "bcdfghinMRrsuVz",
        values: "kt",
        long: &["--numeric-sort", "--reverse", "--unique"],
        operands: Operands::Read,
        ..DEFAULT
    },
    Program { names: &["tr"], flags: "cdst", operands: Operands::Text, ..DEFAULT },
    Program {
        names: &["diff"],
        flags: "abBcdeiNpqrstTuwy",
        values: "U",
        long: &["--brief", "--recursive", "--unified", "--side-by-side", "--color", "--color="],
        operands: Operands::Search,
        ..DEFAULT
    },
    Program {
        names: &["du", "tree"],
        flags: "acdfhks",
        values: "L",
        long: &["--max-depth=", "--summarize", "--human-readable"],
        operands: Operands::Search,
        ..DEFAULT
    },
    Program {
        names: &["ls", "dir"],
        flags: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
        long: &[
            "--all",
            "--almost-all",
            "--color",
            "--color=",
            "--human-readable",
            "--recursive",
            "--reverse",
        ],
        recursive: &["R", "--recursive"],
        operands: Operands::List,
        ..DEFAULT
    },
    Program {
        names: &["grep", "egrep", "fgrep"],
        flags: "acEFGhHiIlLnoPqrsUvwxyzZ",
        values: "ABCem",
        long: &[
            "--color",
            "--color=",
            "--context=",
            "--count",
            "--exclude-dir=",
            "--exclude=",
            "--extended-regexp",
            "--files-with-matches",
            "--fixed-strings",
            "--ignore-case",
            "--include=",
            "--invert-match",
            "--line-number",
            "--max-count=",
            "--only-matching",
            "--perl-regexp",
            "--quiet",
            "--recursive",
            "--regexp=",
            "--word-regexp",
        ],
        recursive: &["r", "--recursive"],
        operands: Operands::Pattern,
    },
    Program {
        names: &["rg"],
        flags: "cFHhiIlnNopPqsSuUvwx0.",
        values: "ABCdegjmMtT",
        long: &[
            "--after-context=",
            "--before-context=",
            "--color=",
            "--context=",
            "--count",
            "--files",
            "--files-with-matches",
            "--fixed-strings",
            "--glob=",
            "--hidden",
            "--ignore-case",
            "--json",
            "--line-number",
            "--max-count=",
            "--max-depth=",
            "--multiline",
            "--no-heading",
            "--no-ignore",
            "--only-matching",
            "--regexp=",
            "--smart-case",
            "--sort=",
            "--type=",
            "--word-regexp",
        ],
        operands: Operands::PatternSearch,
        ..DEFAULT
    },
    Program { names: &["find"], operands: Operands::Find, ..DEFAULT },
    Program { names: &["sed"], flags: "nErsziu", values: "e", operands: Operands::Sed, ..DEFAULT },
    Program {
        names: &["touch"],
        flags: "acm",
        values: "dt",
        long: &["--no-create", "--date="],
        operands: Operands::Write,
        ..DEFAULT
    },
    Program {
        names: &["mkdir"],
        flags: "pv",
        values: "m",
        long: &["--parents", "--mode=", "--verbose"],
        operands: Operands::Write,
        ..DEFAULT
    },
    Program { names: &["tee"], flags: "ai", long: &["--append"], operands: Operands::Write, ..DEFAULT },
    Program {
        names: &["truncate"],
        flags: "co",
        values: "s",
        long: &["--size="],
        operands: Operands::Write,
        ..DEFAULT
    },
    Program { names: &["chmod"], flags: "cfv", operands: Operands::ModeWrite, ..DEFAULT },
    Program {
        names: &["rm", "rmdir", "unlink"],
        flags: "dfiIrRv",
        long: &["--force", "--recursive", "--verbose", "--dir"],
        operands: Operands::Delete,
        ..DEFAULT
    },
    Program {
        names: &["cp"],
        flags: "afinpuvrR",
        long: &["--archive", "--force", "--recursive", "--verbose", "--no-clobber"],
        recursive: &["r", "R", "a", "--recursive", "--archive"],
        operands: Operands::Copy,
        ..DEFAULT
    },
    Program {
        names: &["mv"],
        flags: "finuv",
        long: &["--force", "--no-clobber", "--verbose"],
        operands: Operands::Move,
        ..DEFAULT
    },
    Program { names: &["ln"], flags: "sfnv", long: &["--symbolic"], operands: Operands::Link, ..DEFAULT },
    Program { names: &["git"], operands: Operands::Git, ..DEFAULT },
    Program { names: &["cd"], operands: Operands::ChangeDirectory, ..DEFAULT },
    Program { names: &["bash", "dash", "sh", "zsh"], operands: Operands::Shell, ..DEFAULT },
];
