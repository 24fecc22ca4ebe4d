//! The server's binary as an operator has it: one line that says why it does not start,
//! and a stop that loses nothing.

mod commands;
mod draining;
mod refusals;
