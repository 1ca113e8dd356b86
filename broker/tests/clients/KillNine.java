// An idempotent Java producer (default settings) that lives on while its broker is killed again and again.
//
//     java -cp 'JARS/*' KillNine.java HOST:PORT TOPIC PARTITIONS < commands
//
// Sends numbered records round the partitions until its input ends. Prints "acked PARTITION NUMBER OFFSET" for each
// acknowledgement, "failed WHY" for a send that failed (a fatal state shows here), and "end COUNT" at last.

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

public class KillNine {
    public static void main(String[] args) throws Exception {
        String topic = args[1];
        int partitions = Integer.parseInt(args[2]);
        var settings = new Properties();
        settings.putAll(Map.of("bootstrap.servers", args[0], "reconnect.backoff.max.ms", "200", "retry.backoff.max.ms", "200"));
        var stop = new AtomicBoolean();
        var watcher = new Thread(() -> {
            try { while (System.in.read() >= 0) { } } catch (Exception end) { }
            stop.set(true);
        });
        watcher.setDaemon(true);
        watcher.start();
        var out = new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false);
        var acked = new AtomicLong();
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (long n = 0; !stop.get(); n++) {
                int partition = (int) (n % partitions);
                long number = n;
                producer.send(new ProducerRecord<>(topic, partition, null, Long.toString(n)), (done, fault) -> {
                    if (fault != null) out.println("failed " + number + " " + fault);
                    else { out.println("acked " + partition + " " + number + " " + done.offset()); acked.incrementAndGet(); }
                });
                if (n % 20 == 0) Thread.sleep(1);
            }
        }
        out.println("end " + acked.get());
        out.flush();
    }
}
