//! What is lent of files, and for how long they stay mapped.

use std::path::PathBuf;

use super::*;

const LEN: usize = 64 << 10;

/// A directory of a test's own, removed with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("ringlog-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn file(&self, files: &mut Files, number: usize) -> FileId {
        let file = files.open(&self.0.join(number.to_string()), OpenMode::Create).unwrap();
        files.write_at(file, 0, &[number as u8; LEN]).unwrap();
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn is_mapped(files: &Files, file: FileId) -> bool {
    files.open[file.0 as usize].mapping.is_some()
}

fn read(files: &mut Files, file: FileId) -> Buf {
    match files.read(file, 0, LEN, &Pool::new(0)) {
        ReadStart::Done(Ok(bytes)) => bytes,
        _ => panic!("what was just written is cached"),
    }
}

#[test]
fn a_mapping_that_lends_nothing_goes_and_what_it_lent_stays() {
    let (scratch, mut files) = (Scratch::new("lent"), Files::default());
    let at = |seconds| Nanos(0) + Duration::from_secs(seconds);
    let file = scratch.file(&mut files, 7);
    assert_eq!(files.tidy(at(0), Wait::Forever), Wait::Forever);
    let lent = read(&mut files, file);
    assert!(is_mapped(&files, file));
    assert_eq!(files.tidy(at(0), Wait::Forever), Wait::Until(at(10)));
    assert_eq!(files.tidy(at(9), Wait::Until(at(12))), Wait::Until(at(10)));
    assert_eq!(files.tidy(at(10), Wait::Forever), Wait::Until(at(20)), "it has lent since");
    assert_eq!(files.tidy(at(20), Wait::Forever), Wait::Forever);
    assert!(!is_mapped(&files, file));
    assert_eq!(*lent, [7; LEN]);
}

#[test]
fn a_read_that_could_not_be_lent_keeps_no_mapping() {
    let (scratch, mut files) = (Scratch::new("unlent"), Files::default());
    let at = |seconds| Nanos(0) + Duration::from_secs(seconds);
    let file = scratch.file(&mut files, 7);
    read(&mut files, file);
    assert_eq!(files.tidy(at(0), Wait::Forever), Wait::Until(at(10)));
    assert_eq!(files.tidy(at(10), Wait::Forever), Wait::Until(at(20)));
    let beyond = files.read(file, 0, LEN + 1, &Pool::new(0));
    assert!(matches!(beyond, ReadStart::Later { len: 1, .. }), "the file ends before");
    assert_eq!(files.tidy(at(20), Wait::Forever), Wait::Forever);
    assert!(!is_mapped(&files, file));
}

#[test]
fn few_files_are_mapped_however_many_are_read() {
    let (scratch, mut files) = (Scratch::new("mapped"), Files::default());
    let all: Vec<FileId> =
        (0..MAPPED_FILES_MAX + 20).map(|number| scratch.file(&mut files, number)).collect();
    for (number, &file) in all.iter().enumerate() {
        assert_eq!(*read(&mut files, file), [number as u8; LEN]);
    }
    assert_eq!(all.iter().filter(|&&file| is_mapped(&files, file)).count(), MAPPED_FILES_MAX);
    assert_eq!(files.mapped.len(), MAPPED_FILES_MAX);
    all.iter().for_each(|&file| files.close(file));
    assert!(files.mapped.is_empty());
}

#[test]
fn a_machine_may_lend_from_another_length_on_and_write_another_way() {
    let scratch = Scratch::new("choices");
    let host = HostChoices::of(Kind::Ring);
    for (lent_bytes_min, is_lent) in [(LEN, true), (LEN + 1, false)] {
        let mut files = Files::new(&HostChoices { lent_bytes_min, ..host });
        let file = scratch.file(&mut files, 1);
        read(&mut files, file);
        assert_eq!(is_mapped(&files, file), is_lent, "{lent_bytes_min}");
    }
    for (writes, is_inline) in [(Writes::Inline, true), (Writes::Ring, false)] {
        let mut files = Files::new(&HostChoices { writes, ..host });
        let file = scratch.file(&mut files, 1);
        let start = files.write(file, 0, vec![Buf::from(vec![2; 10])]);
        assert_eq!(matches!(start, Start::Done(Ok(()))), is_inline, "{writes:?}");
    }
}
