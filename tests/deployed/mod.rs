//! The backend as it is deployed: its roles as processes of their own, on Postgres and Redis,
//! and what becomes of players when one of them goes away.

mod back_in;
mod crashes;
mod entering;
mod joining;
mod kill_rows;
mod kills;
mod outages;
mod reconcile;
mod resuming;
mod takeovers;
