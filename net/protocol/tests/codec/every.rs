//! The generated codec of a message chosen at run time, by module name.

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

macro_rules! by_module {
    ($($kind:ident $module:ident $Type:ident;)*) => {
        /// Decodes the body with the codec of `module` at version `from` and encodes it at version `to`.
        pub fn convert_as(module: &str, bytes: &[u8], from: i16, to: i16) -> Result<Vec<u8>, DecodeError> {
            match module {
                $(stringify!($module) => convert::<protocol::messages::$module::$Type>(bytes, from, to),)*
                other => panic!("no module {other}"),
            }
        }
    };
}

protocol::every_message!(by_module);
