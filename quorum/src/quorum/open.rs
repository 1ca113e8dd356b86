//! Opening: from what the directory holds to a node that takes part.
//!
//! ```text
//! ringlog-quorum (anchor) ─► checkpoint, if there is one ─► log, batch by batch ─► Raft
//! ```
//! A directory of a time before there were quorums has a log alone, which may begin at any offset: it is a quorum of this
//! node. Of what follows, all is committed that the vote file's hint covers, and all that this node decided alone.

use std::path::Path;

use raft::eraftpb::HardState;
use raft::{RawNode, ReadOnlyOption};
use shard::random::Random;
use shard::{Disk, WallMs};

use super::{Quorum, Role};
use crate::anchor::{self, Anchor};
use crate::batch::{self, Content, Facts};
use crate::checkpoint::{self, Checkpoint};
use crate::config::{
    APPEND_BYTES_MAX, APPENDS_IN_FLIGHT_MAX, Config, ELECTION_TICKS, Founding, HEARTBEAT_TICKS,
    UNCOMMITTED_BYTES_MAX,
};
use crate::error::OpenError;
use crate::log_file::LogFile;
use crate::members::{Members, NodeId};
use crate::output::{Committed, Output, Restored};
use crate::store::{Mark, Store};
use crate::transfer::Outgoing;
use crate::vote_file::{Vote, VoteFile};

/// What is read of the log, and what is made of it.
struct Replay {
    store: Store,
    members: Members,
    applied: u64,
    outputs: Vec<Output>,
    me: NodeId,
    /// How much was known as committed.
    commit: u64,
    cache_bytes: usize,
}

impl Quorum {
    /// Opens the quorum whose files lie in [`crate::DIR`] within `data_dir`, which is made if missing. The outputs begin with all
    /// that is known as committed. A node that votes alone leads when this returns.
    pub fn open(
        disk: &mut dyn Disk,
        data_dir: &Path,
        config: Config,
        now: WallMs,
    ) -> Result<Quorum, OpenError> {
        let dir = data_dir.join(crate::DIR);
        let (files, anchor, replay) = read(disk, &dir, &config)?;
        let quorum = Quorum::start(config, dir, (files.0, files.1, anchor), replay);
        Ok(quorum.campaigning_if_alone(disk, now))
    }

    /// What [`Quorum::open`] would tell as committed before it takes part, for those that only look: nothing is led, and nothing
    /// changes but what a start cuts off or makes.
    pub fn look(disk: &mut dyn Disk, data_dir: &Path, config: &Config) -> Result<Vec<Output>, OpenError> {
        let dir = data_dir.join(crate::DIR);
        Ok(read(disk, &dir, config)?.2.outputs)
    }

    fn start(
        config: Config,
        dir: std::path::PathBuf,
        (log, vote, anchor): (LogFile, VoteFile, Anchor),
        replay: Replay,
    ) -> Quorum {
        let Replay { mut store, members, applied, outputs, .. } = replay;
        let newest = vote.newest();
        let last = store.end();
        // A log that is ahead of the vote file got its end from a leader that this node never voted for.
        let (term, vote_for) =
            if last.term > newest.term { (last.term, 0) } else { (newest.term, newest.vote) };
        let hard_state = HardState { term, vote: vote_for, commit: applied, ..HardState::default() };
        store.set_initial(hard_state, members.to_raft());
        let logger = slog::Logger::root(slog::Discard, slog::o!());
        let raft = RawNode::new(&raft_config(config.id(), applied), store, &logger)
            .expect("the configuration is constant and the store is in memory");
        let role = Role::Follower { term, leader: None };
        let mut random = Random::from_seed(config.seed);
        let election_ticks = ELECTION_TICKS + random.below(ELECTION_TICKS as u64) as usize;
        Quorum {
            config,
            dir,
            raft,
            log,
            vote,
            anchor,
            members,
            applied,
            outputs,
            role,
            random,
            election_ticks,
            tick: 0,
            reads: std::collections::VecDeque::new(),
            read_count: 0,
            change: None,
            outgoing: Outgoing::default(),
            incoming: None,
            is_offline: false,
        }
    }

