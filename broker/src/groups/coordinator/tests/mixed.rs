//! By chance: members of both protocols come and go, answers are lost, and the group goes from one kind to the other. After
//! every step the state is what a replay makes, no partition is had by two, and the epoch has not gone back.

use super::migration::told;
use super::*;
use crate::groups::embedded;

/// A consumer of the classic protocol as it behaves.
#[derive(Default)]
struct Classical {
    id: String,
    generation: i32,
    /// What it believes to have.
    owned: Assignment,
    wants: Want,
    question: Option<u32>,
    /// As leader: the others, and what they said they have.
    others: Vec<(String, Assignment)>,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Want {
    #[default]
    Join,
    Sync,
    Nothing,
    /// For an answer.
    Waits,
}

struct World {
    seed: u64,
    lines: Vec<String>,
    rig: Rig,
    random: Random,
    is_cooperative: bool,
    classical: Vec<Classical>,
    modern: BTreeMap<String, Client>,
}

impl World {
    fn chance(&mut self, one_in: u64) -> bool {
        self.random.next_u64().is_multiple_of(one_in)
    }

    fn join(&mut self, at: usize) {
        let one = &mut self.classical[at];
        // An eager member lets go of everything first.
        if !self.is_cooperative {
            one.owned.clear();
        }
        let asked = Join { protocols: vec![("range".into(), told(&one.owned))], ..join(&one.id) };
        one.question = Some(self.rig.send("g", GroupAsk::Join(asked)));
    }

    fn sync(&mut self, at: usize) {
        let one = &self.classical[at];
        let others = one.others.clone();
        let mut parts: Vec<(String, Assignment)> =
            others.iter().map(|(id, _)| (id.clone(), Assignment::new())).collect();
        for partition in 0..PARTITIONS {
            let number = partition as usize % parts.len().max(1);
            let is_had = |owned: &Assignment| owned.values().flatten().any(|had| *had == partition);
            let had_by = others.iter().position(|(_, owned)| is_had(owned));
            // What somebody still has is given to nobody else.
            if let Some((_, part)) = parts.get_mut(number)
                && had_by.is_none_or(|holder| holder == number)
            {
                part.entry(Uuid::from_u128(7)).or_default().insert(partition);
            }
        }
        let assignments = parts.into_iter().map(|(id, part)| {
            let bytes = embedded::write_assignment(&part, &told(&Assignment::new()), &self.rig.image);
            (id, bytes)
        });
        let who = who(&one.id, one.generation);
        let asked = Sync { who, assignments: assignments.collect(), ..Sync::default() };
        self.classical[at].question = Some(self.rig.send("g", GroupAsk::Sync(asked)));
    }

    /// Hears the answer to what a member asked, if it is there.
    fn hear(&mut self, at: usize) {
        let Some(number) = self.classical[at].question else { return };
        let Some(reply) = self.rig.replies.remove(&number) else { return };
        self.classical[at].question = None;
        if self.chance(10) {
            // The answer is lost, and it asks again; the id it was given with it is lost as well.
            return;
        }
        let image = &self.rig.image;
        let one = &mut self.classical[at];
        match reply {
            Ok(GroupAnswer::Joined(joined)) => {
                let owned = |bytes: &[u8]| {
                    let told = embedded::subscription(bytes).unwrap();
                    embedded::owned_partitions(&told, image)
                };
                one.others = joined.members.iter().map(|(id, _, told)| (id.clone(), owned(told))).collect();
                (one.id, one.generation, one.wants) = (joined.member, joined.generation, Want::Sync);
            }
            Ok(GroupAnswer::Synced(synced)) => {
                let given = embedded::read_assignment(&synced.assignment, image).unwrap();
                let had = std::mem::replace(&mut one.owned, given);
                let has = one.owned.values().flatten().collect::<BTreeSet<_>>();
                let lost = had.values().flatten().any(|partition| !has.contains(partition));
                one.wants = if self.is_cooperative && lost { Want::Join } else { Want::Nothing };
            }
            Ok(GroupAnswer::Done) => {}
            Err(ErrorCode::RebalanceInProgress) => one.wants = Want::Join,
            Err(ErrorCode::IllegalGeneration) => {
                one.owned.clear();
                one.wants = Want::Join;
            }
            Err(ErrorCode::UnknownMemberId) => *one = Classical::default(),
            other => panic!("not an answer for a member: {other:?}"),
        }
    }

