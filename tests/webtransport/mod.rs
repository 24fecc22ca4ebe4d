//! What only a real WebTransport connection shows: who is let in, what silence costs, and
//! what players see of each other.

mod deeds;
mod doors;
mod walking;
