//! The object layers of a Tiled map that are read, and which name is a misspelt one.
//!
//! Any other layer is the editor's notes; a name that is one slip away from one that is read is
//! refused, so that a misspelt layer never passes for an absent one.

/// Points where bodies appear.
pub(super) const SPAWNS: &str = "spawns";
/// Rectangles that lead to another zone.
pub(super) const EXITS: &str = "exits";
/// Points where flowers grow.
pub(super) const FLOWERS: &str = "flowers";

const ALL: [&str; 3] = [SPAWNS, EXITS, FLOWERS];

/// The layer that is meant by a name which is one slip of the keyboard away, in whatever case:
/// a letter too many, one too few, another one, or two that have changed places.
pub(super) fn meant_by(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    ALL.into_iter().find(|layer| is_one_slip_at_most(&name, layer))
}

/// The layers that are read, in words.
pub(super) fn all_in_words() -> String {
    let [first @ .., last] = ALL;
    format!("{} and {last}", first.join(", "))
}

fn is_one_slip_at_most(one: &str, other: &str) -> bool {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    match (&one[same..], &other[same..]) {
        ([], []) => true,
        ([_, rest @ ..], other) if rest == other => true,
        (one, [_, rest @ ..]) if rest == one => true,
        ([_, one @ ..], [_, other @ ..]) if one == other => true,
        ([a, b, one @ ..], [c, d, other @ ..]) => (a, b, one) == (d, c, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_one_slip_away_means_the_layer() {
        for name in ["flower", "flowerss", "fl0wers", "lfowers", "Flowers", "FLOWER", "flowers "] {
            assert_eq!(meant_by(name), Some(FLOWERS), "{name:?}");
        }
        assert_eq!(meant_by("spwans"), Some(SPAWNS));
        assert_eq!(meant_by("exit"), Some(EXITS));
        for name in ["signs", "", "s", "flow", "lofwesr", "notes", "flowers (old)"] {
            assert_eq!(meant_by(name), None, "{name:?}");
        }
    }

    #[test]
    fn the_layers_are_told_in_words() {
        assert_eq!(all_in_words(), "spawns, exits and flowers");
    }
}
