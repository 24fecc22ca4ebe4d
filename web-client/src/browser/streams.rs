//! Byte streams of the browser, one owner each.
//!
//! A JavaScript `read()` cannot be taken back, so every readable stream belongs to one
//! task that reads it to its end.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    ReadableStream, ReadableStreamDefaultReader, WritableStream, WritableStreamDefaultWriter,
};

/// What a stream gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// The other side has closed it.
    End,
    /// It broke.
    Broken,
}

/// The reading end of a stream.
#[derive(Clone, Debug)]
pub struct Reader(ReadableStreamDefaultReader);

impl Reader {
    /// Takes the stream. `None` where somebody else has it.
    #[must_use]
    pub fn of(stream: &ReadableStream) -> Option<Self> {
        ReadableStreamDefaultReader::new(stream).ok().map(Self)
    }

    /// Waits for the next bytes.
    pub async fn next(&self) -> Chunk {
        let Ok(result) = JsFuture::from(self.0.read()).await else { return Chunk::Broken };
        let field = |name: &str| Reflect::get(&result, &JsValue::from_str(name));
        if field("done").is_ok_and(|done| done.is_truthy()) {
            return Chunk::End;
        }
        match field("value").map(JsCast::dyn_into::<Uint8Array>) {
            Ok(Ok(bytes)) => Chunk::Bytes(bytes.to_vec()),
            _ => Chunk::Broken,
        }
    }
}

/// The writing end of a stream.
#[derive(Clone, Debug)]
pub struct Writer(WritableStreamDefaultWriter);

impl Writer {
    /// Takes the stream. `None` where somebody else has it.
    #[must_use]
    pub fn of(stream: &WritableStream) -> Option<Self> {
        stream.get_writer().ok().map(Self)
    }

    /// Queues bytes. A stream that is broken says so to its reader.
    pub fn write(&self, bytes: &[u8]) {
        let written = self.0.write_with_chunk(&Uint8Array::from(bytes));
        spawn_local(async move {
            let _ = JsFuture::from(written).await;
        });
    }

    /// Queues bytes unless earlier ones still wait: what is late is of no use.
    pub fn write_if_free(&self, bytes: &[u8]) {
        let is_free = self.0.desired_size().is_ok_and(|room| room.is_some_and(|room| room > 0.0));
        if is_free {
            self.write(bytes);
        }
    }

    /// Closes the stream and waits until what was queued has gone out.
    pub async fn finish(&self) {
        let _ = JsFuture::from(self.0.close()).await;
    }
}