    fn campaigning_if_alone(mut self, disk: &mut dyn Disk, now: WallMs) -> Quorum {
        self.shrink();
        if self.members.is_only_voter(self.config.id()) {
            _ = self.raft.campaign();
        }
        self.drive(disk, now);
        self.correct_own_entry(disk, now);
        self
    }
}

/// Reads all files, and makes those that are missing.
fn read(
    disk: &mut dyn Disk,
    dir: &Path,
    config: &Config,
) -> Result<((LogFile, VoteFile), Anchor, Replay), OpenError> {
    disk.create_dir(dir).map_err(|error| OpenError::Io(dir.to_path_buf(), error))?;
    let found = Anchor::read(disk, dir)?;
    let known_offset = found.as_ref().map_or(0, |anchor| anchor.offset);
    let (mut log, first_offset) = LogFile::open(disk, dir, known_offset)?;
    let anchor = match found {
        Some(anchor) => anchor,
        None => found_quorum(disk, dir, config, &log, first_offset)?,
    };
    check(dir, &anchor, config, first_offset)?;
    let vote = VoteFile::open(disk, dir)?;
    let mut replay = Replay::new(disk, dir, &anchor, vote.newest(), config)?;
    replay.read_log(disk, &mut log, &anchor, first_offset)?;
    Ok(((log, vote), anchor, replay))
}

fn raft_config(me: NodeId, applied: u64) -> raft::Config {
    raft::Config {
        election_tick: ELECTION_TICKS,
        heartbeat_tick: HEARTBEAT_TICKS,
        applied,
        max_size_per_msg: APPEND_BYTES_MAX,
        max_inflight_msgs: APPENDS_IN_FLIGHT_MAX,
        check_quorum: true,
        pre_vote: true,
        read_only_option: ReadOnlyOption::Safe,
        max_uncommitted_size: UNCOMMITTED_BYTES_MAX,
        max_committed_size_per_ready: UNCOMMITTED_BYTES_MAX,
        ..raft::Config::new(me.to_raft())
    }
}

/// Makes the anchor of a directory that has none: of a new quorum, or of a log that is older than quorums are.
fn found_quorum(
    disk: &mut dyn Disk,
    dir: &Path,
    config: &Config,
    log: &LogFile,
    first_offset: i64,
) -> Result<Anchor, OpenError> {
    let len = log.file_len(disk).map_err(|error| OpenError::Io(log.path().to_path_buf(), error))?;
    let voters = match &config.founding {
        Founding::Alone => vec![config.me.clone()],
        Founding::Together(voters) => voters.clone(),
        Founding::Join => Vec::new(),
    };
    let mut founders: Vec<NodeId> = voters.iter().map(|voter| voter.id).collect();
    founders.sort_unstable();
    if len > 0 && founders != [config.id()] {
        let why = "this metadata log is that of a node alone: start the node without other founders, and let the others join it"
            .to_owned();
        return Err(OpenError::Mixed(log.path().to_path_buf(), why));
    }
    let anchor = Anchor {
        cluster_id: config.cluster_id.clone(),
        node: config.id(),
        founders,
        offset: first_offset,
        index: 0,
        term: 0,
        members: Members::of(voters),
        checkpoint_len: 0,
    };
    anchor.write(disk, dir).map_err(|error| OpenError::Io(anchor::path_in(dir), error))?;
    Ok(anchor)
}

/// Whether the directory is this node's, and of the quorum that it is started for.
fn check(dir: &Path, anchor: &Anchor, config: &Config, first_offset: i64) -> Result<(), OpenError> {
    let mixed = |why: String| Err(OpenError::Mixed(anchor::path_in(dir), why));
    if anchor.cluster_id != config.cluster_id {
        return mixed(format!(
            "this is the metadata of cluster {}, and the node is started for {}: use the directory that belongs to it",
            anchor.cluster_id, config.cluster_id
        ));
    }
    if anchor.node != config.id() {
        return mixed(format!(
            "this is the metadata of node {}, and this is node {}: use the directory that belongs to it",
            anchor.node.0,
            config.id().0
        ));
    }
    if first_offset > anchor.offset {
        return mixed(format!("the log begins at {first_offset} and not at {}: restore both", anchor.offset));
    }
    if let Founding::Together(voters) = &config.founding {
        let mut founders: Vec<NodeId> = voters.iter().map(|voter| voter.id).collect();
        founders.sort_unstable();
        if founders != anchor.founders {
            let ids = |ids: &[NodeId]| ids.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ");
            return mixed(format!(
                "the quorum was founded by the nodes [{}], and the node is started with [{}]: start it as it was founded; voters are added and removed while it runs",
                ids(&anchor.founders),
                ids(&founders)
            ));
        }
    }
    Ok(())
}

