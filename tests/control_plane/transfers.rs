//! Markers of activated transfers as target and source ask for them.

use edge_server::stores::EpochWrite;
use shared::coordination::TransferActivated;

use super::rig::{Rig, activated, past};
use crate::contract::samples::token;

async fn a_confirmed_transfer_is_told_and_a_lower_epoch_changes_nothing(rig: Rig) {
    let control_plane = &rig.control_plane;
    assert_eq!(control_plane.transfer_status(&token(1)).await.unwrap(), None);
    let marker = activated(4);
    for (record, written) in [
        (&marker, EpochWrite::Written),
        (&activated(3), EpochWrite::Superseded),
        (&marker, EpochWrite::Written),
    ] {
        assert_eq!(control_plane.confirm_transfer(record).await.unwrap(), written);
        let told = control_plane.transfer_status(&token(1)).await.unwrap();
        assert_eq!(told.as_ref(), Some(&marker));
    }
    assert_eq!(control_plane.transfer_status(&token(2)).await.unwrap(), None);
}

async fn a_marker_ends_by_the_clock_of_the_control_plane(rig: Rig) {
    let over = TransferActivated { expires_at: past(), ..activated(4) };
    rig.control_plane.confirm_transfer(&over).await.unwrap();
    assert_eq!(rig.control_plane.transfer_status(&token(1)).await.unwrap(), None);
    let written = rig.control_plane.confirm_transfer(&activated(3)).await.unwrap();
    assert_eq!(written, EpochWrite::Written, "what is over stands in nobody's way");
}

over_every_way!(
    a_confirmed_transfer_is_told_and_a_lower_epoch_changes_nothing,
    a_marker_ends_by_the_clock_of_the_control_plane,
);
