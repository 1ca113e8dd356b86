//! The hash by which Java's clients choose a record's partition, so that a key has one partition whoever wrote it.

/// The partition of `key` among `count`.
pub fn partition_of(key: &[u8], count: i32) -> i32 {
    assert!(count > 0);
    (murmur2(key) & 0x7fff_ffff) as i32 % count
}

/// MurmurHash2 of Austin Appleby's, 32 bits, with the seed that Kafka gives it.
fn murmur2(bytes: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    const R: u32 = 24;
    let mut hash = SEED ^ bytes.len() as u32;
    let (words, rest) = bytes.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k = (k ^ k >> R).wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ k;
    }
    if !rest.is_empty() {
        for (index, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * index);
        }
        hash = hash.wrapping_mul(M);
    }
    hash = (hash ^ hash >> 13).wrapping_mul(M);
    hash ^ hash >> 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_javas_clients() {
        // From the tests that Kafka's own clients have of it.
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()) as i32, hash, "{key}");
        }
    }

    #[test]
    fn every_key_has_a_partition() {
        for key in ["", "a", "foobar", "größe"] {
            assert!((0..3).contains(&partition_of(key.as_bytes(), 3)));
            assert_eq!(partition_of(key.as_bytes(), 1), 0);
        }
    }
}