impl Replay {
    fn new(
        disk: &mut dyn Disk,
        dir: &Path,
        anchor: &Anchor,
        vote: Vote,
        config: &Config,
    ) -> Result<Replay, OpenError> {
        let mark = Mark { index: anchor.index, term: anchor.term, next_offset: anchor.offset, end: 0 };
        let mut replay = Replay {
            store: Store::new(mark),
            members: anchor.members.clone(),
            applied: anchor.index,
            outputs: Vec::new(),
            me: config.id(),
            commit: vote.commit,
            cache_bytes: config.measures.cache_bytes,
        };
        if anchor.checkpoint_len > 0 {
            let path = checkpoint::path_of(dir, anchor.offset, anchor.term);
            let Checkpoint { records, members } = Checkpoint::read(disk, &path)?;
            if members != anchor.members {
                let why = "it names other voters than the file that names it: restore both".to_owned();
                return Err(OpenError::Damaged { path, position: 0, why });
            }
            replay.outputs.push(Output::Restored(Restored { next_offset: anchor.offset, records }));
            replay.store.set_checkpoint(mark, anchor.members.to_raft());
        }
        Ok(replay)
    }

    /// Reads the log to its end. One that begins before the anchor was not cut yet: what follows the anchor counts if the
    /// anchor's own batch is in it; otherwise nothing of it does.
    fn read_log(
        &mut self,
        disk: &mut dyn Disk,
        log: &mut LogFile,
        anchor: &Anchor,
        first_offset: i64,
    ) -> Result<(), OpenError> {
        let mut has_reached_anchor = first_offset == anchor.offset;
        let mut next_offset = first_offset;
        while let Some((batch, facts)) = log.read(disk)? {
            if facts.base_offset != next_offset {
                return Err(log.damaged(format!("offset {} follows {next_offset}", facts.base_offset)));
            }
            next_offset = facts.next_offset;
            if has_reached_anchor {
                self.take(log, batch, facts)?;
            } else if facts.next_offset == anchor.offset && facts.term == anchor.term {
                has_reached_anchor = true;
                self.store.begin_at_byte(log.len());
            } else if facts.next_offset >= anchor.offset {
                break;
            }
        }
        if !has_reached_anchor {
            let path = log.path().to_path_buf();
            log.replace(disk, anchor.offset, &[]).map_err(|error| OpenError::Io(path, error))?;
        }
        Ok(())
    }

    fn take(&mut self, log: &LogFile, batch: Vec<u8>, facts: Facts) -> Result<(), OpenError> {
        let before = self.store.end();
        if facts.term < before.term {
            return Err(log.damaged(format!("a batch of term {} follows one of {}", facts.term, before.term)));
        }
        let content = batch::content_of(&batch).map_err(|why| log.damaged(why))?;
        self.store.push(facts.term, facts.next_offset, batch);
        let index = before.index + 1;
        let is_committed = index <= self.commit || self.members.is_only_voter(self.me);
        if !is_committed || self.applied + 1 != index {
            return Ok(());
        }
        let mut records = Vec::new();
        match content {
            Content::Records(values) => records = values,
            Content::Members(members) => self.members = members,
            Content::LeaderChange => {}
            Content::SnapshotHeader | Content::SnapshotFooter => {
                return Err(log.damaged("a batch of a checkpoint stands in the log".to_owned()));
            }
        }
        self.applied = index;
        self.store.shrink(self.applied, self.cache_bytes);
        self.outputs.push(Output::Committed(Committed {
            index,
            term: facts.term,
            base_offset: facts.base_offset,
            next_offset: facts.next_offset,
            records,
        }));
        Ok(())
    }
}
