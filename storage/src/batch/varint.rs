//! Zig-zag variable-length integers, as records use them. A value that does not fit is refused, as in Java.

/// Takes a 32-bit integer off the front of `bytes`.
#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> Option<i32> {
    // Nearly every length and delta fits one byte.
    if let Some((&first, rest)) = bytes.split_first()
        && first < 0x80
    {
        *bytes = rest;
        return Some(unzigzag32(u32::from(first)));
    }
    let value = take_unsigned(bytes, 5)?;
    Some(unzigzag32(value as u32))
}

/// Takes a 64-bit integer off the front of `bytes`.
#[inline]
pub fn take_varlong(bytes: &mut &[u8]) -> Option<i64> {
    if let Some((&first, rest)) = bytes.split_first()
        && first < 0x80
    {
        *bytes = rest;
        return Some(unzigzag64(u64::from(first)));
    }
    let value = take_unsigned(bytes, 10)?;
    Some(unzigzag64(value))
}

/// Appends a 32-bit integer.
pub fn put_varint(into: &mut Vec<u8>, value: i32) {
    put_unsigned(into, u64::from(((value << 1) ^ (value >> 31)) as u32));
}

/// Appends a 64-bit integer.
pub fn put_varlong(into: &mut Vec<u8>, value: i64) {
    put_unsigned(into, ((value << 1) ^ (value >> 63)) as u64);
}

fn take_unsigned(bytes: &mut &[u8], len_max: usize) -> Option<u64> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().take(len_max).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * index as u32)?;
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(value);
        }
    }
    None
}

fn put_unsigned(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn unzigzag32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

fn unzigzag64(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_read_back_as_written() {
        for value in [0, -1, 1, 63, 64, -64, -65, 8191, i32::MAX, i32::MIN] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            assert_eq!(take_varint(&mut &bytes[..]), Some(value));
            bytes.clear();
            let long = i64::from(value) << 31;
            put_varlong(&mut bytes, long);
            let mut rest = &bytes[..];
            assert_eq!(take_varlong(&mut rest), Some(long));
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn cut_and_overlong_integers_are_refused() {
        assert_eq!(take_varint(&mut &[][..]), None);
        assert_eq!(take_varint(&mut &[0x80, 0x80][..]), None);
        assert_eq!(take_varint(&mut &[0x80; 6][..]), None);
        assert_eq!(take_varlong(&mut &[0xff; 11][..]), None);
        assert_eq!(take_varlong(&mut &[0xff; 3][..]), None);
    }
}
