// Kafka Streams counts words, for streams.py, until its standard input ends.
//
//     java -cp 'APPS/*' WordCount.java BOOTSTRAP at_least_once|exactly_once_v2 STATE-DIRECTORY
//
// Reads lines from "lines" and writes each word's count, as text, to "counts". Says each new state on a line of its own.

import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

public class WordCount {
    public static void main(String[] args) throws Exception {
        var settings = new Properties();
        settings.put("bootstrap.servers", args[0]);
        settings.put("application.id", "word-count");
        settings.put("processing.guarantee", args[1]);
        settings.put("state.dir", args[2]);
        settings.put("commit.interval.ms", 200);
        settings.put("num.stream.threads", 2);
        settings.put("replication.factor", 1);
        settings.put("consumer.auto.offset.reset", "earliest");
        settings.put("consumer.session.timeout.ms", 6000);
        settings.put("consumer.heartbeat.interval.ms", 500);
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        var builder = new StreamsBuilder();
        builder.stream("lines", Consumed.with(Serdes.String(), Serdes.String()))
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word)
            .count()
            .toStream()
            .mapValues(count -> count.toString())
            .to("counts", Produced.with(Serdes.String(), Serdes.String()));
        var streams = new KafkaStreams(builder.build(), settings);
        streams.setStateListener((now, before) -> System.out.println(now));
        streams.setUncaughtExceptionHandler(fault -> {
            System.out.println("FAULT " + fault);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        while (System.in.read() >= 0) {}
        streams.close();
    }
}
