//! Options of programs.

use super::programs::{Operands, Program};
use super::words::Word;

/// The arguments of a program, without its options.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    pub(super) operands: Vec<&'a Word>,
    /// Whether the program descends into directories.
    pub(super) is_recursive: bool,
    /// Whether an option passes the script or pattern.
    pub(super) has_script: bool,
    /// The script or pattern of the option, if there is only one.
    pub(super) script: Option<&'a str>,
    flags: Vec<char>,
    long: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Separates options and operands.
    ///
    /// # Errors
    ///
    /// Returns the first option that is not known.
    pub(super) fn parse(program: &Program, words: &'a [Word]) -> Result<Self, &'a str> {
        let mut arguments = Self::default();
        let is_plain = matches!(
            program.operands,
            Operands::Text | Operands::Find | Operands::Git | Operands::Shell | Operands::ChangeDirectory
        );
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if is_plain || text == "-" || !text.starts_with('-') {
                arguments.operands.push(word);
            } else if text == "--" {
                arguments.operands.extend(rest.by_ref());
            } else if text.starts_with("--") {
                arguments.long_option(program, text, &mut rest)?;
            } else {
                arguments.short_options(program, text, &mut rest)?;
            }
        }
        Ok(arguments)
    }

    /// Takes every word that is not an option as an operand, for a program with an option that is not known. What is judged
    /// this way can only deny more.
    pub(super) fn of_operands(words: &'a [Word]) -> Self {
        let operands = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        // A script of an option that is not known would be taken as a file otherwise, which denies needlessly.
        Self { operands, is_recursive: true, ..Self::default() }
    }

    fn long_option(
        &mut self,
        program: &Program,
        text: &'a str,
        rest: &mut impl Iterator<Item = &'a Word>,
    ) -> Result<(), &'a str> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let with_value = program.long.iter().any(|known| known.strip_suffix('=') == Some(name));
        let value = match value {
            Some(value) if with_value => Some(value),
            None if program.long.contains(&name) => None,
            None if with_value => Some(rest.next().ok_or(text)?.text.as_str()),
            _ => return Err(text),
        };
        self.is_recursive |= program.recursive.contains(&name);
        self.long.push(name);
        if let Some(value) = value.filter(|_| name == "--regexp") {
            self.set_script(value);
        }
        Ok(())
    }

    fn short_options(
        &mut self,
        program: &Program,
        text: &'a str,
        rest: &mut impl Iterator<Item = &'a Word>,
    ) -> Result<(), &'a str> {
        let letters = text.trim_start_matches('-');
        // The number of lines.
        if letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        for (at, letter) in letters.char_indices() {
            if program.values.contains(letter) {
                let attached = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                let value =
                    if attached.is_empty() { rest.next().ok_or(text)?.text.as_str() } else { attached };
                if letter == 'e' {
                    self.set_script(value);
                }
                return Ok(());
            }
            // `sed -ibak` keeps a copy with another name.
            let has_suffix = program.operands == Operands::Sed && letter == 'i' && !letters.ends_with('i');
            if !program.flags.contains(letter) || has_suffix {
                return Err(text);
            }
            self.is_recursive |= program.recursive.iter().any(|known| known.chars().eq([letter]));
            self.flags.push(letter);
        }
        Ok(())
    }

    fn set_script(&mut self, script: &'a str) {
        self.script = if self.has_script { None } else { Some(script) };
        self.has_script = true;
    }

    /// Returns whether a short option without a value is given.
    pub(super) fn has_flag(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }

    /// Returns whether a long option is given.
    pub(super) fn has_long(&self, name: &str) -> bool {
        self.long.contains(&name)
    }
}

/// Returns whether a script of `sed` only prints, deletes or replaces lines. Any other script can name files and run programs.
pub(super) fn is_plain_sed_script(script: &str) -> bool {
    let rest = script.trim_start_matches(|c: char| c.is_ascii_digit() || [',', '$', ' '].contains(&c));
    if ["p", "d", "q", "="].contains(&rest) {
        return true;
    }
    let mut chars = rest.chars();
    let (Some('s'), Some(delimiter)) = (chars.next(), chars.next()) else { return false };
    if delimiter.is_alphanumeric() || ['\\', '\n', ' '].contains(&delimiter) {
        return false;
    }
    let mut delimiters = 0;
    let mut options = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\n' => return false,
            '\\' => {
                let escaped = chars.next();
                if escaped.is_none_or(|c| c == '\n') {
                    return false;
                }
            }
            c if c == delimiter => delimiters += 1,
            c if delimiters == 2 => options.push(c),
            _ => {}
        }
    }
    delimiters == 2 && options.chars().all(|c| c.is_ascii_digit() || ['g', 'p', 'i', 'I'].contains(&c))
}

/// Returns the first word of an expression of `find` that can do more than select and print names.
pub(super) fn find_unknown_test<'a>(expression: &[&'a Word]) -> Option<&'a str> {
    let mut words = expression.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-name" | "-iname" | "-path" | "-ipath" | "-type" | "-maxdepth" | "-mindepth" | "-size"
            | "-mtime" | "-mmin" => {
                words.next();
            }
            "-print" | "-print0" | "-empty" | "-o" | "-or" | "-a" | "-and" | "-not" | "-prune" | "!"
            | "(" | ")" => {}
            unknown => return Some(unknown),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_without_files_and_programs_are_plain() {
        for script in ["p", "1,5p", "$d", "s/a/b/", "s/a/b/g", "s|a\\|b|c|2p", "10q"] {
            assert!(is_plain_sed_script(script), "{script}");
        }
        for script in
            ["", "w x", "1w x", "s/a/b/w x", "s/a/b/e", "e", "r x", "p;w x", "s/a/b/;e", "s/a/b", "s/a/b/\ne"]
        {
            assert!(!is_plain_sed_script(script), "{script}");
        }
    }
}
