//! The hub and cores of the tests' own: rounds are shared, and a core that is silent is named and asked no more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use shard::{Histogram, LoopCounts, mail};
use tokio::runtime;
use tokio::task::LocalSet;

use super::*;
use crate::config::{Given, Origin, ServerConfig};
use crate::homes::facts::CoordinatorPhases;
use crate::metadata::Image;
use crate::partition::{DiskFacts, JournalFacts};
use crate::report::CoreFacts;

fn config() -> Arc<ServerConfig> {
    let given = Given { name: "node.id".to_owned(), value: "3".to_owned(), origin: Origin::Set };
    Arc::new(ServerConfig::new(vec![given], "machine").unwrap())
}

fn node(core_count: u16) -> Arc<Node> {
    Arc::new(Node {
        peer_listener: None,
        peer_admission: crate::node::peer_admission(),
        admission: net::Admission::new(1, 1),
        id: 3,
        cluster_id: "c".to_owned(),
        data_dir: PathBuf::new(),
        data_dir_text: String::new(),
        core_count,
        config: config(),
        advertised: Vec::new(),
        open_files_max: 1,
        incarnation: protocol::Uuid::ZERO,
        directory_id: protocol::Uuid::ZERO,
        founding: quorum::Founding::Alone,
        started: std::time::Instant::now(),
    })
}

const DISK: DiskFacts =
    DiskFacts { total_bytes: 100, free_bytes: 50, reserve_bytes: 10, is_full: false, refused: 0 };

pub(in crate::control) fn facts(turns: u64) -> CoreFacts {
    CoreFacts {
        turns: LoopCounts { turns, ..LoopCounts::default() },
        cpu: Duration::ZERO,
        net: net::NetCounts::default(),
        connection_count: 0,
        errors: BTreeMap::new(),
        waiting_requests: 0,
        parked_fetches: 0,
        fetch_sessions: 0,
        reading_bytes: 0,
        reply_bytes: 0,
        pool_bytes: 0,
        open_files: (0, 1),
        journal: JournalFacts {
            commits: 0,
            bytes: 0,
            took: Histogram::default(),
            used_percent: 0,
            len_bytes: 0,
            is_usable: true,
        },
        disk: DISK,
        groups: Default::default(),
        transactions: Default::default(),
        image: Arc::new(Image::empty(config(), "c")),
    }
}

fn health() -> Health {
    Health {
        is_serving: true,
        is_stopping: false,
        groups: CoordinatorPhases::default(),
        transactions: CoordinatorPhases::default(),
        disk: DISK,
        offline: (Vec::new(), 0),
    }
}

/// A core of the test's own, which answers when it is told to.
struct FakeCore {
    guest: Guest<Mail>,
    /// Questions so far.
    asked: Vec<&'static str>,
}

impl FakeCore {
    /// Takes questions in; answers them if it is to.
    fn turn(&mut self, is_answering: bool, turns: u64) {
        for (from, mail) in self.guest.receive_all() {
            let Mail::Inspect(asked) = mail else { panic!("the hub asks, and says {mail:?}") };
            let report = match asked {
                Inspect::Health(round) => {
                    self.asked.push("health");
                    Report::Health(round, Box::new(health()))
                }
                Inspect::Metrics(round, ..) => {
                    self.asked.push("metrics");
                    Report::Core(round, Box::new(facts(turns)))
                }
                Inspect::Lags(round, readers) => {
                    self.asked.push("lags");
                    Report::Lags(round, readers.iter().map(|_| None).collect())
                }
            };
            if is_answering {
                self.guest.send(from, Mail::Report(report));
            }
        }
    }
}

/// A hub and its cores; the last of them never answers, the others when they are asked.
fn with_hub<R>(
    core_count: u16,
    answer_max: Duration,
    test: impl AsyncFnOnce(Rc<Hub>, Vec<Rc<RefCell<FakeCore>>>) -> R,
) -> R {
    let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let mut boxes = mail::connect::<Mail>(core_count + 1).unwrap();
    let guest = Guest::new(boxes.pop().unwrap());
    let core = |mailbox| FakeCore { guest: Guest::new(mailbox), asked: Vec::new() };
    let cores: Vec<_> = boxes.into_iter().map(|mailbox| Rc::new(RefCell::new(core(mailbox)))).collect();
    LocalSet::new().block_on(&runtime, async move {
        let hub = Hub::new(guest, node(core_count), 100, answer_max).unwrap();
        tokio::task::spawn_local(Hub::listen(Rc::clone(&hub)));
        let all = cores.clone();
        tokio::task::spawn_local(async move {
            loop {
                for (core, number) in all.iter().zip(1..) {
                    core.borrow_mut().turn(number < all.len(), number as u64);
                }
                tokio::task::yield_now().await;
            }
        });
        test(hub, cores).await
    })
}

const SOON: Duration = Duration::from_millis(500);

#[test]
fn a_core_that_does_not_answer_is_named_and_asked_once() {
    with_hub(3, SOON, async |hub, cores| {
        for _ in 0..3 {
            let snapshot = hub.snapshot().await;
            assert_eq!(snapshot.silent, [false, false, true]);
            let turns: Vec<u64> = snapshot.told().map(|(_, answer)| answer.facts.turns.turns).collect();
            assert_eq!(turns, [1, 2], "the others have told");
        }
        assert_eq!(cores[0].borrow().asked, ["metrics"; 3]);
        assert_eq!(cores[2].borrow().asked, ["metrics"], "no second letter waits for it");
    });
}

#[test]
fn who_asks_at_the_same_time_shares_a_round() {
    with_hub(3, SOON, async |hub, cores| {
        let others: Vec<_> = (0..20)
            .map(|_| {
                let hub = Rc::clone(&hub);
                tokio::task::spawn_local(async move { hub.snapshot().await })
            })
            .collect();
        for other in others {
            other.await.unwrap();
        }
        assert_eq!(cores[0].borrow().asked, ["metrics"]);
    });
}

#[test]
fn health_is_that_of_the_moment_and_names_the_silent() {
    with_hub(3, SOON, async |hub, cores| {
        for _ in 0..2 {
            let told: Vec<bool> = hub.health().await.iter().map(Option::is_some).collect();
            assert_eq!(told, [true, true, false]);
        }
        assert_eq!(cores[1].borrow().asked, ["health"; 2]);
        assert_eq!(cores[2].borrow().asked, ["health"]);
        // Somebody who asks and goes away leaves nothing behind.
        let (one, other) = (Rc::clone(&hub), Rc::clone(&hub));
        let gone = tokio::task::spawn_local(async move { one.health().await.len() });
        gone.abort();
        assert!(other.health().await[0].is_some());
    });
}

#[test]
fn what_a_core_owes_from_an_earlier_round_is_taken_and_counts_for_nothing_else() {
    with_hub(2, SOON, async |hub, cores| {
        hub.snapshot().await;
        // The silent one answers after all, to a round that is over; then it is asked again.
        let late = Mail::Report(Report::Core(1, Box::new(facts(9))));
        cores[1].borrow_mut().guest.send(ShardId(2), late);
        let snapshot = hub.snapshot().await;
        assert_eq!(snapshot.told().count(), 1);
        hub.snapshot().await;
        assert_eq!(cores[1].borrow().asked, ["metrics"; 2]);
    });
}
