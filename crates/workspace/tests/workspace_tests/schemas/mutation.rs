//! Random changes of valid values.

use serde_json::{Value, json};

/// A deterministic pseudo-random number generator (`SplitMix64`).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next_below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    pub(crate) fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.next_below(list.len())]
    }
}

/// The four kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mutation {
    Drop,
    Rename,
    Retype,
    Add,
}

impl Mutation {
    pub(crate) const ALL: [Self; 4] = [Self::Drop, Self::Rename, Self::Retype, Self::Add];

    /// Changes one place of `value`; returns whether there was a suitable place.
    pub(crate) fn apply(self, value: &mut Value, keys: &[String], dice: &mut Dice) -> bool {
        let fits = |value: &Value| match self {
            Self::Drop | Self::Rename => match value {
                Value::Object(map) => !map.is_empty(),
                Value::Array(items) => self == Self::Drop && !items.is_empty(),
                _ => false,
            },
            Self::Retype => true,
            Self::Add => value.is_object() || value.is_array(),
        };
        let places: Vec<String> =
            pointers(value).into_iter().filter(|pointer| value.pointer(pointer).is_some_and(fits)).collect();
        if places.is_empty() {
            return false;
        }
        let pointer = dice.pick(&places);
        let place = value.pointer_mut(pointer).unwrap();
        match (self, place) {
            (Self::Drop, Value::Object(map)) => {
                let key = dice.pick(&map.keys().cloned().collect::<Vec<_>>()).clone();
                map.remove(&key);
            }
            (Self::Drop, Value::Array(items)) => {
                items.remove(dice.next_below(items.len()));
            }
            (Self::Rename, Value::Object(map)) => {
                let key = dice.pick(&map.keys().cloned().collect::<Vec<_>>()).clone();
                let value = map.remove(&key).unwrap();
                map.insert(misspell(&key, dice), value);
            }
            (Self::Add, Value::Object(map)) => {
                // A copy of an existing item is valid where any other value would be rejected.
                let siblings: Vec<Value> = map.values().cloned().collect();
                let copies = !siblings.is_empty() && dice.next_below(2) == 0;
                let value = if copies { dice.pick(&siblings).clone() } else { any(dice) };
                map.insert(dice.pick(keys).clone(), value);
            }
            (Self::Add, Value::Array(items)) => items.insert(dice.next_below(items.len() + 1), any(dice)),
            (_, place) => *place = any(dice),
        }
        true
    }
}

fn misspell(key: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    let letter = *dice.pick(&['a', 'e', 's', 'X', '_', '-', '<', ' ']);
    match dice.next_below(3) {
        0 if !letters.is_empty() => letters[dice.next_below(key.chars().count())] = letter,
        1 if !letters.is_empty() => {
            letters.remove(dice.next_below(key.chars().count()));
        }
        _ => letters.insert(dice.next_below(letters.len() + 1), letter),
    }
    letters.into_iter().collect()
}

fn any(dice: &mut Dice) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-3),
        json!(7.5),
        json!(100),
        json!(101),
        json!("text"),
        json!(""),
        json!(" "),
        json!("stdio"),
        json!("streamable_http"),
        json!("https://example.org/mcp"),
        json!("https://example.org:mcp"),
        json!("high"),
        json!("number|string"),
        json!("../x"),
        json!(["a**b"]),
        json!("a\\..\\b"),
        json!(".md"),
        json!("a/b"),
        json!("API_KEY"),
        json!("openai"),
        json!("codex"),
        json!([]),
        json!(["src"]),
        json!([""]),
        json!([1]),
        json!({}),
        json!({ "env": "HOME" }),
        json!({ "prefix": "p_" }),
        json!({ "suffix": "_s" }),
        json!({ "a": "b" }),
        json!({ "x-a": 1 }),
        json!([{ "prefix": { "remove": "a", "add": "b" } }]),
        json!({ "type": "number", "min": 1 }),
    ];
    dice.pick(&values).clone()
}

/// Returns the pointers of all values in `value`.
pub(crate) fn pointers(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                collect(value, format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                collect(value, format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}
