import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/**
 * Calls a cluster until standard input ends. Each call prints a line, which ../README.md describes.
 *
 * usage: Failover jedis-cluster|lettuce-cluster
 */
public class Failover {
  private static final String[] NODES = System.getenv("NODES").split(",");
  private static final String[] LIMIT = {"49", "1", "1000000"};
  private static final boolean DEFAULTS = System.getenv("DEFAULTS") != null;
  private static final boolean COUNTERS = System.getenv("COUNTERS") != null;
  private static volatile boolean stopped;

  /** A library's generic call. */
  private interface Call {
    Object of(String command, String key, String... args) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    Call call = args[0].equals("jedis-cluster") ? jedis() : lettuce();
    List<Thread> workers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      int worker = w;
      Thread thread = new Thread(() -> work(args[0], worker, call));
      thread.setDaemon(true);
      thread.start();
      workers.add(thread);
    }
    while (System.in.read() >= 0) {}
    stopped = true;
    for (Thread thread : workers) thread.join(30_000);
    System.exit(0);
  }

  private static void work(String name, int worker, Call call) {
    for (int i = 0; !stopped; i++) {
      boolean limit = i % 4 == 3 && !COUNTERS;
      String key = limit ? name + ":limit:" + i / 4 % 10 : name + ":counter:" + worker + ":" + i % 5;
      System.out.println(worker + " call " + key);
      try {
        Object reply = limit ? call.of("CL.THROTTLE", key, LIMIT) : call.of("INCR", key);
        while (reply instanceof List<?> list) reply = list.get(0);
        System.out.println(worker + " ok " + key + " " + reply);
        Thread.sleep(5);
      } catch (Exception err) {
        System.out.println(worker + " error " + key + " " + err.toString().replaceAll("\\s+", " "));
        try {
          Thread.sleep(20);
        } catch (InterruptedException ended) {
          return;
        }
      }
    }
  }

  private static Call jedis() {
    Set<HostAndPort> nodes = Stream.of(NODES).map(HostAndPort::from).collect(Collectors.toSet());
    var builder = redis.clients.jedis.RedisClusterClient.builder().nodes(nodes);
    if (!DEFAULTS) {
      // By default Jedis spends up to ten seconds on one call before it asks for the new leader.
      var config = DefaultJedisClientConfig.builder().connectionTimeoutMillis(500).socketTimeoutMillis(500).build();
      builder
          .clientConfig(config)
          .maxTotalRetriesDuration(Duration.ofSeconds(1))
          .topologyRefreshPeriod(Duration.ofMillis(500));
    }
    var client = builder.build();
    return (command, key, args) -> {
      CommandArguments all = new CommandArguments(() -> command.getBytes(StandardCharsets.UTF_8)).key(key);
      return client.executeCommand(all.addObjects((Object[]) args));
    };
  }

  private static Call lettuce() {
    List<RedisURI> nodes = Stream.of(NODES).map(node -> uri(node)).toList();
    var client = RedisClusterClient.create(nodes);
    if (!DEFAULTS) client.setOptions(settings());
    var connection = connected(client);
    return (command, key, args) -> {
      ProtocolKeyword keyword =
          new ProtocolKeyword() {
            @Override
            public byte[] getBytes() {
              return command.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String toString() {
              return command;
            }
          };
      CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8).addKey(key).addValues(List.of(args));
      return connection.sync().dispatch(keyword, new NestedMultiOutput<>(StringCodec.UTF8), all);
    };
  }

  /** While Java starts, a connection may take longer than its timeout. */
  private static StatefulRedisClusterConnection<String, String> connected(RedisClusterClient client) {
    for (int tries = 1; ; tries++) {
      try {
        return client.connect();
      } catch (RedisException err) {
        if (tries == 10) throw err;
      }
    }
  }

  private static RedisURI uri(String node) {
    RedisURI uri = RedisURI.create("redis://" + node);
    if (!DEFAULTS) uri.setTimeout(Duration.ofMillis(500));
    return uri;
  }

  /** Without a refresh Lettuce keeps to a dead leader, and without a timeout it waits a minute for each reply. */
  private static ClusterClientOptions settings() {
    return ClusterClientOptions.builder()
        .topologyRefreshOptions(
            ClusterTopologyRefreshOptions.builder()
                .enableAllAdaptiveRefreshTriggers()
                .enablePeriodicRefresh(Duration.ofMillis(500))
                .build())
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofMillis(500)).build())
        .timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(500)))
        .build();
  }
}
