//! What is printed on a key, by its place on the keyboard (UI Events `KeyboardEvent.code`
//! values). The layout is not known, so letters are those of a common keyboard.

/// The name of a key for the player.
#[must_use]
pub fn key_name(code: &str) -> String {
    for prefix in ["Key", "Digit"] {
        if let Some(rest) = code.strip_prefix(prefix)
            && rest.len() == 1
        {
            return rest.to_owned();
        }
    }
    if let Some(rest) = code.strip_prefix("Numpad") {
        return format!("Pad {}", words(rest).to_lowercase());
    }
    match code {
        "Minus" => "-".to_owned(),
        "Equal" => "=".to_owned(),
        "BracketLeft" => "[".to_owned(),
        "BracketRight" => "]".to_owned(),
        "Backslash" | "IntlBackslash" => "\\".to_owned(),
        "Semicolon" => ";".to_owned(),
        "Quote" => "'".to_owned(),
        "Backquote" => "`".to_owned(),
        "Comma" => ",".to_owned(),
        "Period" => ".".to_owned(),
        "Slash" => "/".to_owned(),
        "Escape" => "Esc".to_owned(),
        _ => words(code),
    }
}

/// `PageUp` as `Page up`.
fn words(code: &str) -> String {
    let mut name = String::with_capacity(code.len() + 2);
    let mut before = None;
    for letter in code.chars() {
        let begins = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        if begins {
            name.push(' ');
            name.extend(letter.to_lowercase());
        } else {
            name.push(letter);
        }
        before = Some(letter);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_their_caps_are() {
        for (code, name) in [
            ("KeyW", "W"),
            ("Digit4", "4"),
            ("F8", "F8"),
            ("Enter", "Enter"),
            ("ArrowLeft", "Arrow left"),
            ("PageUp", "Page up"),
            ("Numpad7", "Pad 7"),
            ("NumpadAdd", "Pad add"),
            ("ShiftLeft", "Shift left"),
            ("Slash", "/"),
            ("Escape", "Esc"),
        ] {
            assert_eq!(key_name(code), name, "{code}");
        }
    }
}
