//! Heads seen from behind.
//!
//! Letters: `h H L` hair middle, dark, light; `t T l` hat; `a A` accent; `w` white; `g` gold;
//! `s d` skin and its shade. A dot leaves what lies below.

pub(crate) const WANDERER: &[&str] = &[
    "................",
    ".....h.hhh......",
    "....hhhhLLhh....",
    "...hhhhLLLhhh...",
    "..hhhhhLLhhhhh..",
    "..hhhhhhhhhhhh..",
    "..hhhhhhhhhhhh..",
    "..hhhhhhhhhHhh..",
    "..HhhHhhhhhHhH..",
    "..HHhHHhhHhHHH..",
    "...HHHHHHHHHH...",
    "....aaaaaaaa....",
    "...aaaaaaaaaa...",
    "....AAAAAAAA....",
];

pub(crate) const SAILOR: &[&str] = &[
    "................",
    "....llllllll....",
    "...lltttttttt...",
    "..ltttttttttTT..",
    "..tttttttttTTT..",
    "..aaaaaaaaaAAA..",
    "..AAAAAAAAAAAA..",
    "..hhhhhhhhhhHH..",
    "..hhhhhhhhhhHH..",
    "...hhhhhhhhHH...",
    "....HHHHHHHH....",
    "...aaaaaaaaaa...",
    "...aaaaaaaaAA...",
    "....aaaaaaAA....",
    ".....aaaaAA.....",
];

pub(crate) const GARDENER: &[&str] = &[
    "................",
    ".....llllll.....",
    "....lltttttt....",
    "....ltttttTT....",
    "....aaaaaaAA....",
    ".lllttttttttttT.",
    ".ltttttttttttTT.",
    "..TTTTTTTTTTTT..",
    "..hhhhLhhLhhhH..",
    "..hhhhhhhhhhHH..",
    "...hhhhHHhhhH...",
    "...hhH....hhH...",
    "...hLH....hLH...",
    "...HH......HH...",
    "....a......a....",
];

pub(crate) const SMITH: &[&str] = &[
    "................",
    "................",
    ".....hhhhhh.....",
    "....hLLhhhhh....",
    "...hLhhhhhhhH...",
    "...hhhhhhhhhH...",
    "...tttttttttT...",
    "...lttttttTTT...",
    "..hhhhhTThhhHH..",
    "...hhhhTThhhH...",
    "....hhhhhhhH....",
];

pub(crate) const SCHOLAR: &[&str] = &[
    "................",
    ".......ll.......",
    "....llllllll....",
    ".lllttttttttttT.",
    "..tttttttttttT..",
    "..g.TTTTTTTT....",
    "..ghttttttTThh..",
    "..ghhhhhhhhhhH..",
    "..ahhLhhhhhhHH..",
    "..hhhLLhhhhhHH..",
    "...hhhhhhhhHH...",
    "....hhHHHHhH....",
    "....wwwwwwww....",
];

pub(crate) const MINSTREL: &[&str] = &[
    "..ww............",
    "..aww..ttttt....",
    "..aawwttttttt...",
    "...atwtttttttt..",
    "..ttattttttttT..",
    ".lttttttttttTTT.",
    "..TTTTTTTTTTTT..",
    "..hhLhhhhhLhhH..",
    "..hhLLhhhhhhhH..",
    "..hhhLhhhhhhHH..",
    "..hhhhhhhhhhHH..",
    "...hhhHhhHhHH...",
    "....HH.HH.HH....",
];

pub(crate) const RANGER: &[&str] = &[
    "................",
    "......ltttt.....",
    ".....lttttttt...",
    "...lltttttttt...",
    "..lltttttttttT..",
    "..ltttttttttTT..",
    "..tttttttttTTT..",
    "..ttttttttttTT..",
    "..ttttttttttTT..",
    "..ttttttttttTT..",
    "..tttttTTttTTT..",
    "...tttTTTTTTT...",
    "....tttttTTT....",
    ".....TTTTTT.....",
];

pub(crate) const HERMIT: &[&str] = &[
    "................",
    "................",
    ".....LLhhhh.....",
    "...LLLhhhhhhh...",
    "..LLhhhhhhhhhH..",
    "..Lhhhhhhhhhhh..",
    "..hhhhhhhhhhhH..",
    "..hhhLhhhhhhHH..",
    "..hhhLLhhhhhHH..",
    "..hhhhLhhhhHHH..",
    "..hhhhhhhhhhHH..",
    "...hhLhhhhhHH...",
    "...hhLhhhhHHH...",
    "....hhhhhHHH....",
    ".....hhhHHH.....",
];
