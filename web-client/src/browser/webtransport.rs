//! One WebTransport connection: dials, opens the control stream, carries bytes, reports
//! what happens. What any of it means is decided in
//! [`realtime::transport`](crate::realtime::transport).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Reflect, Uint8Array};
use shared::gameplay::RealtimeEndpoint;
use shared::limits::BYE_ECHO_TIMEOUT;
use shared::realtime::codec::{FrameDecoder, decode_datagram, encode_datagram, encode_frame};
use shared::realtime::message::{ClientMessage, InputPacket, ServerMessage};
use shared::realtime::snapshot::Snapshot;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    WebTransport, WebTransportBidirectionalStream, WebTransportHash, WebTransportOptions,
    WritableStream,
};

use super::streams::{Chunk, Reader, Writer};
use super::timer;
use crate::realtime::transport::{GOODBYE_TIMEOUT, TransportEvent};

/// Takes the events of a connection.
pub type Report = Rc<dyn Fn(TransportEvent)>;

/// A connection that is being dialled, is open, or has ended.
#[derive(Debug)]
pub struct Link {
    transport: WebTransport,
    control: RefCell<Option<Writer>>,
    datagrams: RefCell<Option<Writer>>,
    /// Nobody listens any more: end as soon as the server has answered the Bye.
    is_leaving: Cell<bool>,
}

impl Link {
    /// Starts to dial. Everything that follows is reported, a failure as well.
    #[must_use]
    pub fn dial(endpoint: &RealtimeEndpoint, report: Report) -> Option<Rc<Self>> {
        report(TransportEvent::DialStarted);
        let transport = match open(endpoint) {
            Ok(transport) => transport,
            Err(error) => {
                report(TransportEvent::ConnectionLost { reason: in_words(&error) });
                return None;
            }
        };
        let link = Rc::new(Self {
            transport,
            control: RefCell::default(),
            datagrams: RefCell::default(),
            is_leaving: Cell::new(false),
        });
        spawn_local(run(Rc::clone(&link), report));
        Some(link)
    }

    /// Writes a message on the control stream, where that is open.
    pub fn send(&self, message: &ClientMessage) {
        if let (Some(control), Ok(frame)) = (self.control.borrow().as_ref(), encode_frame(message))
        {
            control.write(&frame);
        }
    }

    /// Sends a datagram, unless earlier ones still wait.
    pub fn send_datagram(&self, packet: &InputPacket) {
        if let (Some(datagrams), Ok(bytes)) =
            (self.datagrams.borrow().as_ref(), encode_datagram(packet))
        {
            datagrams.write_if_free(&bytes);
        }
    }

    /// Closes the connection once what was written has gone out.
    pub fn close(self: &Rc<Self>) {
        let link = Rc::clone(self);
        let control = self.control.borrow_mut().take();
        spawn_local(async move {
            if let Some(control) = control {
                // A peer that takes nothing any more must not keep the connection.
                let deadline = Rc::clone(&link);
                spawn_local(async move {
                    timer::after(BYE_ECHO_TIMEOUT).await;
                    deadline.transport.close();
                });
                control.finish().await;
            }
            link.transport.close();
        });
    }

    /// Says Bye, waits for the server's, and closes.
    pub fn leave(self: &Rc<Self>) {
        self.is_leaving.set(true);
        if self.control.borrow().is_none() {
            return self.transport.close();
        }
        self.send(&ClientMessage::Bye);
        let link = Rc::clone(self);
        spawn_local(async move {
            timer::after(GOODBYE_TIMEOUT).await;
            link.transport.close();
        });
    }
}

fn open(endpoint: &RealtimeEndpoint) -> Result<WebTransport, JsValue> {
    let options = WebTransportOptions::new();
    let hashes = endpoint.cert_hashes.iter().filter_map(|hex| from_hex(hex)).map(|digest| {
        let hash = WebTransportHash::new();
        hash.set_algorithm("sha-256");
        hash.set_value_u8_array(&Uint8Array::from(digest.as_slice()));
        hash
    });
    let hashes: Vec<_> = hashes.collect();
    if !hashes.is_empty() {
        options.set_server_certificate_hashes(&hashes);
    }
    WebTransport::new_with_options(&endpoint.url, &options)
}

