//! Arbitrary values.

use minds_render::services::{EnvironmentFile, Service, Value};

/// Special characters of the formats.
const SIGNS: &[&str] = &[
    "\"",
    "'",
    "\\",
    "$",
    "$$",
    "%",
    "%%",
    "#",
    ";",
    "\n",
    "\r",
    "\0",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "=",
    " ",
    "`",
    "${X}",
    "$(X)",
    "%i",
    "%h",
    "\t",
    "&",
    "<",
    ">",
    "]]>",
    "-->",
    "&#10;",
    "\\n",
    "\\x41",
    "*",
    "?",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "!",
    "- ",
    "~",
    "@",
    "\u{feff}",
    "\u{fffe}",
    "\u{fdd0}",
    "\u{7f}",
    "\u{1b}",
    "é",
    "\u{1f600}",
    "/",
    "//",
    "/../",
    "/./",
    "\nExecStart=/bin/x",
    "</string>",
    "\"]",
    "\\\"",
];

/// A deterministic pseudorandom generator (`SplitMix64`).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound.max(1) as u64).unwrap_or_default()
    }

    fn is(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick(&mut self, all: &[&'static str]) -> &'static str {
        all.get(self.below(all.len())).copied().unwrap_or_default()
    }
}

/// Returns a random string, half of them with special characters; a few are long.
fn text(chance: &mut Chance) -> String {
    if chance.is(3_000) {
        return chance.pick(&["x", "é", "$", "\" ", "%\\"]).repeat(65_536);
    }
    let is_nasty = chance.is(2);
    let part = |chance: &mut Chance| match is_nasty {
        true if !chance.is(3) => chance.pick(SIGNS).to_owned(),
        true => chance.pick(&["a", "Z", "0", "-"]).to_owned(),
        false => {
            let code = u32::try_from(0x20 + chance.below(0x3000)).unwrap_or_default();
            char::from_u32(code).unwrap_or('x').to_string()
        }
    };
    (0..chance.below(5)).map(|_| part(chance)).collect()
}

/// Returns a service with arbitrary values, most of them with only a few special characters.
pub(crate) fn service(chance: &mut Chance) -> Service {
    let value = |name: &str, text: String| Value::new(name, text);
    let program = match chance.below(4) {
        0 => format!("/{}", text(chance)),
        1 => text(chance),
        _ => "/usr/bin/agent".to_owned(),
    };
    let directory = match chance.below(3) {
        0 => format!("/srv/x{}", text(chance)),
        _ => "/srv/a shop".to_owned(),
    };
    let mut service = Service::new("shop-lead", "shop:lead", value("the directory", directory));
    service.command.push(value("the program", program));
    for _ in 0..chance.below(4) {
        service.command.push(value("an argument", text(chance)));
    }
    if chance.is(4) {
        service.description = value("the description", format!("Agent shop:lead ({})", text(chance)));
    }
    if chance.is(3) {
        let path = if chance.is(3) { format!("/srv/e{}", text(chance)) } else { "/srv/lead.env".to_owned() };
        // The environment file cannot contain line breaks in values.
        let one_line = |chance: &mut Chance| text(chance).replace(['\n', '\r', '\0'], "_");
        let variables = ["MODEL", "MODE"].map(|key| (key.to_owned(), value("a variable", one_line(chance))));
        service.environment_file = Some(EnvironmentFile {
            path: value("the path of the environment", path),
            variables: variables.into_iter().take(chance.below(3)).collect(),
        });
    }
    let has_model = service.environment_file.as_ref().is_some_and(|file| !file.variables.is_empty());
    if has_model && chance.is(2) {
        // A variable that the file sets too, which this value overrides.
        service.environment.push(("MODEL", value("a variable", text(chance))));
    }
    if chance.is(3) {
        service.environment.push(("ATEAM_REDIS_URL", value("the address", text(chance))));
    }
    service
}
