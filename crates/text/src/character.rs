//! Characters that are not displayed by themselves. The ranges are declared here and nowhere else.

/// Returns whether `c` is a control character.
pub fn is_control(c: char) -> bool {
    c.is_control()
}

/// Returns whether `c` changes the direction in which text is displayed.
pub fn is_directional(c: char) -> bool {
    is_direction_mark(c) || is_direction_control(c)
}

/// Returns whether `c` counts as a letter with a direction and is not displayed. Such marks place punctuation in text
/// from right to left.
pub fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}')
}

/// Returns whether `c` embeds, overrides or isolates a direction, or ends that.
pub fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether `c` joins or separates its neighbours and is not displayed itself.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Returns whether `c` only modifies how the previous character is displayed.
pub fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether `c` is displayed as nothing or ends a line: the property `Default_Ignorable_Code_Point` of Unicode 17
/// without joiners, variation selectors and what changes directions, the separators of lines and paragraphs, and format
/// controls without a shape of their own.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}'
            | '\u{034f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{2028}'..='\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}'
    )
}

/// Returns whether `c` is never displayed by itself, apart from control characters.
pub fn is_ignorable(c: char) -> bool {
    // Most characters are before the first of these.
    c >= '\u{ad}' && (is_joiner(c) || is_variation_selector(c) || is_directional(c) || is_invisible(c))
}
