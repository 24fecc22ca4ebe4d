//! The measurements: how the page does, in numbers and as lines of the last minute.

use leptos::prelude::*;

use crate::presentation::telemetry::{Sample, round_trip_text};
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

/// The lines' box, in units of their drawing.
const BOX: (f64, f64) = (120.0, 24.0);
/// Milliseconds of a frame at the top of its line.
const SLOWEST_FRAME_MS: f64 = 50.0;
/// Snapshots a second at the top of their line.
const MOST_SNAPSHOTS: f64 = 25.0;

/// The measurements, while they are shown.
#[component]
pub fn TelemetryOverlay() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    view! {
        <Show when=move || ui.shows_telemetry.get()>
            <Measurements />
        </Show>
    }
}

#[component]
fn Measurements() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let facts = connection.facts();
    let ui = expect_context::<MultiplayerUiState>();
    let latest = move || ui.telemetry.with(|telemetry| telemetry.latest()).unwrap_or_default();
    let line = move |full: f64, value: fn(&Sample) -> f64| {
        ui.telemetry.with(|telemetry| telemetry.sparkline(BOX.0, BOX.1, full, value))
    };
    let round_trip = move || {
        // Pings come every few seconds; a new sample is often enough to look.
        ui.telemetry.track();
        let took = connection.peek(|state| {
            state.realtime.as_ref().and_then(|handle| handle.transport.round_trip_ms())
        });
        round_trip_text(took)
    };
    let view_box = format!("0 0 {} {}", BOX.0, BOX.1);
    view! {
        <aside class="plaque telemetry" data-testid="telemetry" aria-label="Measurements">
            <dl>
                <dt>"Frame"</dt>
                <dd>
                    {move || {
                        let sample = latest();
                        format!("{:.1} ms, at most {:.0}", sample.frame_ms, sample.worst_frame_ms)
                    }}
                </dd>
            </dl>
            <svg class="spark" viewBox=view_box.clone() preserveAspectRatio="none" aria-hidden="true">
                <polyline points=move || line(SLOWEST_FRAME_MS, |sample| sample.worst_frame_ms) />
            </svg>
            <dl>
                <dt>"Snapshots"</dt>
                <dd>{move || format!("{:.0} a second", latest().snapshots_per_second)}</dd>
            </dl>
            <svg class="spark second" viewBox=view_box preserveAspectRatio="none" aria-hidden="true">
                <polyline points=move || line(MOST_SNAPSHOTS, |sample| sample.snapshots_per_second) />
            </svg>
            <dl>
                <dt>"Round trip"</dt>
                <dd>{round_trip}</dd>
                <dt>"Players"</dt>
                <dd>{move || facts.with(|facts| facts.players.to_string())}</dd>
                <dt>"Transport"</dt>
                <dd>{move || facts.with(|facts| facts.transport_text())}</dd>
            </dl>
        </aside>
    }
}
