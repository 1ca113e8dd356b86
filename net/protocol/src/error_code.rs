//! Kafka's error codes: number, name, whether the client may simply try again, and a short text of ours.
//!
//! Retriable is what Kafka 4.3's Java client thinks of the code; it is a fact about clients, not a promise of ours.

use std::fmt;

macro_rules! error_codes {
    ($($code:literal $variant:ident $name:ident $retry:ident $text:literal;)*) => {
        /// What became of a request, or of a part of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        pub enum ErrorCode {
            $(
                #[doc = concat!("`", stringify!($name), "`: ", $text, ".")]
                $variant = $code,
            )*
        }

        impl Default for ErrorCode {
            fn default() -> ErrorCode { ErrorCode::None }
        }

        impl ErrorCode {
            /// Every code, ascending.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),*];

            /// The error with this number, if Kafka has one.
            pub const fn from_code(code: i16) -> Option<ErrorCode> {
                match code {
                    $($code => Some(ErrorCode::$variant),)*
                    _ => None,
                }
            }

            /// Kafka's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => stringify!($name),)*
                }
            }

            /// A short text, without a full stop, for the places where the protocol has room for one.
            pub const fn text(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => $text,)*
                }
            }

            /// True if clients try again without telling the application.
            pub const fn is_retriable(self) -> bool {
                match self {
                    $(ErrorCode::$variant => retriable!($retry),)*
                }
            }
        }
    };
}

macro_rules! retriable {
    (again) => {
        true
    };
    (final) => {
        false
    };
}

