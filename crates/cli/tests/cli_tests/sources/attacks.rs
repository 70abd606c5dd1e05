//! Attacks by sources, one by one.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::sources::world::{World, args};

/// An attack and the expected results.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// Creates the source, with or without the attack.
    pub(crate) build: fn(&World, bool),
    pub(crate) args: fn(&World) -> Vec<String>,
    /// The acceptable kinds of error.
    pub(crate) kinds: &'static [&'static str],
    /// The path in the agent home that the harmless twin installs.
    pub(crate) installs: &'static str,
}

fn meld(_: &World) -> Vec<String> {
    args(&["meld", "./src", "--yes"])
}

/// Writes a `mind.toml` with one item.
fn item(world: &World, kind: &str, name: &str, path: &str, more: &str) {
    let text = format!("[[items]]\nkind = \"{kind}\"\nname = \"{name}\"\npath = \"{path}\"\n{more}\n");
    world.write("src/mind.toml", &text);
}

const MANIFEST: &[&str] = &["invalid-manifest"];

pub(crate) const ATTACKS: &[Attack] = &[
    Attack {
        name: "H1: a name that is an absolute path",
        build: |world, hostile| {
            world.skill("s");
            let name = world.home().join("precious").to_str().unwrap().to_owned();
            item(world, "skill", if hostile { &name } else { "precious" }, "skills/s", "");
        },
        args: meld,
        kinds: MANIFEST,
        installs: "skills/precious",
    },
    Attack {
        name: "H2: a name that leads upwards",
        build: |world, hostile| {
            world.skill("s");
            item(world, "skill", if hostile { "../../../../precious" } else { "precious" }, "skills/s", "");
        },
        args: meld,
        kinds: MANIFEST,
        installs: "skills/precious",
    },
    Attack {
        name: "H3: a link out of the agent home",
        build: |world, hostile| {
            world.write("src/r.md", "echo pwned\n");
            let link = if hostile { "../.bash_profile" } else { "rules/profile.md" };
            item(world, "rule", "r", "r.md", &format!("link = \"{link}\""));
        },
        args: meld,
        kinds: MANIFEST,
        installs: "rules/profile.md",
    },
    Attack {
        name: "H3: a link that is absolute",
        build: |world, hostile| {
            world.write("src/r.md", "echo pwned\n");
            let absolute = world.home().join(".zshenv").to_str().unwrap().to_owned();
            let link = if hostile { absolute.as_str() } else { "rules/zshenv.md" };
            item(world, "rule", "r", "r.md", &format!("link = \"{link}\""));
        },
        args: meld,
        kinds: MANIFEST,
        installs: "rules/zshenv.md",
    },
    Attack {
        name: "H3: a link to the settings of an agent",
        build: |world, hostile| {
            world.write("src/r.md", "{}\n");
            let link = if hostile { "settings.json" } else { "rules/settings.md" };
            item(world, "rule", "r", "r.md", &format!("link = \"{link}\""));
        },
        args: meld,
        kinds: &["invalid-manifest", "bad-link"],
        installs: "rules/settings.md",
    },
    Attack {
        name: "H4: a prefix that leads upwards",
        build: |world, hostile| {
            world.skill("x");
            let prefix = if hostile { "../../../esc/p" } else { "p" };
            world.write("src/mind.toml", &format!("[source]\nprefix = \"{prefix}\"\n"));
        },
        args: meld,
        kinds: MANIFEST,
        installs: "skills/p-x",
    },
    Attack {
        name: "H5: a path that is absolute",
        build: |world, hostile| {
            world.write("src/id_rsa", "not secret");
            let absolute = world.home().join("id_rsa").to_str().unwrap().to_owned();
            item(world, "rule", "r", if hostile { &absolute } else { "id_rsa" }, "");
        },
        args: meld,
        kinds: MANIFEST,
        installs: "rules/r.md",
    },
    Attack {
        name: "H5: a path that leads upwards",
        build: |world, hostile| {
            world.write("src/home/id_rsa", "not secret");
            item(world, "rule", "r", if hostile { "../home/id_rsa" } else { "home/id_rsa" }, "");
        },
        args: meld,
        kinds: MANIFEST,
        installs: "rules/r.md",
    },
    Attack {
        name: "H6: a link in a skill to a secret",
        build: |world, hostile| {
            world.skill("s");
            world.write("src/skills/s/key.txt", "not secret");
            let secret = world.home().join("id_rsa");
            let target = if hostile { secret.as_path() } else { "key.txt".as_ref() };
            symlink(target, world.src().join("skills/s/key")).unwrap();
        },
        args: meld,
        kinds: &["bad-content"],
        installs: "skills/s",
    },
    Attack {
        name: "H6: a link in a skill to a folder of the machine",
        build: |world, hostile| {
            world.skill("s");
            world.write("src/skills/s/etc/passwd", "x");
            if hostile {
                std::fs::remove_dir_all(world.src().join("skills/s/etc")).unwrap();
                symlink("/etc", world.src().join("skills/s/etc")).unwrap();
            }
        },
        args: meld,
        kinds: &["bad-content"],
        installs: "skills/s",
    },
    Attack {
        name: "H7: links to the folder that they lie in",
        build: |world, hostile| {
            world.skill("s");
            if hostile {
                symlink(".", world.src().join("skills/s/l")).unwrap();
                symlink(".", world.src().join("skills/s/m")).unwrap();
            }
        },
        args: meld,
        kinds: &["bad-content"],
        installs: "skills/s",
    },
    Attack {
        name: "H7b: a pipe in a skill",
        build: |world, hostile| {
            world.skill("s");
            let at = world.src().join("skills/s/pipe");
            if hostile {
                assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
            } else {
                std::fs::write(at, "").unwrap();
            }
        },
        args: meld,
        kinds: &["bad-content"],
        installs: "skills/s",
    },
    Attack {
        name: "H7b: a file with several names in a skill",
        build: |world, hostile| {
            world.skill("s");
            let at = world.src().join("skills/s/key");
            if hostile {
                std::fs::hard_link(world.home().join("id_rsa"), at).unwrap();
            } else {
                std::fs::write(at, "secret").unwrap();
            }
        },
        args: meld,
        kinds: &["bad-content"],
        installs: "skills/s",
    },
    Attack {
        name: "H8: a nested source whose host leads upwards",
        build: |world, hostile| nest(world, hostile, "https://../store/skill"),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "H8c: a nested source by SSH whose host leads upwards",
        build: |world, hostile| nest(world, hostile, "git@../..:precious/repo"),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "Z1: a nested source that is a folder of clones",
        build: |world, hostile| nest(world, hostile, "o/.."),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "H14: a source that is an option of git",
        build: |world, hostile| {
            world.skill("s");
            let spec = if hostile { "--upload-pack=touch pwned" } else { "./src" };
            world.write("spec", spec);
        },
        args: |world| {
            let spec = std::fs::read_to_string(world.path().join("spec")).unwrap();
            let spec = spec.as_str();
            args(&["meld", spec, "--yes"])
        },
        kinds: &["invalid-spec"],
        installs: "skills/s",
    },
    Attack {
        name: "H14: a nested source that is an option of git",
        build: |world, hostile| nest(world, hostile, "--upload-pack=touch pwned"),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "H14: a nested source that is a program",
        build: |world, hostile| nest(world, hostile, "ext::sh -c 'touch pwned'"),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "H16: an item that claims the link of another",
        build: |world, hostile| {
            world.write("src/a.md", "a\n");
            world.write("src/b.md", "b\n");
            let link = if hostile { "rules/a.md" } else { "rules/b.md" };
            let text = format!(
                "[[items]]\nkind = \"rule\"\nname = \"a\"\npath = \"a.md\"\n\n[[items]]\nkind = \"rule\"\nname = \
                 \"b\"\npath = \"b.md\"\nlink = \"{link}\"\n"
            );
            world.write("src/mind.toml", &text);
        },
        args: meld,
        kinds: &["invalid-manifest", "link-taken", "invalid-source"],
        installs: "rules/b.md",
    },
    Attack {
        name: "H17: a name that is that of another in other letters",
        build: |world, hostile| {
            world.skill("s");
            item(world, "skill", if hostile { "./victim" } else { "victim" }, "skills/s", "");
        },
        args: meld,
        kinds: MANIFEST,
        installs: "skills/victim",
    },
    Attack {
        name: "disc-dotdot: a pattern that leads upwards",
        build: |world, hostile| {
            world.write("src/agents/x.md", "x\n");
            let pattern = if hostile { "../outside/*.md" } else { "agents/*.md" };
            world.write("src/mind.toml", &format!("[discover]\nagents = {{ include = [\"{pattern}\"] }}\n"));
        },
        args: meld,
        kinds: MANIFEST,
        installs: "agents/x.md",
    },
    Attack {
        name: "a pattern that is absolute",
        build: |world, hostile| {
            world.write("src/agents/x.md", "x\n");
            let absolute = format!("{}/outside/*.md", world.path().display());
            let pattern = if hostile { absolute.as_str() } else { "agents/*.md" };
            world.write("src/mind.toml", &format!("[discover]\nagents = {{ include = [\"{pattern}\"] }}\n"));
        },
        args: meld,
        kinds: MANIFEST,
        installs: "agents/x.md",
    },
    Attack {
        name: "tok: a password in the URL of a nested source",
        build: |world, hostile| nest(world, hostile, "https://user:token@host.example/o/r"),
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "a `mind.toml` that is a link out of the source",
        build: |world, hostile| {
            world.skill("s");
            world.write("outside/mind.toml", "[source]\ndescription = \"x\"\n");
            if hostile {
                symlink("../outside/mind.toml", world.src().join("mind.toml")).unwrap();
            } else {
                world.write("src/mind.toml", "[source]\ndescription = \"x\"\n");
            }
        },
        args: meld,
        kinds: MANIFEST,
        installs: "skills/s",
    },
    Attack {
        name: "a root that leads out through a link",
        build: |world, hostile| {
            world.write("outside/skills/s/SKILL.md", "---\ndescription: d\n---\n");
            world.write("src/inside/skills/s/SKILL.md", "---\ndescription: d\n---\n");
            let target = if hostile { "../outside" } else { "inside" };
            symlink(target, world.src().join("ln")).unwrap();
            world.write("src/mind.toml", "[source]\nroots = [\"ln\"]\n");
        },
        args: meld,
        kinds: &["invalid-source"],
        installs: "skills/s",
    },
    Attack {
        name: "a file of the user where an item would be linked",
        build: |world, hostile| {
            world.skill("s");
            if hostile {
                world.write("home/.claude/skills/s/SKILL.md", "mine");
            }
        },
        args: meld,
        kinds: &["occupied"],
        installs: "skills/s",
    },
];

/// Writes a source with one skill and, as the attack, a nested source.
fn nest(world: &World, hostile: bool, spec: &str) {
    world.skill("s");
    world.write("n/skills/n/SKILL.md", "---\ndescription: n\n---\n");
    let spec = if hostile { spec } else { "../n" };
    world.write("src/mind.toml", &format!("[discover]\nsources = [{{ source = {spec:?} }}]\n"));
}
