//! The generated codec of a message chosen at run time.

use protocol::{DecodeError, Decoder, Encoder, Message};

/// Decodes a body that fills `bytes`.
pub fn decode_whole<'a, M: Message<'a>>(bytes: &'a [u8], version: i16) -> Result<M, DecodeError> {
    let mut d = Decoder::new(bytes);
    let message = M::decode(&mut d, version)?;
    d.finish().map(|()| message)
}

/// The bytes of a body.
pub fn encode<'a>(message: &impl Message<'a>, version: i16) -> Vec<u8> {
    let mut e = Encoder::new();
    message.encode(&mut e, version);
    e.into_vec()
}

/// Decodes at one version and encodes at another.
fn convert<'a, M: Message<'a>>(bytes: &'a [u8], from: i16, to: i16) -> Result<Vec<u8>, DecodeError> {
    Ok(encode(&decode_whole::<M>(bytes, from)?, to))
}

/// Decodes at the first version, encodes at the second.
type Convert = fn(&[u8], i16, i16) -> Result<Vec<u8>, DecodeError>;

/// The codec of one message.
pub struct Codec {
    pub module: &'static str,
    pub convert: Convert,
    /// Decodes and drops.
    pub decode: fn(&[u8], i16) -> Result<(), DecodeError>,
}

macro_rules! codecs {
    ($($kind:ident $module:ident $Type:ident;)*) => {
        /// Every codec, in the order of the schemas.
        pub const CODECS: &[Codec] = &[$(Codec {
            module: stringify!($module),
            convert: |bytes, from, to| convert::<protocol::messages::$module::$Type>(bytes, from, to),
            decode: |bytes, version| decode_whole::<protocol::messages::$module::$Type>(bytes, version).map(drop),
        }),*];
    };
}

protocol::every_message!(codecs);

/// Decodes the body with the codec of `module` at version `from` and encodes it at version `to`.
pub fn convert_as(module: &str, bytes: &[u8], from: i16, to: i16) -> Result<Vec<u8>, DecodeError> {
    let codec = CODECS.iter().find(|codec| codec.module == module);
    (codec.unwrap_or_else(|| panic!("no module {module}")).convert)(bytes, from, to)
}
