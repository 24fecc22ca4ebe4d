//! What the person at the terminal sees while something takes long: one line when a
//! step starts, a sign of life while it runs, one line when it ends.
//!
//! On a terminal the sign of life is one line redrawn each second; elsewhere it is a
//! new line at growing intervals. All of it goes to stderr, so that stdout carries
//! results only.

#![allow(
    clippy::disallowed_methods,
    reason = "the time that a build takes is measured here and decides nothing else"
)]

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const FIRST_SIGN: Duration = Duration::from_secs(2);
const WIDTH: usize = 100;

static BOARD: Mutex<Board> = Mutex::new(Board { running: Vec::new(), next: 0, drawn: false });
static TICKER: Once = Once::new();

struct Board {
    running: Vec<Running>,
    next: u64,
    drawn: bool,
}

struct Running {
    id: u64,
    name: String,
    log: Option<PathBuf>,
    started: Instant,
    next_sign: Duration,
}

/// A clock that starts when it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// One thing that is going on. Ends when it is finished or dropped.
#[derive(Debug)]
pub(crate) struct Step {
    id: u64,
    name: String,
    clock: Stopwatch,
}

impl Step {
    /// Says that `name` starts and what it does; `log` is the file whose last line
    /// shows how far it is.
    pub(crate) fn start(name: &str, about: &str, log: Option<&Path>) -> Self {
        TICKER.call_once(|| {
            thread::spawn(tick);
        });
        say(&format!("> {name}: {about}"));
        let mut board = board();
        let id = board.next;
        board.next += 1;
        board.running.push(Running {
            id,
            name: name.to_owned(),
            log: log.map(Path::to_path_buf),
            started: Instant::now(),
            next_sign: FIRST_SIGN,
        });
        Self { id, name: name.to_owned(), clock: Stopwatch::start() }
    }

    /// Says how it ended, and how long that took.
    pub(crate) fn finish(self, result: &str) -> Duration {
        let took = self.clock.elapsed();
        remove(self.id);
        say(&format!("  {}: {result} ({})", self.name, in_seconds(took)));
        took
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        remove(self.id);
    }
}

/// Prints one line, above the sign of life.
pub(crate) fn say(line: &str) {
    let mut board = board();
    let mut out = std::io::stderr().lock();
    if board.drawn {
        board.drawn = false;
        // A closed stderr leaves nobody to tell.
        let _ = write!(out, "\r\x1b[2K");
    }
    let _ = writeln!(out, "{line}");
}

/// `34.2 s`, or `3 min 05 s` for what takes longer.
pub(crate) fn in_seconds(duration: Duration) -> String {
    let whole = duration.as_secs();
    if whole < 100 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

fn board() -> MutexGuard<'static, Board> {
    BOARD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(id: u64) {
    board().running.retain(|running| running.id != id);
}

fn tick() {
    let redraw = std::io::stderr().is_terminal();
    loop {
        thread::sleep(Duration::from_secs(1));
        let mut board = board();
        let mut out = std::io::stderr().lock();
        if redraw {
            let line = board
                .running
                .iter()
                .filter(|running| running.started.elapsed() >= FIRST_SIGN)
                .map(sign_of_life)
                .collect::<Vec<_>>()
                .join(" | ");
            if board.drawn || !line.is_empty() {
                let _ = write!(out, "\r\x1b[2K{}", shorten(&line));
                let _ = out.flush();
            }
            board.drawn = !line.is_empty();
        } else {
            for running in &mut board.running {
                let elapsed = running.started.elapsed();
                if elapsed >= running.next_sign {
                    running.next_sign = next_sign(elapsed);
                    let _ = writeln!(out, "  {}", shorten(&sign_of_life(running)));
                }
            }
        }
    }
}

/// 2 s, 10 s, 30 s, then every half minute: enough to see life, few enough to read.
fn next_sign(elapsed: Duration) -> Duration {
    match elapsed.as_secs() {
        0..10 => Duration::from_secs(10),
        10..30 => Duration::from_secs(30),
        seconds => Duration::from_secs((seconds / 30 + 1) * 30),
    }
}

fn sign_of_life(running: &Running) -> String {
    let seconds = running.started.elapsed().as_secs();
    let last = running.log.as_deref().and_then(last_line);
    match last {
        Some(last) => format!("{} {seconds} s: {last}", running.name),
        None => format!("{} {seconds} s", running.name),
    }
}

fn last_line(log: &Path) -> Option<String> {
    const TAIL: u64 = 2048;
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    String::from_utf8_lossy(&tail)
        .lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
        .map(str::to_owned)
}

fn shorten(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    line.chars().take(WIDTH - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_in_seconds_then_minutes() {
        assert_eq!(in_seconds(Duration::from_millis(34_210)), "34.2 s");
        assert_eq!(in_seconds(Duration::from_secs(185)), "3 min 05 s");
    }

    #[test]
    fn signs_of_life_grow_apart() {
        let at = |seconds| next_sign(Duration::from_secs(seconds)).as_secs();
        assert_eq!([at(2), at(10), at(30), at(61)], [10, 30, 60, 90]);
    }

    #[test]
    fn long_lines_are_cut_by_characters() {
        let long = "ä".repeat(WIDTH + 5);
        assert_eq!(shorten(&long).chars().count(), WIDTH);
        assert_eq!(shorten("short"), "short");
    }
}
