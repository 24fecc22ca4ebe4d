//! Bytes of the realtime session: frames with a length prefix, and datagrams.
//!
//! A frame is a big-endian `u32` length and that many bytes of postcard. A length over
//! [`MAX_FRAME_BYTES`], bytes that do not parse, and bytes left over are errors; after
//! one the stream is of no further use.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::limits::{MAX_DATAGRAM_BYTES, MAX_FRAME_BYTES};

const PREFIX_BYTES: usize = 4;

/// Why bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// A frame or datagram is longer than its limit.
    #[error("{bytes} bytes; at most {limit}")]
    TooLarge {
        /// Its length, or what its prefix claims.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The bytes are not the expected message.
    #[error("malformed message")]
    Malformed,
}

/// One message as a frame with its length prefix.
///
/// # Errors
/// [`CodecError::TooLarge`] for a message over [`MAX_FRAME_BYTES`].
pub fn encode_frame<T: Serialize>(message: &T) -> Result<Vec<u8>, CodecError> {
    let body = encode(message, MAX_FRAME_BYTES)?;
    let length = u32::try_from(body.len()).map_err(|_| CodecError::Malformed)?;
    let mut frame = Vec::with_capacity(PREFIX_BYTES + body.len());
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// One message as a datagram.
///
/// # Errors
/// [`CodecError::TooLarge`] for a message over [`MAX_DATAGRAM_BYTES`].
pub fn encode_datagram<T: Serialize>(message: &T) -> Result<Vec<u8>, CodecError> {
    encode(message, MAX_DATAGRAM_BYTES)
}

/// The message in a datagram.
///
/// # Errors
/// A datagram that is too large, malformed, or has bytes left over.
pub fn decode_datagram<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    if bytes.len() > MAX_DATAGRAM_BYTES {
        return Err(CodecError::TooLarge { bytes: bytes.len(), limit: MAX_DATAGRAM_BYTES });
    }
    decode_whole(bytes)
}

fn encode<T: Serialize>(message: &T, limit: usize) -> Result<Vec<u8>, CodecError> {
    let bytes = postcard::to_stdvec(message).map_err(|_| CodecError::Malformed)?;
    if bytes.len() > limit {
        return Err(CodecError::TooLarge { bytes: bytes.len(), limit });
    }
    Ok(bytes)
}

fn decode_whole<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok(_) | Err(_) => Err(CodecError::Malformed),
    }
}

/// Cuts the bytes of a stream into messages, however the bytes arrive.
#[derive(Debug)]
pub struct FrameDecoder<T> {
    buffer: Vec<u8>,
    message: PhantomData<fn() -> T>,
}

impl<T> Default for FrameDecoder<T> {
    fn default() -> Self {
        Self { buffer: Vec::new(), message: PhantomData }
    }
}

impl<T: DeserializeOwned> FrameDecoder<T> {
    /// Takes further bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message, or `None` until more bytes have come.
    ///
    /// # Errors
    /// A frame that is too large (known from its prefix alone) or malformed.
    pub fn next_message(&mut self) -> Result<Option<T>, CodecError> {
        let Some(prefix) = self.buffer.first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX);
        if length > MAX_FRAME_BYTES {
            return Err(CodecError::TooLarge { bytes: length, limit: MAX_FRAME_BYTES });
        }
        let end = PREFIX_BYTES + length;
        let Some(body) = self.buffer.get(PREFIX_BYTES..end) else { return Ok(None) };
        let message = decode_whole(body)?;
        self.buffer.drain(..end);
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::message::{Bye, ByeCode, ClientMessage, InputPacket, ServerMessage};
    use super::super::snapshot::Snapshot;
    use super::*;

    fn messages() -> Vec<ServerMessage> {
        vec![
            ServerMessage::Bye(Bye::of(ByeCode::ShuttingDown)),
            ServerMessage::Gone(super::super::message::EntityId(70_000)),
        ]
    }

    proptest! {
        #[test]
        fn frames_survive_any_cutting_of_the_stream(cut in 1usize..40) {
            let bytes: Vec<u8> =
                messages().iter().flat_map(|m| encode_frame(m).unwrap()).collect();
            let mut decoder = FrameDecoder::<ServerMessage>::default();
            let mut seen = Vec::new();
            for piece in bytes.chunks(cut) {
                decoder.push(piece);
                while let Some(message) = decoder.next_message().unwrap() {
                    seen.push(message);
                }
            }
            prop_assert_eq!(seen, messages());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
            let _ = decode_datagram::<InputPacket>(&bytes);
            let _ = decode_datagram::<Snapshot>(&bytes);
            let mut decoder = FrameDecoder::<ClientMessage>::default();
            decoder.push(&bytes);
            while let Ok(Some(_)) = decoder.next_message() {}
        }
    }

    #[test]
    fn an_oversized_frame_is_refused_by_its_prefix_alone() {
        let mut decoder = FrameDecoder::<ClientMessage>::default();
        decoder.push(&u32::MAX.to_be_bytes());
        assert!(matches!(decoder.next_message(), Err(CodecError::TooLarge { .. })));
    }

    #[test]
    fn bytes_left_over_in_a_frame_are_malformed() {
        let mut frame = encode_frame(&ClientMessage::Bye).unwrap();
        frame.push(0);
        frame[3] += 1;
        let mut decoder = FrameDecoder::<ClientMessage>::default();
        decoder.push(&frame);
        assert_eq!(decoder.next_message(), Err(CodecError::Malformed));
    }

    #[test]
    fn bye_and_hello_keep_their_place_on_the_wire() {
        assert_eq!(encode_frame(&ClientMessage::Bye).unwrap(), [0, 0, 0, 1, 1]);
        let bye = ServerMessage::Bye(Bye { code: ByeCode::ProtocolVersion, detail: "x".into() });
        assert_eq!(encode_frame(&bye).unwrap(), [0, 0, 0, 4, 1, 1, 1, b'x']);
    }
}