    fn classic_step(&mut self, at: usize) {
        self.hear(at);
        if self.classical[at].question.is_some() {
            return;
        }
        let leaves = self.chance(20);
        let one = &self.classical[at];
        let (id, generation) = (one.id.clone(), one.generation);
        match one.wants {
            _ if !id.is_empty() && leaves => {
                let leaving = Leaving { member: id, ..Default::default() };
                self.rig.send("g", GroupAsk::Leave(vec![leaving]));
                self.classical[at] = Classical::default();
            }
            Want::Join => self.join(at),
            Want::Sync => self.sync(at),
            Want::Nothing | Want::Waits => {
                let beat = GroupAsk::Heartbeat(who(&id, generation));
                self.classical[at].question = Some(self.rig.send("g", beat));
            }
        }
        self.hear(at);
    }

    /// Who was taken out finds out by its next question; until then it must be told apart.
    fn forget_the_dead(&mut self) {
        let live: BTreeSet<String> = match self.rig.machine.groups.get("g").map(|group| &group.kind) {
            Some(Kind::Consumer(group)) => group.epochs().1.into_keys().map(|id| id.to_string()).collect(),
            Some(Kind::Classic(group)) => group.members.keys().cloned().collect(),
            None => BTreeSet::new(),
        };
        for one in &mut self.classical {
            if !live.contains(&one.id) {
                one.owned.clear();
            }
        }
        self.modern.retain(|id, _| live.contains(id));
    }

    /// Everyone's state in one line, for when it goes wrong.
    fn line(&self) -> String {
        let group = self.rig.machine.groups.get("g");
        let classical = self.classical.iter().map(|one| {
            let wants = if one.question.is_some() { Want::Waits } else { one.wants };
            format!("{}/{} {wants:?} {:?}", one.id, one.generation, one.owned.values().collect::<Vec<_>>())
        });
        let modern = self
            .modern
            .iter()
            .map(|(id, one)| format!("{id}/{} {:?}", one.epoch, one.owned.values().collect::<Vec<_>>()));
        let kind = group.map(|group| (group.kind_and_state(), generation(group)));
        format!("{kind:?}: {}", classical.chain(modern).collect::<Vec<_>>().join(", "))
    }

    fn check(&mut self) {
        self.rig.check_replay();
        let line = self.line();
        self.lines.push(line);
        let mut seen = BTreeSet::new();
        let classical = self.classical.iter().map(|one| (&one.id, &one.owned));
        let modern = self.modern.iter().map(|(id, one)| (id, &one.owned));
        for (id, owned) in classical.chain(modern) {
            for partition in owned.values().flatten() {
                let seed = self.seed;
                let lines = self.lines[self.lines.len().saturating_sub(20)..].join("\n");
                assert!(
                    seen.insert(*partition),
                    "seed {seed}: {id} has {partition}, and another too\n{lines}"
                );
            }
        }
    }
}

#[test]
fn q97_members_of_both_protocols_never_have_the_same_partition_and_a_replay_makes_the_same_group() {
    let (mut upgrades, mut downgrades) = (0, 0);
    for seed in 0..16 {
        let mut world = World {
            seed,
            lines: Vec::new(),
            rig: Rig::new(seed),
            random: Random::from_seed(seed ^ 0x848),
            is_cooperative: seed % 2 == 0,
            classical: (0..3).map(|_| Classical::default()).collect(),
            modern: BTreeMap::new(),
        };
        let (mut epoch_before, mut kind_before) = (0, None);
        for _ in 0..200 {
            match world.random.next_u64() % 24 {
                0 => world.rig.pass_ms((world.random.next_u64() % 12_000) as i64),
                1..3 => world.rig.pass_ms(250),
                3..6 => consumer_step(&mut world.rig, &mut world.random, &mut world.modern),
                // Now and then all members of the new protocol go.
                6 => {
                    for id in std::mem::take(&mut world.modern).into_keys() {
                        _ = world.rig.beat(beat(&id, -1));
                    }
                }
                at => world.classic_step(at as usize % 3),
            }
            world.forget_the_dead();
            world.check();
            let group = world.rig.machine.groups.get("g");
            let epoch = group.map_or(0, generation);
            let kind = group.filter(|group| group.has_members()).map(|group| group.kind_and_state().0);
            // A group that nobody is in begins anew when it changes its kind.
            let is_going_on = kind_before.is_some() && group.is_some();
            assert!(!is_going_on || epoch >= epoch_before, "epochs only grow: {epoch_before} to {epoch}");
            upgrades += u32::from((kind_before, kind) == (Some("classic"), Some("consumer")));
            downgrades += u32::from((kind_before, kind) == (Some("consumer"), Some("classic")));
            (epoch_before, kind_before) = (epoch, kind);
        }
    }
    assert!(upgrades > 12 && downgrades > 12, "{upgrades} upgrades, {downgrades} downgrades");
}