async fn run(link: Rc<Link>, report: Report) {
    let transport = &link.transport;
    if let Err(error) = JsFuture::from(transport.ready()).await {
        return report(TransportEvent::ConnectionLost { reason: in_words(&error) });
    }
    let stream = match JsFuture::from(transport.create_bidirectional_stream()).await {
        Ok(stream) => stream.unchecked_into::<WebTransportBidirectionalStream>(),
        Err(error) => {
            return report(TransportEvent::ConnectionLost { reason: in_words(&error) });
        }
    };
    let datagrams = transport.datagrams();
    let ends = (
        Writer::of(&stream.writable()),
        datagram_writer(&datagrams),
        Reader::of(&stream.readable()),
        Reader::of(&datagrams.readable()),
    );
    let (Some(control), Some(out), Some(frames), Some(snapshots)) = ends else {
        transport.close();
        let reason = "the browser gives no streams".to_owned();
        return report(TransportEvent::ConnectionLost { reason });
    };
    *link.control.borrow_mut() = Some(control);
    *link.datagrams.borrow_mut() = Some(out);
    report(TransportEvent::Opened);
    spawn_local(read_snapshots(snapshots, Rc::clone(&report)));
    spawn_local(watch_end(transport.clone(), Rc::clone(&report)));
    read_frames(&link, frames, report).await;
}

/// Newer browsers make writers on demand, older ones hold one ready.
fn datagram_writer(datagrams: &web_sys::WebTransportDatagramDuplexStream) -> Option<Writer> {
    let make = Reflect::get(datagrams, &"createWritable".into()).ok();
    let made = make
        .and_then(|make| make.dyn_into::<js_sys::Function>().ok())
        .and_then(|make| make.call0(datagrams).ok())
        .and_then(|stream| stream.dyn_into::<WritableStream>().ok());
    Writer::of(&made.unwrap_or_else(|| datagrams.writable()))
}

async fn read_frames(link: &Link, reader: Reader, report: Report) {
    let mut decoder = FrameDecoder::<ServerMessage>::default();
    loop {
        match reader.next().await {
            Chunk::Bytes(bytes) => decoder.push(&bytes),
            Chunk::End => return report(TransportEvent::StreamClosed),
            Chunk::Broken => {
                return report(TransportEvent::ConnectionLost { reason: String::new() });
            }
        }
        loop {
            match decoder.next_message() {
                Ok(Some(ServerMessage::Bye(_))) if link.is_leaving.get() => {
                    return link.transport.close();
                }
                Ok(Some(message)) => report(message.into()),
                Ok(None) => break,
                Err(_) => return report(TransportEvent::Unreadable),
            }
        }
    }
}

async fn read_snapshots(reader: Reader, report: Report) {
    while let Chunk::Bytes(bytes) = reader.next().await {
        // A datagram that cannot be read is as good as lost.
        if let Ok(snapshot) = decode_datagram::<Snapshot>(&bytes) {
            report(TransportEvent::Snapshot(snapshot));
        }
    }
}

async fn watch_end(transport: WebTransport, report: Report) {
    let reason = match JsFuture::from(transport.closed()).await {
        Ok(_) => String::new(),
        Err(error) => in_words(&error),
    };
    report(TransportEvent::ConnectionLost { reason });
}

fn in_words(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
    message.map(|text| text.trim_end_matches('.').to_owned()).unwrap_or_default()
}

/// 64 hex digits as 32 bytes.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(value(pair[0])? * 16 + value(pair[1])?).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn certificate_hashes_are_read_from_hex_or_passed_over() {
        let hex = "00ff".repeat(16);
        assert_eq!(from_hex(&hex).map(|bytes| bytes.len()), Some(32));
        assert_eq!(from_hex(&hex).and_then(|bytes| bytes.get(1).copied()), Some(255));
        assert_eq!(from_hex("00ff"), None);
        assert_eq!(from_hex(&"zz".repeat(32)), None);
    }
}
