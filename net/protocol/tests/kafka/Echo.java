// Kafka's own classes as the oracle: reads "name version hex" lines, decodes the body with the class of that name,
// encodes it again, and answers each line with the hex of that, or with "error" and a reason.
//
//     java -cp 'JARS/*' Echo.java < bodies

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;

public class Echo {
    static final String[] PACKAGES = {
        "org.apache.kafka.common.message", "org.apache.kafka.common.metadata", "org.apache.kafka.coordinator.group.generated",
        "org.apache.kafka.coordinator.transaction.generated", "org.apache.kafka.coordinator.share.generated",
        "org.apache.kafka.server.log.remote.metadata.storage.generated", "org.apache.kafka.raft.generated",
        "org.apache.kafka.storage.internals.log.generated", "org.apache.kafka.storage.internals.generated",
        "org.apache.kafka.server.storage.log.generated",
    };

    public static void main(String[] args) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var out = new StringBuilder();
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ", -1);
            try {
                byte[] back = echo(words[0], Short.parseShort(words[1]), HexFormat.of().parseHex(words[2]));
                out.append(HexFormat.of().formatHex(back)).append('\n');
            } catch (Throwable fault) {
                Throwable cause = fault.getCause() == null ? fault : fault.getCause();
                out.append("error ").append(cause.toString().replace('\n', ' ')).append('\n');
            }
        }
        System.out.print(out);
    }

    static byte[] echo(String name, short version, byte[] body) throws Exception {
        var in = ByteBuffer.wrap(body);
        var message = (Message) find(name).getConstructor(Readable.class, short.class)
            .newInstance(new ByteBufferAccessor(in), version);
        if (in.hasRemaining()) throw new IllegalStateException(in.remaining() + " bytes left");
        var cache = new ObjectSerializationCache();
        var out = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(out), cache, version);
        return out.array();
    }

    static Class<?> find(String name) throws ClassNotFoundException {
        for (String folder : PACKAGES) {
            for (String suffix : new String[] {"", "Data"}) {
                try {
                    var found = Class.forName(folder + "." + name + suffix);
                    if (Message.class.isAssignableFrom(found)) return found;
                } catch (ClassNotFoundException next) { }
            }
        }
        throw new ClassNotFoundException(name);
    }
}
