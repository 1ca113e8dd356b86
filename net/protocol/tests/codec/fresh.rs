//! The committed output of the generator is what the generator writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn generated_code_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("src/generated");
    let files = crate::generator::generate(root);
    for (name, text) in &files {
        let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == *text, "{name} is stale: cargo run -p ringlog-protocol --example generate");
    }
    let wanted: BTreeSet<PathBuf> = files.keys().map(|name| folder.join(name)).collect();
    assert_eq!(files_below(&folder), wanted);
}

fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            found.append(&mut files_below(&path));
        } else {
            found.insert(path);
        }
    }
    found
}
