// A transactional Java client (version 2 of transactions), one process of the checker of transactions. Notes what it does in the words
// of transaction_history.py, each line in one write, so that a kill leaves whole lines.
//
//     java -cp 'CLASSES:JARS/*' TransactionClient append|transform HOST:PORT ID.PROCESS PARTITIONS HISTORY STOP_FILE SEED
//
// `append` sends records to random partitions of `lists` and commits or aborts; `transform` makes one record of `made` of each of
// `lists`, with its offsets in the transaction. Ends when STOP_FILE is there, or when it is fenced.

import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class TransactionClient {
    static final Duration POLL = Duration.ofMillis(200), PATIENCE = Duration.ofSeconds(10);
    final String bootstrap, name, id;
    final int partitions;
    final OutputStream history;
    final File stop;
    final Random random;
    KafkaProducer<String, String> producer;
    KafkaConsumer<String, String> consumer;
    int session = 0, number = 0;

    TransactionClient(String[] args) throws Exception {
        bootstrap = args[1];
        name = args[2];
        id = name.substring(0, name.indexOf('.'));
        partitions = Integer.parseInt(args[3]);
        history = new FileOutputStream(args[4], true);
        stop = new File(args[5]);
        random = new Random(Long.parseLong(args[6]));
    }

    public static void main(String[] args) throws Exception {
        var client = new TransactionClient(args);
        boolean transforms = args[0].equals("transform");
        try {
            while (!client.stop.exists()) client.step(transforms);
        } catch (RuntimeException fault) {
            client.note("fault", fault.toString());
        }
        if (client.consumer != null) client.consumer.close();
        if (client.producer != null) client.producer.close(Duration.ofSeconds(1));
        System.exit(0);
    }

    void note(String event, String... words) throws Exception {
        String line = System.nanoTime() + "\t" + event + "\t" + String.join("\t", words).replace('\n', ' ') + "\n";
        history.write(line.getBytes("UTF-8"));
    }

    String session() { return name + "." + session; }
    String txn() { return session() + "/" + number; }

    /** One transaction, whatever becomes of it. A client that is fenced has to go. */
    void step(boolean transforms) throws Exception {
        try {
            if (producer == null) open();
            if (transforms) transform(); else append();
        } catch (KafkaException error) {
            if (isFenced(error)) {
                note("fenced", session(), error.toString());
                System.exit(0);
            }
            if (isOf(error, UnknownServerException.class)) note("fault", error.toString());
            giveUp(error);
        }
    }

    void open() throws Exception {
        var settings = new Properties();
        settings.putAll(Map.of("bootstrap.servers", bootstrap, "transactional.id", id, "client.id", "v2-" + name, "linger.ms", "1",
            "transaction.timeout.ms", "8000", "max.block.ms", "10000", "delivery.timeout.ms", "9000", "request.timeout.ms", "4000",
            "reconnect.backoff.max.ms", "200", "retry.backoff.max.ms", "200"));
        producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        session++;
        note("open", session());
    }

    void append() throws Exception {
        int count = 1 + random.nextInt(6);
        note("begin", txn(), Integer.toString(count));
        producer.beginTransaction();
        for (int index = 0; index < count; index++)
            producer.send(new ProducerRecord<>("lists", random.nextInt(partitions), null, txn() + "/" + index + "/" + count));
        end(random.nextInt(4) > 0);
        Thread.sleep(random.nextInt(60));
    }

    void transform() throws Exception {
        if (consumer == null) subscribe();
        var records = new ArrayList<ConsumerRecord<String, String>>();
        consumer.poll(POLL).forEach(records::add);
        if (records.isEmpty()) return;
        note("begin", txn(), Integer.toString(records.size()));
        producer.beginTransaction();
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (int index = 0; index < records.size(); index++) {
            var from = records.get(index);
            String value = txn() + "/" + index + "/" + records.size() + "|" + from.partition() + "/" + from.offset();
            producer.send(new ProducerRecord<>("made", from.partition(), null, value));
            offsets.put(new TopicPartition("lists", from.partition()), new OffsetAndMetadata(from.offset() + 1));
        }
        producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
        boolean commits = random.nextInt(8) > 0;
        end(commits);
        if (!commits) rewind();
    }

    void subscribe() {
        var settings = new Properties();
        settings.putAll(Map.of("bootstrap.servers", bootstrap, "group.id", "transformers", "client.id", "v2-" + name,
            "isolation.level", "read_committed", "enable.auto.commit", "false", "auto.offset.reset", "earliest",
            "session.timeout.ms", "3000", "heartbeat.interval.ms", "500", "max.poll.records", "50",
            "partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor"));
        settings.putAll(Map.of("max.poll.interval.ms", "10000", "reconnect.backoff.max.ms", "200", "default.api.timeout.ms", "10000",
            "request.timeout.ms", "4000"));
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of("lists"));
    }

    void end(boolean commits) throws Exception {
        String how = commits ? "commit" : "abort";
        note("ending", txn(), how);
        if (commits) producer.commitTransaction(); else producer.abortTransaction();
        note("ended", txn(), how);
        number++;
    }

    /** Back to what is committed: nothing of what was aborted was used. */
    void rewind() {
        var committed = consumer.committed(new HashSet<>(consumer.assignment()), PATIENCE);
        for (TopicPartition partition : consumer.assignment()) {
            var offset = committed.get(partition);
            consumer.seek(partition, offset == null ? 0 : offset.offset());
        }
    }

    /** What failed is aborted, and if that fails too, nobody knows what became of it: all begins anew. */
    void giveUp(KafkaException error) throws Exception {
        try {
            if (producer == null || session == 0) throw error;
            producer.abortTransaction();
            note("ended", txn(), "abort");
            if (consumer != null) rewind();
        } catch (RuntimeException second) {
            if (isFenced(second)) {
                note("fenced", session(), second.toString());
                System.exit(0);
            }
            note("failed", txn(), error + ", then " + second);
            if (producer != null) producer.close(Duration.ZERO);
            if (consumer != null) consumer.close(Duration.ofSeconds(1));
            producer = null;
            consumer = null;
        }
        number++;
    }

    static boolean isFenced(Throwable error) {
        return isOf(error, ProducerFencedException.class) || isOf(error, InvalidProducerEpochException.class);
    }

    static boolean isOf(Throwable error, Class<?> kind) {
        for (; error != null; error = error.getCause()) if (kind.isInstance(error)) return true;
        return false;
    }
}
