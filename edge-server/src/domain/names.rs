//! When two names count as one: the same but for case, or mixed up by a reader. Source of
//! the latter: Unicode TS 39, section 4, "Confusable Detection".

use std::collections::BTreeSet;
use std::sync::LazyLock;

use shared::account::{CHARACTER_NAME_JOINTS, RESERVED_WORDS, USERNAME_JOINTS};

/// A name without its case.
#[must_use]
pub fn fold_case(name: &str) -> String {
    name.to_lowercase()
}

/// What a name looks like. Names with one skeleton may be mixed up: joints between words
/// count for nothing (`Jean-Luc`, `Jeanluc`), nor does what a font draws alike, as the name
/// is spelled or in any other case (`rnara` and `Mara`, `MIra` and `Mlra`, `b0b` and `bob`).
#[must_use]
pub fn skeleton(name: &str) -> String {
    let unjoined = name.replace(is_joint, "");
    // Before folding, because a capital I looks like an l and a small i does not; and again
    // after it, because the skeletons of M and m differ.
    let as_spelled: String = unicode_security::skeleton(&unjoined).collect();
    unicode_security::skeleton(&fold_case(&as_spelled)).collect()
}

/// Whether a name, or a word of it, looks like one of the [`RESERVED_WORDS`].
#[must_use]
pub fn looks_reserved(name: &str) -> bool {
    // Also as they look in capitals: a capital I is imitated by what no small i is.
    static RESERVED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let looks = |word: &&str| [skeleton(word), skeleton(&word.to_uppercase())];
        RESERVED_WORDS.iter().flat_map(looks).collect()
    });
    name.split(is_joint).any(|word| RESERVED.contains(&skeleton(word)))
        || RESERVED.contains(&skeleton(name))
}

fn is_joint(c: char) -> bool {
    CHARACTER_NAME_JOINTS.contains(&c) || USERNAME_JOINTS.contains(&c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(one: &str, other: &str, alike: bool) {
        assert_eq!(skeleton(one) == skeleton(other), alike, "{one:?} {other:?}");
    }

    #[test]
    fn names_that_a_reader_mixes_up_have_one_skeleton() {
        check("Mara", "mARA", true);
        check("Mara", "Rnara", true);
        check("MIra", "Mlra", true);
        check("Jean-Luc", "Jean Luc", true);
        check("Jean-Luc", "jeanluc", true);
        check("O'Hara", "Ohara", true);
        check("b0b.by", "bobby", true);
        check("player1", "playerl", true);
        check("Mara", "\u{41c}\u{430}r\u{430}", true);
    }

    #[test]
    fn names_that_a_reader_tells_apart_have_two() {
        check("Mara", "Mora", false);
        check("Mira", "Mlra", false);
        check("Mara", "Maraa", false);
        check("player1", "player2", false);
        check("player10", "player1", false);
        check("Maria", "Marla", false);
    }

    #[test]
    fn a_word_that_looks_reserved_counts_as_reserved() {
        for name in [
            "Adrnin",
            "Mara Systern",
            "r00t",
            "mara_supp0rt",
            "Game-Rnaster",
            "ADMIN",
            "ADMlN",
            "OFFlClAL",
            "adm1n",
            "M0DERAT0R",
        ] {
            assert!(looks_reserved(name), "{name:?}");
        }
        for name in ["Mara", "badminton", "Modesty", "Jean-Luc"] {
            assert!(!looks_reserved(name), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn the_same_name_in_another_case_or_without_its_joints_stays_alike(
            name in "[a-z]{1,5}([ '._-][a-z]{1,5}){0,2}",
        ) {
            prop_assert_eq!(skeleton(&name), skeleton(&name.replace(is_joint, "")));
            prop_assert_eq!(skeleton(&skeleton(&name)), skeleton(&name));
        }

        #[test]
        fn every_name_has_a_skeleton(name in "[A-Za-z][A-Za-z0-9._-]{2,23}") {
            prop_assert!(!skeleton(&name).is_empty());
        }
    }
}
