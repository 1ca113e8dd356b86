// The Java client, with default settings but for the codec (so idempotent, acks=all), sends records and reads them back by assignment.
//
//     java -cp 'JARS/*' RoundTrip.java HOST:PORT TOPIC CODEC COUNT PARTITIONS
//
// The records are those of records.py. Prints "sent S.S s, read S.S s", or what was wrong and exits with 1.

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class RoundTrip {
    static final int SIZE = 1024;
    static final byte[] LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_ABCDEFGHIJKLMNOPQRSTUVWXYZ".getBytes();
    static final byte[] BODY = body();

    static byte[] body() {
        byte[] out = new byte[4096];
        long state = 12345;
        for (int i = 0; i < out.length; i++) {
            state = (state * 1103515245L + 12345) % 2147483648L;
            out[i] = LETTERS[(int) ((state >> 16) % 64)];
        }
        return out;
    }

    static byte[] record(long number) {
        byte[] out = Arrays.copyOf(String.format("%016d", number).getBytes(), SIZE);
        System.arraycopy(BODY, (int) (number * 37 % 3000), out, 16, SIZE - 16);
        return out;
    }

    public static void main(String[] args) throws Exception {
        String bootstrap = args[0], topic = args[1], codec = args[2];
        int count = Integer.parseInt(args[3]), partitions = Integer.parseInt(args[4]);
        long begin = System.nanoTime();
        send(bootstrap, topic, codec, count, partitions);
        long sent = System.nanoTime();
        read(bootstrap, topic, count, partitions);
        System.out.printf("sent %.1f s, read %.1f s%n", (sent - begin) / 1e9, (System.nanoTime() - sent) / 1e9);
    }

    static void send(String bootstrap, String topic, String codec, int count, int partitions) {
        var fault = new AtomicReference<Exception>();
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "compression.type", codec);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count && fault.get() == null; i++) {
                producer.send(new ProducerRecord<>(topic, i % partitions, null, record(i)), (done, e) -> { if (e != null) fault.compareAndSet(null, e); });
            }
        }
        if (fault.get() != null) fail("send: " + fault.get());
    }

    static void read(String bootstrap, String topic, int count, int partitions) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "none");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var all = new ArrayList<TopicPartition>();
            for (int p = 0; p < partitions; p++) all.add(new TopicPartition(topic, p));
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long[] next = new long[partitions];
            int got = 0;
            for (long end = System.nanoTime() + 600_000_000_000L; got < count; ) {
                if (System.nanoTime() > end) fail("only " + got + " of " + count + " records came back");
                for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofMillis(500))) {
                    long index = next[r.partition()]++;
                    if (r.offset() != index) fail("partition " + r.partition() + ": offset " + r.offset() + " where " + index + " was due");
                    if (!Arrays.equals(r.value(), record(index * partitions + r.partition()))) fail("partition " + r.partition() + " offset " + r.offset() + ": other bytes");
                    got++;
                }
            }
            consumer.endOffsets(all).forEach((p, end) -> { if (end != next[p.partition()]) fail(p + " ends at " + end + " instead of " + next[p.partition()]); });
        }
    }

    static void fail(String why) {
        System.out.println(why);
        System.exit(1);
    }
}
