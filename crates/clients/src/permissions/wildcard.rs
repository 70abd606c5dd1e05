//! Comparing text with the wildcards of clients.

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// This character.
    Character(char),
    /// Any one character that `accepts` it.
    One,
    /// One character of these ranges.
    Class(Vec<(char, char)>),
    /// Any run of characters, also none.
    Run,
    /// No character: the pattern never matches.
    Never,
}

/// Returns whether the whole text matches. `accepts` says which characters [`Token::One`] and [`Token::Run`] match.
pub(super) fn matches(tokens: &[Token], text: &[char], accepts: fn(char) -> bool) -> bool {
    let (mut place, mut at) = (0, 0);
    // Where to continue after the last run: the next place of the pattern, and how much of the text it takes.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let current = text.get(at).copied();
        match (tokens.get(place), current) {
            (None, None) => return true,
            (Some(Token::Run), _) => {
                retry = Some((place + 1, at));
                place += 1;
            }
            (Some(one), Some(character)) if is_one(one, character, accepts) => {
                place += 1;
                at += 1;
            }
            _ => match retry {
                Some((next, taken)) if text.get(taken).copied().is_some_and(accepts) => {
                    retry = Some((next, taken + 1));
                    (place, at) = (next, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

fn is_one(token: &Token, character: char, accepts: fn(char) -> bool) -> bool {
    match token {
        Token::Character(expected) => *expected == character,
        Token::One => accepts(character),
        Token::Class(ranges) => ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)),
        Token::Run | Token::Never => false,
    }
}
