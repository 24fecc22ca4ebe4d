//! What happens in the world and passes: things said, feelings shown, wishes refused. None
//! of it is state of the connection; the page shows it for a while and forgets it.

use shared::realtime::command::{ChatText, Command, CommandRefused, Emote};
use shared::realtime::message::EntityId;

/// Something for the page to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Somebody in view, or the player, says something.
    Said {
        /// Whose body.
        entity: EntityId,
        /// Their name, where the server has told it.
        name: String,
        /// What.
        text: ChatText,
        /// Whether it is the player.
        own: bool,
    },
    /// Somebody in view, or the player, shows a feeling.
    Emoted {
        /// Whose body.
        entity: EntityId,
        /// Which feeling.
        emote: Emote,
    },
    /// The player has picked a flower, and that is saved.
    Gathered {
        /// Flowers gathered, this one among them.
        total: u32,
    },
    /// The server did not do what the player wanted.
    Refused {
        /// What was wanted.
        command: Command,
        /// Why not.
        reason: CommandRefused,
    },
    /// What the player wanted was not sent, or got lost with the connection.
    NotDone {
        /// What was wanted.
        command: Command,
        /// For the player: why.
        reason: NotDone,
    },
}

/// Why a wish did not reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// There is no world, or it is being left.
    #[error("you are not in the world")]
    NotInWorld,
    /// The connection is away, and the wish means now.
    #[error("the connection is away: try again once it is back")]
    NoConnection,
    /// Too many wishes wait for their answers.
    #[error("the server does not keep up: wait a moment")]
    TooMany,
    /// The connection was lost before the answer came, and the wish meant then.
    #[error("the connection was lost before it was done")]
    Lost,
}
