//! Writes `src/generated/` from `schema/`: `cargo run -p ringlog-protocol --example generate`.

#[path = "../generator/mod.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod generator;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("src/generated");
    let files = generator::generate(root);
    // A fresh folder, so that a message that left the schemas leaves the tree too.
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    std::fs::create_dir_all(target.join("messages"))?;
    for (name, text) in &files {
        std::fs::write(target.join(name), text)?;
    }
    println!("{} files", files.len());
    Ok(())
}
