// Drives a server with ioredis; the checks are those of README.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import Redis from 'ioredis';
import { ADDR, AUTH_ADDR, CLUSTER_ADDR, PASSWORD, REFERENCE, USER, check, throttle, throttleError } from './check.mjs';

const CHECKS = {
  async ping(r) {
    assert.equal(await r.ping(), 'PONG');
  },
  async strings(r) {
    assert.equal(await r.set('s', 'v'), 'OK');
    assert.equal(await r.get('s'), 'v');
    assert.equal(await r.setex('s', 100, 'w'), 'OK');
    assert.ok((await r.ttl('s')) > 0);
    assert.equal(await r.incr('n'), 1);
    assert.equal(await r.incrby('n', 41), 42);
    assert.equal(await r.expire('n', 50), 1);
    assert.ok((await r.pttl('n')) > 0);
    assert.deepEqual(await r.mget('s', 'none', 'n'), ['w', null, '42']);
    assert.equal(await r.del('s', 'n', 'none'), 2);
  },
  async nulls(r) {
    assert.equal(await r.get('none'), null);
    assert.equal(await r.ttl('none'), -2);
    assert.equal(await r.zscore('none', 'm'), null);
    assert.equal(await r.set('none', 'v', 'XX'), null);
  },
  async zset(r) {
    assert.equal(await r.zadd('z', 1, 'a', 2.5, 'b', '+inf', 'c'), 3);
    const pairs = (await r.zrange('z', 0, -1, 'WITHSCORES')).flat().map(String);
    assert.equal(pairs.join(' ').replace('Infinity', 'inf'), 'a 1 b 2.5 c inf');
    assert.equal(Number(await r.zscore('z', 'b')), 2.5);
    assert.equal(Number(await r.zincrby('z', 0.25, 'b')), 2.75);
    assert.deepEqual(await r.zrangebyscore('z', '(1', 3), ['b']);
    assert.deepEqual((await r.zpopmin('z')).flat().map(String), ['a', '1']);
  },
  async pipeline(r) {
    const p = r.pipeline();
    for (let i = 0; i < 1000; i++) p.incr('p');
    assert.deepEqual((await p.exec()).map(([err, n]) => err ?? n), Array.from({ length: 1000 }, (_, i) => i + 1));
  },
  async transaction(r) {
    assert.deepEqual(await r.multi().set('t', 1).incr('t').get('t').exec(), [[null, 'OK'], [null, 2], [null, '2']]);
    const other = r.duplicate();
    await r.watch('t');
    await other.set('t', 9);
    assert.equal(await r.multi().set('t', 10).exec(), null);
    assert.equal(await r.get('t'), '9');
    other.disconnect();
  },
  async slidingLog(r) {
    for (let i = 0; i < 4; i++) {
      const now = 1000 + i;
      const p = r.multi().zremrangebyscore('log', 0, now - 2).zcard('log').zadd('log', now, String(now)).expire('log', 60);
      assert.deepEqual((await p.exec()).map(([, n]) => n), [i >= 2 ? 1 : 0, Math.min(i, 1), 1, 1]);
    }
  },
  async scan(r) {
    const p = r.pipeline();
    for (let i = 0; i < 5000; i++) p.set(`scan:${i}`, i);
    await p.exec();
    const seen = new Set();
    for await (const keys of r.scanStream({ match: 'scan:*', count: 100 })) keys.forEach((k) => seen.add(k));
    assert.equal(seen.size, 5000);
  },
  throttle: (r) => throttle((...args) => r.call(...args)),
  async errors(r) {
    await r.zadd('z', 1, 'a');
    await assert.rejects(r.incr('z'), /^ReplyError: WRONGTYPE Operation against a key/);
    await r.set('s', 'word');
    await assert.rejects(r.incr('s'), /value is not an integer or out of range/);
    await throttleError((...args) => r.call(...args));
    assert.equal(await r.ping(), 'PONG');
  },
  async client(r) {
    assert.equal(await r.client('SETNAME', 'tester'), 'OK');
    assert.equal(await r.client('GETNAME'), 'tester');
    assert.match(String(await r.client('INFO')), / name=tester /);
    assert.match(String(await r.client('LIST')), / name=tester /);
    assert.match(String(await r.info()), /redis_version:7\./);
  },
  async binary(r) {
    const key = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const value = randomBytes(5 << 20);
    assert.equal(await r.set(key, value), 'OK');
    assert.ok(value.equals(await r.getBuffer(key)));
    assert.ok((await r.keysBuffer('*')).some((k) => key.equals(k)));
  },
  async reconnect(r) {
    const me = r.duplicate();
    assert.equal(await r.client('KILL', 'ID', await me.client('ID')), 1);
    await new Promise((yes) => me.once('ready', yes));
    assert.equal(await me.ping(), 'PONG');
    me.disconnect();
  },
};

const SERVERS = {
  async select(options) {
    const [zero, five] = [new Redis({ ...ADDR, ...options }), new Redis({ ...ADDR, ...options, db: 5 })];
    await five.set('five', 1);
    assert.equal(await zero.get('five'), null);
    await zero.select(5);
    assert.equal(await zero.get('five'), '1');
    assert.match(String(await five.client('INFO')), / db=5 /);
    [zero, five].forEach((r) => r.disconnect());
  },
  async auth(options) {
    const no = new Redis({ ...AUTH_ADDR, ...options, retryStrategy: null });
    no.on('error', () => {});
    await assert.rejects(no.get('k'), /NOAUTH|WRONGPASS|Connection is closed/);
    const yes = new Redis({ ...AUTH_ADDR, ...options, password: PASSWORD, connectionName: 'me' });
    assert.equal(await yes.client('GETNAME'), 'me');
    [no, yes].forEach((r) => r.disconnect());
  },
  async cluster(options) {
    const c = new Redis.Cluster([CLUSTER_ADDR], { redisOptions: options });
    await c.flushall();
    assert.equal(await c.set('a', 1), 'OK');
    assert.equal(await c.get('a'), '1');
    assert.equal(c.nodes('master').length, 1);
    assert.equal(await c.mset('{t}a', 1, '{t}b', 2), 'OK');
    assert.deepEqual(await c.mget('{t}a', '{t}b'), ['1', '2']);
    assert.equal(await c.cluster('KEYSLOT', '{t}a'), 15891);
    await assert.rejects(c.mget('a', 'b'), /CROSSSLOT Keys in request don't hash to the same slot/);
    const p = c.pipeline();
    for (let i = 0; i < 1000; i++) p.incr(`{p}${i % 7}`);
    assert.equal((await p.exec()).filter(([err]) => !err).length, 1000);
    if (REFERENCE) await assert.rejects(c.call(...USER), /unknown command/);
    else assert.deepEqual(await c.call(...USER), [0, 16, 15, -1, 2]);
    assert.match(String(await c.cluster('NODES')), /myself,master .* connected 0-16383/);
    c.disconnect();
  },
};

for (const protocol of [3, 2]) {
  const options = protocol === 3 ? {} : { protocol };
  const r = new Redis({ ...ADDR, ...options });
  for (const [name, run] of Object.entries(CHECKS)) {
    await check('ioredis', `RESP${protocol} ${name}`, async () => { await r.flushall(); await run(r); });
  }
  r.disconnect();
  for (const [name, run] of Object.entries(SERVERS)) await check('ioredis', `RESP${protocol} ${name}`, () => run(options));
}
process.exit(0);
