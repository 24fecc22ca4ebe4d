//! The screens, one file each. They look at the state and start flows, no more.

pub mod characters;
pub mod create_character;
pub mod loading;
pub mod login;
pub mod pause;
pub mod realms;
pub mod recovery;
pub mod settings;
pub mod world;