error_codes! {
    -1 UnknownServerError UNKNOWN_SERVER_ERROR final "unexpected failure in the broker";
    0 None NONE final "no error";
    1 OffsetOutOfRange OFFSET_OUT_OF_RANGE final "the offset lies outside the log";
    2 CorruptMessage CORRUPT_MESSAGE again "the batch is damaged";
    3 UnknownTopicOrPartition UNKNOWN_TOPIC_OR_PARTITION again "no such topic or partition here";
    4 InvalidFetchSize INVALID_FETCH_SIZE final "the fetch size is not valid";
    5 LeaderNotAvailable LEADER_NOT_AVAILABLE again "the partition has no leader at the moment";
    6 NotLeaderOrFollower NOT_LEADER_OR_FOLLOWER again "this broker does not lead the partition";
    7 RequestTimedOut REQUEST_TIMED_OUT again "the request took longer than it may";
    8 BrokerNotAvailable BROKER_NOT_AVAILABLE final "the broker is not available";
    9 ReplicaNotAvailable REPLICA_NOT_AVAILABLE again "the replica is not available";
    10 MessageTooLarge MESSAGE_TOO_LARGE final "the batch is larger than the topic allows";
    11 StaleControllerEpoch STALE_CONTROLLER_EPOCH final "the controller epoch is out of date";
    12 OffsetMetadataTooLarge OFFSET_METADATA_TOO_LARGE final "the metadata of the offset is too long";
    13 NetworkException NETWORK_EXCEPTION again "the connection was lost before the answer";
    14 CoordinatorLoadInProgress COORDINATOR_LOAD_IN_PROGRESS again "the coordinator is still loading";
    15 CoordinatorNotAvailable COORDINATOR_NOT_AVAILABLE again "no coordinator is available";
    16 NotCoordinator NOT_COORDINATOR again "this broker is not the coordinator";
    17 InvalidTopicException INVALID_TOPIC_EXCEPTION final "the topic's name is not allowed";
    18 RecordListTooLarge RECORD_LIST_TOO_LARGE final "the batch is larger than a segment";
    19 NotEnoughReplicas NOT_ENOUGH_REPLICAS again "too few replicas are in sync";
    20 NotEnoughReplicasAfterAppend NOT_ENOUGH_REPLICAS_AFTER_APPEND again "appended, but to fewer in-sync replicas than required";
    21 InvalidRequiredAcks INVALID_REQUIRED_ACKS final "acks must be -1, 0 or 1";
    22 IllegalGeneration ILLEGAL_GENERATION final "the generation of the group is not the current one";
    23 InconsistentGroupProtocol INCONSISTENT_GROUP_PROTOCOL final "the member shares no protocol with its group";
    24 InvalidGroupId INVALID_GROUP_ID final "the group id is not valid";
    25 UnknownMemberId UNKNOWN_MEMBER_ID final "the group has no such member";
    26 InvalidSessionTimeout INVALID_SESSION_TIMEOUT final "the session timeout is outside the allowed range";
    27 RebalanceInProgress REBALANCE_IN_PROGRESS final "the group rebalances: join again";
    28 InvalidCommitOffsetSize INVALID_COMMIT_OFFSET_SIZE final "the offset commit is too large";
    29 TopicAuthorizationFailed TOPIC_AUTHORIZATION_FAILED final "access to the topic is denied";
    30 GroupAuthorizationFailed GROUP_AUTHORIZATION_FAILED final "access to the group is denied";
    31 ClusterAuthorizationFailed CLUSTER_AUTHORIZATION_FAILED final "access to the cluster is denied";
    32 InvalidTimestamp INVALID_TIMESTAMP final "the timestamp is outside the allowed range";
    33 UnsupportedSaslMechanism UNSUPPORTED_SASL_MECHANISM final "the SASL mechanism is not offered";
    34 IllegalSaslState ILLEGAL_SASL_STATE final "the request does not fit the state of authentication";
    35 UnsupportedVersion UNSUPPORTED_VERSION final "the version is not supported";
    36 TopicAlreadyExists TOPIC_ALREADY_EXISTS final "the topic exists already";
    37 InvalidPartitions INVALID_PARTITIONS final "the partition count is not valid";
    38 InvalidReplicationFactor INVALID_REPLICATION_FACTOR final "the replication factor is not valid";
    39 InvalidReplicaAssignment INVALID_REPLICA_ASSIGNMENT final "the replica assignment is not valid";
    40 InvalidConfig INVALID_CONFIG final "the configuration is not valid";
    41 NotController NOT_CONTROLLER again "this node is not the controller";
    42 InvalidRequest INVALID_REQUEST final "the request is not valid";
    43 UnsupportedForMessageFormat UNSUPPORTED_FOR_MESSAGE_FORMAT final "the record format does not support the request";
    44 PolicyViolation POLICY_VIOLATION final "a policy forbids it";
    45 OutOfOrderSequenceNumber OUT_OF_ORDER_SEQUENCE_NUMBER final "the batch does not follow the producer's last sequence number";
    46 DuplicateSequenceNumber DUPLICATE_SEQUENCE_NUMBER final "the sequence number was used before";
    47 InvalidProducerEpoch INVALID_PRODUCER_EPOCH final "the producer's epoch is out of date";
    48 InvalidTxnState INVALID_TXN_STATE final "the transaction's state does not allow it";
    49 InvalidProducerIdMapping INVALID_PRODUCER_ID_MAPPING final "the producer id does not belong to the transactional id";
    50 InvalidTransactionTimeout INVALID_TRANSACTION_TIMEOUT final "the transaction timeout is outside the allowed range";
    51 ConcurrentTransactions CONCURRENT_TRANSACTIONS again "another operation on the transaction is under way";
    52 TransactionCoordinatorFenced TRANSACTION_COORDINATOR_FENCED final "the transaction coordinator has been replaced";
    53 TransactionalIdAuthorizationFailed TRANSACTIONAL_ID_AUTHORIZATION_FAILED final "access to the transactional id is denied";
    54 SecurityDisabled SECURITY_DISABLED final "security is switched off";
    55 OperationNotAttempted OPERATION_NOT_ATTEMPTED final "not attempted, since another part of the request failed";
    56 KafkaStorageError KAFKA_STORAGE_ERROR again "the disk failed";
    57 LogDirNotFound LOG_DIR_NOT_FOUND final "no such log directory";
    58 SaslAuthenticationFailed SASL_AUTHENTICATION_FAILED final "authentication failed";
    59 UnknownProducerId UNKNOWN_PRODUCER_ID final "nothing is known of the producer id";
    60 ReassignmentInProgress REASSIGNMENT_IN_PROGRESS final "a reassignment is under way";
    61 DelegationTokenAuthDisabled DELEGATION_TOKEN_AUTH_DISABLED final "delegation tokens are switched off";
    62 DelegationTokenNotFound DELEGATION_TOKEN_NOT_FOUND final "no such delegation token";
    63 DelegationTokenOwnerMismatch DELEGATION_TOKEN_OWNER_MISMATCH final "the delegation token belongs to someone else";
    64 DelegationTokenRequestNotAllowed DELEGATION_TOKEN_REQUEST_NOT_ALLOWED final "delegation tokens are not handed out on this connection";
    65 DelegationTokenAuthorizationFailed DELEGATION_TOKEN_AUTHORIZATION_FAILED final "access to the delegation token is denied";
    66 DelegationTokenExpired DELEGATION_TOKEN_EXPIRED final "the delegation token has expired";
    67 InvalidPrincipalType INVALID_PRINCIPAL_TYPE final "the kind of principal is not supported";
    68 NonEmptyGroup NON_EMPTY_GROUP final "the group still has members";
    69 GroupIdNotFound GROUP_ID_NOT_FOUND final "no such group";
    70 FetchSessionIdNotFound FETCH_SESSION_ID_NOT_FOUND again "no such fetch session";
    71 InvalidFetchSessionEpoch INVALID_FETCH_SESSION_EPOCH again "the fetch session's epoch is not the expected one";
    72 ListenerNotFound LISTENER_NOT_FOUND again "the leader has no listener of this name";
    73 TopicDeletionDisabled TOPIC_DELETION_DISABLED final "topic deletion is switched off";
    74 FencedLeaderEpoch FENCED_LEADER_EPOCH again "the leader epoch is out of date";
    75 UnknownLeaderEpoch UNKNOWN_LEADER_EPOCH again "the leader epoch is not known here yet";
    76 UnsupportedCompressionType UNSUPPORTED_COMPRESSION_TYPE final "the client's version cannot read this compression";
    77 StaleBrokerEpoch STALE_BROKER_EPOCH final "the broker epoch is out of date";
    78 OffsetNotAvailable OFFSET_NOT_AVAILABLE again "the new leader does not know its high watermark yet";
    79 MemberIdRequired MEMBER_ID_REQUIRED final "join again with the member id given";
    80 PreferredLeaderNotAvailable PREFERRED_LEADER_NOT_AVAILABLE again "the preferred leader is not available";
    81 GroupMaxSizeReached GROUP_MAX_SIZE_REACHED final "the group is full";
    82 FencedInstanceId FENCED_INSTANCE_ID final "another member took over the instance id";
    83 EligibleLeadersNotAvailable ELIGIBLE_LEADERS_NOT_AVAILABLE again "no replica may become leader";
    84 ElectionNotNeeded ELECTION_NOT_NEEDED again "the leader is the wanted one already";
    85 NoReassignmentInProgress NO_REASSIGNMENT_IN_PROGRESS final "no reassignment is under way";
    86 GroupSubscribedToTopic GROUP_SUBSCRIBED_TO_TOPIC final "the group is subscribed to the topic";
    87 InvalidRecord INVALID_RECORD final "the record was refused";
    88 UnstableOffsetCommit UNSTABLE_OFFSET_COMMIT again "offsets of a pending transaction are in the way";
    89 ThrottlingQuotaExceeded THROTTLING_QUOTA_EXCEEDED again "the quota is used up";
    90 ProducerFenced PRODUCER_FENCED final "a newer producer uses the transactional id";
    91 ResourceNotFound RESOURCE_NOT_FOUND final "no such resource";
    92 DuplicateResource DUPLICATE_RESOURCE final "the resource is named twice";
    93 UnacceptableCredential UNACCEPTABLE_CREDENTIAL final "the credential is not good enough";
    94 InconsistentVoterSet INCONSISTENT_VOTER_SET final "the voter sets differ";
    95 InvalidUpdateVersion INVALID_UPDATE_VERSION final "the update's version is not valid";
    96 FeatureUpdateFailed FEATURE_UPDATE_FAILED final "the feature update failed";
    97 PrincipalDeserializationFailure PRINCIPAL_DESERIALIZATION_FAILURE final "the principal cannot be read";
    98 SnapshotNotFound SNAPSHOT_NOT_FOUND final "no such snapshot";
    99 PositionOutOfRange POSITION_OUT_OF_RANGE final "the position lies outside the snapshot";
    100 UnknownTopicId UNKNOWN_TOPIC_ID again "no topic has this id";
    101 DuplicateBrokerRegistration DUPLICATE_BROKER_REGISTRATION final "another broker uses this id";
    102 BrokerIdNotRegistered BROKER_ID_NOT_REGISTERED final "the broker is not registered";
    103 InconsistentTopicId INCONSISTENT_TOPIC_ID again "the topic's id differs";
    104 InconsistentClusterId INCONSISTENT_CLUSTER_ID final "the cluster id differs";
    105 TransactionalIdNotFound TRANSACTIONAL_ID_NOT_FOUND final "no such transactional id";
    106 FetchSessionTopicIdError FETCH_SESSION_TOPIC_ID_ERROR again "the fetch session mixed topic names and ids";
    107 IneligibleReplica INELIGIBLE_REPLICA final "a replica may not join the in-sync set";
    108 NewLeaderElected NEW_LEADER_ELECTED final "a new leader was elected meanwhile";
    109 OffsetMovedToTieredStorage OFFSET_MOVED_TO_TIERED_STORAGE final "the offset has moved to tiered storage";
    110 FencedMemberEpoch FENCED_MEMBER_EPOCH final "the member's epoch is fenced: join again";
    111 UnreleasedInstanceId UNRELEASED_INSTANCE_ID final "another member still holds the instance id";
    112 UnsupportedAssignor UNSUPPORTED_ASSIGNOR final "the assignor is not supported";
    113 StaleMemberEpoch STALE_MEMBER_EPOCH final "the member's epoch is out of date";
    114 MismatchedEndpointType MISMATCHED_ENDPOINT_TYPE final "the endpoint is of another kind";
    115 UnsupportedEndpointType UNSUPPORTED_ENDPOINT_TYPE final "the kind of endpoint is not supported";
    116 UnknownControllerId UNKNOWN_CONTROLLER_ID final "no such controller";
    117 UnknownSubscriptionId UNKNOWN_SUBSCRIPTION_ID final "no such telemetry subscription";
    118 TelemetryTooLarge TELEMETRY_TOO_LARGE final "the telemetry is too large";
    119 InvalidRegistration INVALID_REGISTRATION final "the registration is not valid";
    120 TransactionAbortable TRANSACTION_ABORTABLE final "the transaction failed: abort it and go on";
    121 InvalidRecordState INVALID_RECORD_STATE final "the record is in another state";
    122 ShareSessionNotFound SHARE_SESSION_NOT_FOUND again "no such share session";
    123 InvalidShareSessionEpoch INVALID_SHARE_SESSION_EPOCH again "the share session's epoch is not the expected one";
    124 FencedStateEpoch FENCED_STATE_EPOCH final "the share group's state epoch differs";
    125 InvalidVoterKey INVALID_VOTER_KEY final "the voter's key differs";
    126 DuplicateVoter DUPLICATE_VOTER final "the voter is in the set already";
    127 VoterNotFound VOTER_NOT_FOUND final "the voter is not in the set";
    128 InvalidRegularExpression INVALID_REGULAR_EXPRESSION final "the regular expression is not valid";
    129 RebootstrapRequired REBOOTSTRAP_REQUIRED final "the client's metadata is too old: bootstrap again";
    130 StreamsInvalidTopology STREAMS_INVALID_TOPOLOGY final "the topology is not valid";
    131 StreamsInvalidTopologyEpoch STREAMS_INVALID_TOPOLOGY_EPOCH final "the topology's epoch is not valid";
    132 StreamsTopologyFenced STREAMS_TOPOLOGY_FENCED final "the topology's epoch is out of date";
    133 ShareSessionLimitReached SHARE_SESSION_LIMIT_REACHED again "the broker has as many share sessions as it may";
}

impl ErrorCode {
    /// The number on the wire.
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// True for [`ErrorCode::None`].
    pub const fn is_none(self) -> bool {
        matches!(self, ErrorCode::None)
    }
}

impl From<ErrorCode> for i16 {
    fn from(error: ErrorCode) -> i16 {
        error.code()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name(), self.code(), self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_dense_from_minus_one() {
        for (index, error) in ErrorCode::ALL.iter().enumerate() {
            assert_eq!(i32::from(error.code()), index as i32 - 1);
            assert_eq!(ErrorCode::from_code(error.code()), Some(*error));
        }
        assert_eq!(ErrorCode::from_code(134), None);
        assert_eq!(ErrorCode::from_code(-2), None);
    }

    #[test]
    fn names_are_kafkas() {
        check(3, "UNKNOWN_TOPIC_OR_PARTITION", true);
        check(17, "INVALID_TOPIC_EXCEPTION", false);
        check(87, "INVALID_RECORD", false);
        check(133, "SHARE_SESSION_LIMIT_REACHED", true);
    }

    fn check(code: i16, name: &str, retriable: bool) {
        let error = ErrorCode::from_code(code).expect("a known code");
        assert_eq!((error.name(), error.is_retriable()), (name, retriable));
    }
}
