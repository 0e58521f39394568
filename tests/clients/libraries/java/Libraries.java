import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Rate-limit libraries of Java, as users run them. */
public class Libraries {
  private static final String ADDRESS = "redis://" + System.getenv("ADDR");
  private static final RedisClient lettuce = RedisClient.create(ADDRESS);
  private static final RedisCommands<String, String> commands = lettuce.connect().sync();

  private interface Check {
    void run() throws Exception;
  }

  private static void check(String name, Check check) {
    try {
      commands.flushall();
      check.run();
      System.out.println("ok   " + name);
    } catch (Throwable e) { // a check that fails must not end the others
      System.out.println(("FAIL " + name + ": " + e).replace("\n", " "));
    }
  }

  private static void equal(Object want, Object got) {
    if (!want.equals(got)) throw new AssertionError("want " + want + ", got " + got);
  }

  /** Asks several times and returns the answers. */
  private static List<Boolean> times(int n, BooleanSupplier ask) {
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < n; i++) answers.add(ask.getAsBoolean());
    return answers;
  }

  public static void main(String[] args) {
    check("bucket4j lettuce", Libraries::bucket4j);
    check("redisson RRateLimiter", () -> redisson(RateType.OVERALL));
    check("redisson RRateLimiter per client", () -> redisson(RateType.PER_CLIENT));
    check("Spring Cloud Gateway request_rate_limiter.lua", Libraries::spring);
    System.exit(0);
  }

  private static void bucket4j() {
    ProxyManager<byte[]> manager = Bucket4jLettuce.casBasedBuilder(lettuce)
        .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10))).build();
    BucketConfiguration limit = BucketConfiguration.builder()
        .addLimit(l -> l.capacity(3).refillIntervally(3, Duration.ofMinutes(1))).build();
    byte[] key = "user".getBytes(StandardCharsets.UTF_8);
    Bucket bucket = manager.builder().build(key, () -> limit);
    equal(List.of(true, true, true, false, false), times(5, () -> bucket.tryConsume(1)));
    equal(0L, bucket.getAvailableTokens());
    long wait = bucket.tryConsumeAndReturnRemaining(2).getNanosToWaitForRefill();
    equal(true, wait > 0 && wait <= Duration.ofMinutes(1).toNanos());
    bucket.addTokens(1);
    equal(List.of(true, false), times(2, () -> bucket.tryConsume(1)));
    equal(true, commands.pttl("user") > 0);
    manager.removeProxy(key);
    equal(0L, commands.exists("user"));
    equal(true, manager.builder().build(key, () -> limit).tryConsume(3));
  }

  private static void redisson(RateType type) {
    Config config = new Config();
    config.useSingleServer().setAddress(ADDRESS).setConnectionMinimumIdleSize(1);
    RedissonClient client = Redisson.create(config);
    try {
      RRateLimiter limiter = client.getRateLimiter("user");
      equal(true, limiter.trySetRate(type, 3, Duration.ofMinutes(1)));
      equal(false, limiter.trySetRate(type, 5, Duration.ofMinutes(1)));
      equal(3L, limiter.getConfig().getRate());
      equal(List.of(true, true, true, false, false), times(5, limiter::tryAcquire));
      equal(0L, limiter.availablePermits());
      limiter.setRate(type, 2, Duration.ofSeconds(3)); // three questions take less, also on a busy machine
      equal(List.of(true, true, false), times(3, limiter::tryAcquire));
      equal(true, limiter.tryAcquire(1, Duration.ofMinutes(1)));
      equal(true, limiter.delete());
      equal(false, limiter.isExists());
    } finally {
      client.shutdown();
    }
  }

  /** The script of RedisRateLimiter, with its keys and arguments. The time comes from the server. */
  private static void spring() throws Exception {
    String script;
    try (var in = Libraries.class.getResourceAsStream("/META-INF/scripts/request_rate_limiter.lua")) {
      script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String[] keys = {"request_rate_limiter.{user}.tokens", "request_rate_limiter.{user}.timestamp"};
    String sha = commands.digest(script);
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      try {
        answers.add(commands.evalsha(sha, ScriptOutputType.MULTI, keys, "1", "3600", "", "1200"));
      } catch (io.lettuce.core.RedisNoScriptException e) { // as Spring does
        answers.add(commands.eval(script, ScriptOutputType.MULTI, keys, "1", "3600", "", "1200"));
      }
    }
    equal(List.of(1L, 2400L), answers.get(0));
    for (int i = 0; i < 5; i++) equal(i < 3 ? 1L : 0L, ((List<?>) answers.get(i)).get(0));
    equal(true, commands.ttl(keys[0]) > 7000);
  }
}
