//! Every limit of the wire, named in one place. Server-side budgets that no client can
//! see (pools, workers) live beside what they bound.

use std::time::Duration;

/// Bytes of a realm, zone, instance or appearance slug.
pub const MAX_SLUG_LEN: usize = 32;
/// Characters of a credential, at least.
pub const MIN_TOKEN_LEN: usize = 16;
/// Characters of a credential, at most.
pub const MAX_TOKEN_LEN: usize = 128;

/// Characters of a username, at least.
pub const MIN_USERNAME_LEN: usize = 3;
/// Characters of a username, at most.
pub const MAX_USERNAME_LEN: usize = 24;
/// Characters of a password, at least (NIST SP 800-63B, 3.1.1.2).
pub const MIN_PASSWORD_LEN: usize = 8;
/// Bytes of a password, at most; argon2 hashes it whole.
pub const MAX_PASSWORD_LEN: usize = 128;
/// Characters of a character's name, at least.
pub const MIN_CHARACTER_NAME_LEN: usize = 3;
/// Characters of a character's name, at most.
pub const MAX_CHARACTER_NAME_LEN: usize = 16;
/// Characters that one account may have in one realm.
pub const MAX_CHARACTERS_PER_REALM: usize = 6;

/// Bytes of an HTTP request body.
pub const MAX_HTTP_BODY_BYTES: usize = 16 * 1024;
/// Bytes of a heartbeat: an instance with some thousand sessions, at 250 bytes each.
pub const MAX_HEARTBEAT_BYTES: usize = 1024 * 1024;
/// Bytes of a client's build name in its hello.
pub const MAX_CLIENT_BUILD_LEN: usize = 64;
/// Entries in a hello's list of transports.
pub const MAX_TRANSPORTS: usize = 8;
/// Redirects that a client follows within one attempt.
pub const MAX_HANDSHAKE_REDIRECTS: u32 = 3;

/// How long a login lives, and with it what it has begun in the world.
pub const ACCESS_TOKEN_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How long a handoff token lives, from select.
pub const HANDOFF_TOKEN_LIFE: Duration = Duration::from_secs(60);
/// How long a consumed marker outlives the token that it guards. Once the token itself has
/// expired a replay finds nothing, so this is for the same attempt's late retry.
pub const CONSUMED_MARKER_LIFE: Duration = Duration::from_secs(60);
/// How long a seat is held between the handshake's reservation and its registration.
pub const ADMISSION_RESERVATION_LIFE: Duration = Duration::from_secs(10);
/// How long an accepted handshake waits for its realtime claim.
pub const PENDING_SESSION_LIFE: Duration = Duration::from_secs(30);
/// How long the marker of an activated transfer lives: longer than any source polls for it.
pub const TRANSFER_MARKER_LIFE: Duration = Duration::from_secs(120);
/// How long presence and resume-ledger records live without being written again.
pub const SESSION_RECORD_LIFE: Duration = Duration::from_secs(120);

/// Bytes of one frame on the control stream, without its length prefix.
pub const MAX_FRAME_BYTES: usize = 16 * 1024;
/// Bytes of one datagram in either direction: Firefox receives at most 1,024.
pub const MAX_DATAGRAM_BYTES: usize = 1_000;
/// Movement inputs that one datagram repeats, newest last, so that a lost one is made good.
pub const MAX_INPUTS_PER_DATAGRAM: usize = 16;

/// From an incoming QUIC connection to its accepted WebTransport session.
pub const REALTIME_ACCEPT_TIMEOUT: Duration = Duration::from_secs(5);
/// From the accepted session to a whole, valid hello.
pub const REALTIME_HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence of the peer's QUIC after which a connection counts as lost. A hidden tab that
/// says nothing still acknowledges our pings.
pub const REALTIME_IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often QUIC pings a silent path.
pub const QUIC_KEEP_ALIVE: Duration = Duration::from_secs(5);
/// How long a server waits for the echo of its Bye before it closes.
pub const BYE_ECHO_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a page waits for a dial and its Welcome before it says so. Players hear within
/// five seconds; what is left of them is for saying it.
pub const CLIENT_DIAL_TIMEOUT: Duration = Duration::from_millis(4_500);
/// How long an error that is told in the world stays, before its status is that of the world
/// again.
pub const CLIENT_ERROR_SHOWN: Duration = Duration::from_secs(6);
/// How long a page waits for an HTTP answer.
pub const CLIENT_HTTP_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a page waits for one answer to a handshake before it asks again.
pub const CLIENT_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(4);
/// How long a handshake may take in all, with its tries, redirects and pauses, before the page
/// gives it up and says so.
pub const CLIENT_HANDSHAKE_LIMIT: Duration = Duration::from_secs(14);

/// How long a session whose connection was lost keeps body and seat and can be claimed again,
/// from the loss.
pub const RESUME_GRACE: Duration = Duration::from_secs(120);
/// Silence of the server after which a page asks whether it is still there. Snapshots come
/// twenty times a second.
pub const CLIENT_SILENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a page that has asked waits for anything from the server before it counts the
/// connection as lost.
pub const CLIENT_PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Commands that a page keeps until they are answered; it takes no further one beyond.
pub const MAX_JOURNAL_COMMANDS: usize = 32;
/// Characters of something said.
pub const MAX_CHAT_CHARS: usize = 160;
/// Combining marks on one letter of what is said.
pub const MAX_STACKED_MARKS: usize = 3;
/// Tiles between a body and a flower that it can pick, along either axis.
pub const GATHER_REACH_TILES: u16 = 1;
/// How long a picked flower does not glow.
pub const FLOWER_REGROWS_AFTER: Duration = Duration::from_secs(30);

/// Tiles along either side of a zone map.
pub const MAX_MAP_SIDE: u16 = 256;
/// Tile layers of a zone map.
pub const MAX_MAP_LAYERS: usize = 8;
/// Spawns, exits or flowers of a zone map, each.
pub const MAX_MAP_OBJECTS: usize = 256;

/// Simulation steps a second, on the server and in the page's prediction.
pub const TICK_HZ: u32 = 20;
/// Duration of one simulation step.
pub const TICK: Duration = Duration::from_millis(1_000 / TICK_HZ as u64);
/// Snapshots that either side keeps as possible delta baselines.
pub const SNAPSHOT_BASELINES: usize = 32;
/// Inputs that the server queues for a player before it drops the oldest.
pub const MAX_QUEUED_INPUTS: usize = 8;
/// How far a player sees others, in tiles along either axis.
pub const VIEW_RADIUS_TILES: i32 = 24;
