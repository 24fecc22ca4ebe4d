//! Reads which paths a Rust file names, well enough for the rules of the layers: comments
//! and texts are no code, and `use` trees are spread out.

/// Every path of the code with two segments or more, and every single name of a `use`.
pub(super) fn paths(source: &str) -> Vec<String> {
    let code = without_comments_and_texts(source);
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = find_use(rest) {
        found.extend(inline_paths(&rest[..at]));
        let tree = &rest[at + "use ".len()..];
        let end = tree.find(';').unwrap_or(tree.len());
        spread("", &tree[..end], &mut found);
        rest = &tree[end..];
    }
    found.extend(inline_paths(rest));
    found
}

/// Where the next `use` declaration begins.
fn find_use(code: &str) -> Option<usize> {
    let is_start = |at: &usize| {
        let before = code[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', ';', '{', '}', ')', ']', 'b'])
    };
    code.match_indices("use ").map(|(at, _)| at).find(is_start)
}

fn spread(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    match tree.split_once('{') {
        None => {
            let name = tree.split(" as ").next().unwrap_or_default().trim();
            found.push(format!("{prefix}{name}").replace([' ', '\n'], ""));
        }
        Some((head, inner)) => {
            let head = format!("{prefix}{}", head.trim());
            let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
            for part in split_outside_braces(inner) {
                spread(&head, part, found);
            }
        }
    }
}

fn split_outside_braces(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

fn inline_paths(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c: char| !is_part(c));
    words.filter(|word| word.contains("::")).map(str::to_owned).collect()
}

/// The same code with the content of comments, texts and characters blanked out.
pub(super) fn without_comments_and_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(end) = raw_text_end(rest) {
            end
        } else if first == '"' {
            text_end(rest)
        } else if first == '\'' {
            character_end(rest).unwrap_or(0)
        } else {
            0
        };
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
            code.push(' ');
            rest = &rest[skipped..];
        }
    }
    code
}

fn raw_text_end(rest: &str) -> Option<usize> {
    let after_r = rest.strip_prefix('r').or_else(|| rest.strip_prefix("br"))?;
    let hashes = after_r.len() - after_r.trim_start_matches('#').len();
    let body = after_r[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(rest.len() - body.len() + end)
}

fn text_end(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The end of a character; a lifetime has none.
fn character_end(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        let body = &rest[3..];
        return body.find('\'').map(|at| 3 + at + 1);
    }
    let (at, second) = characters.next()?;
    (second == '\'').then_some(at + 1)
}

/// Whether a path begins at a module of the own crate: `crate::a` or `super::…::a`.
pub(super) fn own_module(path: &str) -> Option<&str> {
    let mut segments = path.split("::");
    match segments.next()? {
        "crate" => segments.next(),
        "super" => segments.find(|segment| *segment != "super"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_trees_are_spread_and_texts_are_no_code() {
        let source = r##"
            //! use tokio::time;
            use crate::{stores::{Port, keys}, world as w};
            pub use super::super::http;
            /* use axum::Router; */
            fn f<'a>(c: &'a str) -> char { let _ = "use sqlx::query; \" x"; r#"redis::cmd"#; '"' }
            fn g() { wtransport::Connection::open('\'') }
        "##;
        let found = paths(source);
        assert_eq!(
            found,
            [
                "crate::stores::Port",
                "crate::stores::keys",
                "crate::world",
                "super::super::http",
                "wtransport::Connection::open",
            ]
        );
        let modules: Vec<_> = found.iter().filter_map(|path| own_module(path)).collect();
        assert_eq!(modules, ["stores", "stores", "world", "http"]);
    }
}
