//! Frames from an enemy: whatever the bytes, decoding ends with a message or an error, and takes no more memory than the
//! frame's size justifies. An allocator that counts proves the second half.
//!
//! `RINGLOG_FUZZ_FRAMES=100000000 cargo test --release -p ringlog-protocol --test hostile` runs for longer;
//! `RINGLOG_FUZZ_SEED` chooses other frames.

#[path = "codec/arbitrary.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod arbitrary;
#[path = "codec/every.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod every;
#[path = "../generator/mod.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod generator;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::LazyLock;

use arbitrary::{Random, body, wide_body};
use every::{CODECS, Codec, decode_whole};
use generator::schema::Message as Schema;
use protocol::messages::fetch_request::FetchRequest;
use protocol::messages::fetch_response::FetchResponse;
use protocol::messages::metadata_request::MetadataRequest;
use protocol::messages::metadata_response::MetadataResponse;
use protocol::messages::produce_request::ProduceRequest;
use protocol::{DecodeError, Decoder, FetchView, Message, ProduceView, RequestHeader};

/// What the decoder promises for a frame of `len` bytes, and half of it for the moment in which a list moves to grow.
fn allowed(len: usize) -> usize {
    (64 * 1024 + 64 * len).min(64 * 1024 * 1024) * 3 / 2
}

#[test]
fn a_million_random_and_mutated_frames_do_no_harm() {
    let frames = number_from_env("RINGLOG_FUZZ_FRAMES", 1_000_000);
    let mut random = Random(number_from_env("RINGLOG_FUZZ_SEED", 1));
    let corpus = corpus();
    let mut accepted = 0u64;
    for _ in 0..frames {
        let (codec, version, valid) = &corpus[random.below(corpus.len())];
        let frame = if random.chance(4) { noise(&mut random) } else { mutated(valid, &mut random) };
        accepted += u64::from(attack(codec, *version, &frame));
    }
    // Frames that are all refused at the first byte would prove nothing.
    assert!(accepted > frames / 50, "only {accepted} of {frames} frames were accepted");
}

#[test]
fn frames_of_one_byte_repeated_do_no_harm() {
    for (codec, schema) in CODECS.iter().zip(schemas()) {
        for version in schema.versions.low..=schema.versions.high {
            for byte in [0, 1, 2, 3, 0x7f, 0x80, 0xff] {
                attack(codec, version, &vec![byte; 2048]);
            }
        }
    }
}

/// The bound must not refuse an honest frame: the smallest elements are where memory outgrows the bytes the most.
#[test]
fn honest_frames_with_many_small_elements_are_accepted() {
    for (codec, schema) in CODECS.iter().zip(schemas()) {
        for version in schema.versions.low..=schema.versions.high {
            let bytes = wide_body(schema, version, 3000);
            let decoded = (codec.decode)(&bytes, version);
            assert_eq!(decoded, Ok(()), "{} v{version}, {} bytes", codec.module, bytes.len());
        }
    }
}

#[test]
fn fourteen_bytes_cannot_claim_two_billion_elements() {
    check::<FetchResponse<'_>>(4, b"\0\0\0\0\x7f\xff\xff\xff\0\0\0\0\0\0");
    check::<MetadataRequest<'_>>(1, b"\x7f\xff\xff\xff\0\0\0\0\0\0\0\0\0\0");
    check::<MetadataRequest<'_>>(9, b"\xff\xff\xff\xff\x0f\0\0\0\0\0\0\0\0\0");
}

#[test]
fn a_section_cannot_claim_two_billion_tags() {
    check::<MetadataRequest<'_>>(12, b"\x01\0\0\xff\xff\xff\xff\x0f\0\0");
    check::<MetadataRequest<'_>>(12, b"\x01\0\0\x80\x80\x80\x80\x08\0\0");
}

#[test]
fn a_tag_cannot_claim_more_than_the_frame() {
    check::<MetadataRequest<'_>>(12, b"\x01\0\0\x01\x05\xff\xff\xff\xff\x0f\0\0");
}

