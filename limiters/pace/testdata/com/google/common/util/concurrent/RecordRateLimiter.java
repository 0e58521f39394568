// Records what Guava's own RateLimiter answers under a clock that is moved by hand, as lines of JSON, guava.jsonl:
// a limiter, and its steps as [microseconds since it began, permits, longest wait or -1, 1 if acquired, microseconds slept].
// It lies in Guava's package because its stopwatch and its limiters' constructors are private to that.
//
//   mvn dependency:copy -Dartifact=com.google.guava:guava:33.4.8-jre -DoutputDirectory=lib
//   mvn dependency:copy -Dartifact=com.google.guava:failureaccess:1.0.3 -DoutputDirectory=lib
//   javac -cp 'lib/*' -d out com/google/common/util/concurrent/RecordRateLimiter.java
//   java -cp 'lib/*:out' com.google.common.util.concurrent.RecordRateLimiter > guava.jsonl
package com.google.common.util.concurrent;

import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

final class RecordRateLimiter {
  /** A stopwatch that stands still until it is moved, and only notes for how long it was asked to sleep. */
  private static final class Clock extends RateLimiter.SleepingStopwatch {
    long now;
    long slept;

    @Override
    protected long readMicros() {
      return now;
    }

    @Override
    protected void sleepMicrosUninterruptibly(long micros) {
      slept = micros;
    }
  }

  private static final long IDLE = TimeUnit.HOURS.toMicros(1);

  public static void main(String[] args) {
    Random random = new Random(20240229);
    int[][] rates = {{5, 1}, {10, 1}, {1, 1}, {1000, 1}, {3, 1}, {7, 2}, {30, 60}, {100, 7}};
    int[] bursts = {0, 1, 5, 50};
    for (int[] rate : rates) {
      for (int burst : bursts) {
        record(random, burst, rate[0], rate[1], 0);
      }
      for (int warmup : new int[] {1, 3, 10}) {
        record(random, 0, rate[0], rate[1], TimeUnit.SECONDS.toMicros(warmup));
      }
    }
  }

  private static void record(Random random, int burst, int count, int period, long warmup) {
    Clock clock = new Clock();
    double rate = (double) count / period;
    SmoothRateLimiter limiter =
        warmup > 0
            ? new SmoothRateLimiter.SmoothWarmingUp(clock, warmup, TimeUnit.MICROSECONDS, 3.0)
            : new SmoothRateLimiter.SmoothBursty(clock, burst / rate);
    limiter.setRate(rate);
    clock.now = IDLE; // a limiter that was never used is one that was idle for long
    StringJoiner steps = new StringJoiner(",");
    long interval = (long) (1e6 / rate);
    for (int i = 0; i < 60; i++) {
      if (random.nextInt(3) > 0) {
        clock.now += (long) (random.nextDouble() * 3 * interval);
      }
      if (random.nextInt(15) == 0) {
        clock.now += (long) (random.nextDouble() * (burst + 2) * interval + random.nextDouble() * 2 * warmup);
      }
      int permits = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(2 * burst + 5);
      long maxWait = random.nextInt(3) == 0 ? random.nextInt((int) Math.min(4 * interval + 1, 1 << 30)) : -1;
      clock.slept = 0;
      boolean ok = true;
      if (maxWait < 0) {
        limiter.acquire(permits);
      } else {
        ok = limiter.tryAcquire(permits, maxWait, TimeUnit.MICROSECONDS);
      }
      steps.add(
          String.format(
              "[%d,%d,%d,%d,%d]", clock.now - IDLE, permits, maxWait, ok ? 1 : 0, clock.slept));
    }
    System.out.printf(
        "{\"max_burst\":%d,\"count\":%d,\"period\":%d,\"warmup\":%d,\"steps\":[%s]}%n",
        burst, count, period, warmup, steps);
  }
}
