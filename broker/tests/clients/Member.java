// One Java consumer of a group, for group_members.py: the same arguments and lines as member.py.
//
//     java -cp 'JARS/*' Member BOOTSTRAP GROUP TOPIC classic|consumer ASSIGNOR INSTANCE|-

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Member implements ConsumerRebalanceListener {
    final KafkaConsumer<byte[], byte[]> consumer;
    final Map<TopicPartition, OffsetAndMetadata> following = new HashMap<>();

    Member(Map<String, Object> settings) {
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    public static void main(String[] args) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", args[0], "group.id", args[1],
            "group.protocol", args[3], "auto.offset.reset", "earliest", "enable.auto.commit", false, "metadata.max.age.ms", 1000));
        if (args[3].equals("classic")) {
            var assignors = Map.of("range", "RangeAssignor", "cooperative-sticky", "CooperativeStickyAssignor");
            settings.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + assignors.get(args[4]));
            settings.put("session.timeout.ms", 10000);
            settings.put("heartbeat.interval.ms", 300);
        }
        if (!args[5].equals("-")) settings.put("group.instance.id", args[5]);
        new Member(settings).run(args[2]);
    }

    void run(String topic) throws Exception {
        consumer.subscribe(List.of(topic), this);
        long commitAt = System.nanoTime() + 1_000_000_000L;
        while (System.in.available() == 0) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
            for (TopicPartition at : records.partitions()) {
                List<ConsumerRecord<byte[], byte[]>> some = records.records(at);
                long last = some.get(some.size() - 1).offset();
                following.put(at, new OffsetAndMetadata(last + 1));
                System.out.println("took " + at.partition() + " " + some.get(0).offset() + " " + last + " " + System.nanoTime());
            }
            if (!following.isEmpty() && System.nanoTime() >= commitAt) {
                commitAt = System.nanoTime() + 1_000_000_000L;
                consumer.commitAsync(new HashMap<>(following), (offsets, fault) -> {});
            }
        }
        consumer.close();
        say("left", List.of());
    }

    static void say(String word, Collection<TopicPartition> partitions) {
        String numbers = partitions.stream().map(one -> "" + one.partition()).collect(Collectors.joining(","));
        System.out.println(word + " " + (numbers.isEmpty() ? "-" : numbers) + " " + System.nanoTime());
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        say("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (TopicPartition one : partitions) {
            if (following.containsKey(one)) offsets.put(one, following.remove(one));
        }
        try {
            if (!offsets.isEmpty()) consumer.commitSync(offsets);
        } catch (Exception e) {
            System.out.println("uncommitted " + e.getClass().getSimpleName());
        }
        say("revoked", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        following.keySet().removeAll(partitions);
        say("lost", partitions);
    }
}