#[test]
fn a_known_tag_must_fill_its_size() {
    // Fetch v12, tag 0 cluster id "a": its size says 3, its content takes 2.
    let head = b"\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x01\x01";
    let long = [&head[..], b"\x01\0\x03\x02a\0"].concat();
    let exact = [&head[..], b"\x01\0\x02\x02a"].concat();
    assert!(matches!(decode_whole::<FetchRequest<'_>>(&long, 12), Err(DecodeError::BadTagSize { .. })));
    assert_eq!(decode_whole::<FetchRequest<'_>>(&exact, 12).map(|fetch| fetch.cluster_id), Ok(Some("a")));
}

#[test]
fn a_string_cannot_be_longer_than_the_frame() {
    check::<MetadataRequest<'_>>(1, b"\0\0\0\x01\x7f\xffabc");
    check::<MetadataRequest<'_>>(9, b"\x02\xff\xff\xff\xff\x0fabc");
}

#[test]
fn records_cannot_be_longer_than_the_frame() {
    check::<ProduceRequest<'_>>(
        3,
        b"\xff\xff\0\x01\0\0\0\0\0\0\0\x01\0\x01a\0\0\0\x01\0\0\0\0\x7f\xff\xff\xff",
    );
}

#[test]
fn negative_lengths_are_refused() {
    check::<MetadataRequest<'_>>(1, b"\xff\xff\xff\xfe");
    check::<MetadataRequest<'_>>(1, b"\0\0\0\x01\xff\xfeabc");
    check::<MetadataRequest<'_>>(1, b"\x80\0\0\0");
}

#[test]
fn an_endless_varint_is_refused() {
    check::<MetadataRequest<'_>>(9, &[0xff; 64]);
    check::<MetadataRequest<'_>>(9, b"\x80\x80\x80\x80\x80\x80\0");
}

/// Lists in lists, each of which claims more than is there: every level takes what it read, no level what it was told.
#[test]
fn nested_lists_take_no_more_than_they_read() {
    // Metadata v3: throttle, no brokers, no cluster id, controller; then topics of 4096 partitions of 4096 replicas.
    let head = b"\0\0\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\x10\0";
    let topic = b"\0\0\0\0\0\0\0\x10\0";
    let partition = b"\0\0\0\0\0\0\0\0\0\0\0\0\x10\0";
    let frame = [&head[..], topic, &partition.repeat(2000)].concat();
    let (decoded, peak) = measured(|| decode_whole::<MetadataResponse<'_>>(&frame, 3));
    assert!(matches!(decoded, Err(DecodeError::Truncated { .. })));
    assert!(peak <= 2 * frame.len(), "{peak} bytes for a frame of {}", frame.len());
}

/// Refused, and without taking memory for what is only claimed.
fn check<'a, M: Message<'a>>(version: i16, frame: &'a [u8]) {
    let (refused, peak) = measured(|| decode_whole::<M>(frame, version).is_err());
    assert!(refused, "{} v{version} accepted {frame:?}", M::NAME);
    assert!(peak <= 4096, "{} v{version} took {peak} bytes for {frame:?}", M::NAME);
}

/// Runs the codec and the hand-written readers on the frame; true if the codec accepted it.
fn attack(codec: &Codec, version: i16, frame: &[u8]) -> bool {
    let accepted = attack_with(frame, || (codec.decode)(frame, version).is_ok());
    let by_hand: fn(&[u8], i16) -> bool = match codec.module {
        "produce_request" => walk_produce,
        "fetch_request" => walk_fetch,
        "request_header" => |frame, _| RequestHeader::decode(&mut Decoder::new(frame)).is_ok(),
        _ => |_, _| false,
    };
    attack_with(frame, || by_hand(frame, version));
    if accepted {
        // What was read can be written.
        (codec.convert)(frame, version, version).expect("it was accepted before");
    }
    accepted
}

fn attack_with(frame: &[u8], decode: impl FnOnce() -> bool) -> bool {
    let (accepted, peak) = measured(decode);
    assert!(peak <= allowed(frame.len()), "{peak} bytes for a frame of {}: {frame:?}", frame.len());
    accepted
}

/// A view that was accepted yields as many partitions as it counted.
fn walk_produce(frame: &[u8], version: i16) -> bool {
    let Ok(view) = ProduceView::decode(&mut Decoder::new(frame), version) else { return false };
    let walked: usize = view.topics().map(|topic| topic.partitions().count()).sum();
    assert_eq!(walked, view.partition_count());
    true
}

fn walk_fetch(frame: &[u8], version: i16) -> bool {
    let Ok(view) = FetchView::decode(&mut Decoder::new(frame), version) else { return false };
    let walked: usize = view.topics().map(|topic| topic.partitions().count()).sum();
    assert_eq!(walked, view.partition_count());
    view.forgotten_topics().for_each(|topic| topic.partitions().for_each(drop));
    true
}

fn noise(random: &mut Random) -> Vec<u8> {
    let len = random.below(64);
    (0..len).map(|_| if random.chance(2) { random.below(4) as u8 } else { random.next() as u8 }).collect()
}

/// A valid frame with a few faults of the kinds that hurt codecs.
fn mutated(valid: &[u8], random: &mut Random) -> Vec<u8> {
    const HURTFUL: [&[u8]; 8] = [
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff",
        b"\x80\0\0\0",
        b"\xff\xff\xff\xff\x0f",
        b"\x7f\xff",
        b"\xff\xfe",
        b"\0",
        b"\x01",
    ];
    let mut frame = valid.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(frame.len() + 1);
        match random.below(5) {
            0 => frame.truncate(at),
            1 => frame.insert(at, random.next() as u8),
            2 => {
                let hurtful = HURTFUL[random.below(HURTFUL.len())];
                let end = (at + hurtful.len()).min(frame.len());
                frame.splice(at..end, hurtful.iter().copied());
            }
            _ if at < frame.len() => frame[at] ^= 1 << random.below(8),
            _ => frame.push(random.next() as u8),
        }
    }
    frame
}

/// Valid bodies of every message and version.
fn corpus() -> Vec<(&'static Codec, i16, Vec<u8>)> {
    let mut corpus = Vec::new();
    for (codec, schema) in CODECS.iter().zip(schemas()) {
        assert_eq!(codec.module, schema.module());
        for version in schema.versions.low..=schema.versions.high {
            corpus.extend((0..3).map(|seed| (codec, version, body(schema, version, &mut Random(seed)))));
        }
    }
    corpus
}

static SCHEMAS: LazyLock<Vec<Schema>> =
    LazyLock::new(|| generator::read_schemas(Path::new(env!("CARGO_MANIFEST_DIR"))));

fn schemas() -> &'static [Schema] {
    &SCHEMAS
}

fn number_from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Counts the bytes that this thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

/// The result, and the most bytes that were held at once meanwhile.
fn measured<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = run();
    (result, usize::try_from(PEAK.get() - before).expect("the peak is not below the start"))
}

// SAFETY: every call goes to the system's allocator unchanged; the counters are plain cells without destructors.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
