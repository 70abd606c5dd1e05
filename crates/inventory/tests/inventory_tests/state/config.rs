//! The settings of the user.

use minds_inventory::{CONFIG_FILE, Config, Lobe, LobeMode};

fn lobe(path: &str, mode: Option<LobeMode>) -> Lobe {
    Lobe { path: path.to_owned(), mode }
}

#[test]
fn settings_are_read_and_written() {
    let text = "lobes = [\"~/.claude\", { path = \"/mnt/a \\\"b\\\"\", mode = \"copy\" }]\nssh = true\nmode = \"copy\"\nsafe_directories = [\"*\", \"~/shared/*\", \"/srv/a\"]\n";
    let config = Config {
        lobes: Some(vec![lobe("~/.claude", None), lobe("/mnt/a \"b\"", Some(LobeMode::Copy))]),
        ssh: true,
        mode: LobeMode::Copy,
        safe_directories: ["*", "~/shared/*", "/srv/a"].map(str::to_owned).to_vec(),
    };
    assert_eq!(Config::parse(text), Ok(config.clone()));
    assert_eq!(config.write(), text);
    assert_eq!(Config::parse(""), Ok(Config::default()));
    assert_eq!(Config::default().write(), "");
    // An empty list of homes is not the same as no setting.
    let none = Config { lobes: Some(Vec::new()), ..Config::default() };
    assert_eq!(Config::parse(none.write()), Ok(none));
}

#[test]
fn errors_are_reported_with_their_line() {
    let cases = [
        ("lobes = \"~/.claude\"\n", 1),
        ("ssh = true\nlobe = []\n", 2),
        ("\nlobes = [1]\n", 2),
        ("lobes = [{ mode = \"copy\" }]\n", 1),
        ("lobes = [{ path = \"x\", mode = \"hardlink\" }]\n", 1),
        ("mode = \"Copy\"\n", 1),
        ("ssh = \"yes\"\n", 1),
        ("ssh = true\nssh = true\n", 2),
        ("ssh = \n", 1),
        ("ssh = true\nsafe_directories = \"/srv\"\n", 2),
        ("safe_directories = [\"srv\"]\n", 1),
        ("safe_directories = [\"\"]\n", 1),
    ];
    for (text, line) in cases {
        let error = Config::parse(text).unwrap_err();
        assert_eq!((error.file.as_str(), error.line), (CONFIG_FILE, Some(line)), "{text} {error}");
    }
}
