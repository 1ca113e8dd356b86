//! How a machine ends, and what is left on its disk: at a moment between two turns, or in the middle of one.
//!
//! What a core does to its disk within a turn happens at once, so a crash between turns never finds a change half done.
//! [`World::doom`] makes the disk end after some more changes: what the cores do after that moment, they do in vain.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::disk::{Change, FileState, SECTOR_LEN};
use super::{Machine, MemoryIo, World};
use crate::io::Op;
use crate::random::Random;

/// What is lost when a machine crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// The process is killed: the page cache survives, operations under way may or may not have happened.
    Process,
    /// Power is lost: of the writes since the last sync each may have reached the disk, in part, or not at all.
    Power,
}

/// The end that a machine's disk is to come to.
pub(super) enum Doom {
    /// After so many more changes.
    After(u64),
    /// It has come: this is what the disk held.
    Come(Survivors),
}

/// Copies of all files, and the directories.
pub(super) struct Survivors {
    files: BTreeMap<PathBuf, Rc<RefCell<FileState>>>,
    dirs: BTreeSet<PathBuf>,
}

impl World {
    /// Lets this machine's disk end after `changes` more changes, in whose middle a turn may be. [`World::is_doomed`] tells
    /// when: the driver ends the machine with [`World::crash`] then, before its cores get another turn.
    pub fn doom(&self, changes: u64) {
        self.state.borrow_mut().machines[self.machine].doom = Some(Doom::After(changes));
    }

    /// Lets this machine's disk go on after all.
    pub fn forgo_doom(&self) {
        self.state.borrow_mut().machines[self.machine].doom = None;
    }

    /// Whether the moment has come that [`World::doom`] asked for.
    pub fn is_doomed(&self) -> bool {
        matches!(self.state.borrow().machines[self.machine].doom, Some(Doom::Come(_)))
    }

    /// Ends all cores of this machine at once; their back ends and what they had under way are gone. Make new ones with
    /// [`World::io`].
    pub fn crash(&self, crash: Crash) {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let machine = &mut state.machines[self.machine];
        let pending: Vec<_> = machine.cores.drain(..).flat_map(|core| core.pending).collect();
        if let Some(Doom::Come(survivors)) = machine.doom.take() {
            // What is under way was pushed after that moment, or names files that are not these any more.
            (machine.files, machine.dirs) = (survivors.files, survivors.dirs);
        } else {
            // A direct write under way may have reached the disk, whole or torn between its sectors.
            for pending in pending {
                if let (Op::WriteDurable { offset, buffer, .. }, Some(file)) = (pending.op, pending.file) {
                    let sectors = state.random.below(buffer.len() as u64 / SECTOR_LEN + 1);
                    file.borrow_mut()
                        .write_durable(offset, &buffer.filled()[..(sectors * SECTOR_LEN) as usize]);
                }
            }
        }
        if crash == Crash::Power {
            for file in machine.files.values() {
                file.borrow_mut().lose_power(&mut state.random);
            }
        }
        machine.is_dark = crash == Crash::Power;
        state.drop_connections_of(self.machine, crash == Crash::Process);
        for accepting in state.accepting.values_mut() {
            accepting.retain(|accepting| accepting.at.machine != self.machine);
        }
        state.accepting.retain(|_, accepting| !accepting.is_empty());
    }
}

impl FileState {
    fn lose_power(&mut self, random: &mut Random) {
        let mut survived = self.durable.clone();
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Change::Write { offset, bytes } if random.chance(60) => {
                    let torn = random.below(bytes.len() as u64 + 1) as usize;
                    let count = if random.chance(50) { bytes.len() } else { torn };
                    let bytes = bytes[..count].to_vec();
                    FileState::apply(&mut survived, &Change::Write { offset, bytes });
                }
                Change::Truncate { .. } if random.chance(60) => FileState::apply(&mut survived, &change),
                Change::Write { .. } | Change::Truncate { .. } => {}
            }
        }
        self.durable.clone_from(&survived);
        self.bytes = survived;
    }
}

impl MemoryIo {
    /// Comes before every change of the disk.
    pub(super) fn approach_doom(&mut self) {
        self.state.borrow_mut().machines[self.machine].approach_doom();
    }
}

impl Machine {
    fn approach_doom(&mut self) {
        match &mut self.doom {
            Some(Doom::After(0)) => {
                let copy = |file: &Rc<RefCell<FileState>>| Rc::new(RefCell::new(file.borrow().clone()));
                let files = self.files.iter().map(|(path, file)| (path.clone(), copy(file)));
                self.doom = Some(Doom::Come(Survivors { files: files.collect(), dirs: self.dirs.clone() }));
            }
            Some(Doom::After(left)) => *left -= 1,
            Some(Doom::Come(_)) | None => {}
        }
    }
}
