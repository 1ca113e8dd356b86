//! What a group reads: the topics that its members name and those that their expressions match.

use super::assign::{Subscriber, choose, plan};
use super::*;
use crate::metadata::Image;
use crate::topic_name;

/// An expression may compile to this many bytes, so that one member cannot fill the memory.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Compiles an expression of RE2's syntax that must match a whole name.
fn compile(regex: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(&format!("^(?:{regex})$")).size_limit(REGEX_BYTES_MAX).build()
}

/// Whether an expression is one.
pub(super) fn check_regex(regex: &str) -> Result<(), Refusal> {
    compile(regex).map(|_| ()).map_err(|error| {
        (ErrorCode::InvalidRegularExpression, format!("the expression {regex} is not valid: {error}"))
    })
}

impl Consumer {
    /// Raises the group's epoch if what it reads has changed: by a member, for this reason, or by the topics themselves (C69).
    pub(super) fn bump(&mut self, cx: &mut Context<'_>, why: Option<Why>) {
        let image = cx.env.image;
        if why.is_none() && self.seen_image == Some(image.version) {
            return;
        }
        self.seen_image = Some(image.version);
        self.match_regexes(cx);
        let hash = self.hash_of(image);
        if why.is_some() || hash != self.metadata_hash {
            cx.begin_rebalance(why.unwrap_or_else(|| Why::of(CauseKind::MetadataChanged.now(), "")));
            self.write(cx, Record::GroupEpoch(cx.group.clone(), Some((self.epoch + 1, hash))));
            self.note_progress(cx, None);
        }
    }

    /// Finds the topics of all expressions anew.
    fn match_regexes(&mut self, cx: &mut Context<'_>) {
        let used: BTreeSet<Arc<str>> =
            self.members.values().filter_map(|member| member.data.regex.as_deref().map(Arc::from)).collect();
        let unused: Vec<Arc<str>> =
            self.regexes.keys().filter(|regex| !used.contains(*regex)).cloned().collect();
        for regex in unused {
            self.write(cx, Record::Regex(cx.group.clone(), regex, None));
        }
        for regex in used {
            let Ok(compiled) = compile(&regex) else { continue };
            let names = cx.env.image.topics().map(|topic| &*topic.name);
            let found = names.filter(|name| !topic_name::is_internal(name) && compiled.is_match(name));
            let topics: Vec<String> = found.map(str::to_owned).collect();
            if self.regexes.get(&regex) != Some(&topics) {
                let found = (topics, cx.env.image.version, cx.env.wall_ms);
                self.write(cx, Record::Regex(cx.group.clone(), regex, Some(found)));
            }
        }
    }

    /// The topics that a member reads and that are there.
    fn topics_of(&self, member: &Member, image: &Image) -> BTreeSet<Uuid> {
        let matched = member.data.regex.as_deref().and_then(|regex| self.regexes.get(regex));
        let names = member.data.topics.iter().chain(matched.into_iter().flatten());
        names.filter_map(|name| image.topic(name)).map(|topic| topic.id).collect()
    }

    /// A hash (FNV-1a) of the topics that the group reads and their partitions: a change of it calls for new targets.
    fn hash_of(&self, image: &Image) -> i64 {
        let mut topics = BTreeSet::new();
        for member in self.members.values() {
            topics.extend(self.topics_of(member, image));
        }
        let counts =
            topics.iter().filter_map(|id| image.topic_by_id(*id)).map(|topic| topic.partitions.len());
        let words = topics.iter().zip(counts).flat_map(|(id, count)| {
            let mut bytes = id.0.to_vec();
            bytes.extend((count as u32).to_be_bytes());
            bytes
        });
        let hash = words.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        hash as i64
    }

    /// Who assigns: what most members prefer.
    pub(super) fn assignor(&self) -> &'static str {
        choose(self.members.values().filter_map(|member| member.data.assignor.as_deref()))
    }

    /// Makes the targets anew, for the group's epoch.
    pub(super) fn assign(&mut self, cx: &mut Context<'_>) {
        let image = cx.env.image;
        let subscribers: Vec<Subscriber> = self
            .members
            .iter()
            .map(|(id, member)| Subscriber {
                id: id.clone(),
                instance: member.data.instance.clone(),
                topics: self.topics_of(member, image),
            })
            .collect();
        let read: BTreeSet<Uuid> = subscribers.iter().flat_map(|one| one.topics.iter().copied()).collect();
        let counts: BTreeMap<Uuid, i32> = read
            .into_iter()
            .filter_map(|id| image.topic_by_id(id))
            .map(|topic| (topic.id, topic.partitions.len() as i32))
            .collect();
        let targets = plan(self.assignor(), &subscribers, &counts, &self.targets);
        for (id, target) in targets {
            self.write(cx, Record::Target(cx.group.clone(), id, Some(target)));
        }
        self.write(cx, Record::TargetEpoch(cx.group.clone(), Some(self.epoch)));
    }
}
