// Drives a server with node-redis; the checks are those of README.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { RESP_TYPES, WatchError, createClient, createCluster } from 'redis';
import { ADDR, AUTH_ADDR, CLUSTER_ADDR, PASSWORD, REFERENCE, USER, check, throttle, throttleError } from './check.mjs';

const open = async (options) => {
  const c = createClient(options);
  c.on('error', () => {}); // a killed connection; the commands themselves reject
  await c.connect();
  return c;
};

const CHECKS = {
  async ping(r) {
    assert.equal(await r.ping(), 'PONG');
  },
  async strings(r) {
    assert.equal(await r.set('s', 'v'), 'OK');
    assert.equal(await r.get('s'), 'v');
    assert.equal(await r.setEx('s', 100, 'w'), 'OK');
    assert.ok((await r.ttl('s')) > 0);
    assert.equal(await r.incr('n'), 1);
    assert.equal(await r.incrBy('n', 41), 42);
    assert.equal(await r.expire('n', 50), 1);
    assert.ok((await r.pTTL('n')) > 0);
    assert.deepEqual(await r.mGet(['s', 'none', 'n']), ['w', null, '42']);
    assert.equal(await r.del(['s', 'n', 'none']), 2);
  },
  async nulls(r) {
    assert.equal(await r.get('none'), null);
    assert.equal(await r.ttl('none'), -2);
    assert.equal(await r.zScore('none', 'm'), null);
    assert.equal(await r.set('none', 'v', { condition: 'XX' }), null);
  },
  async zset(r) {
    const members = [{ value: 'a', score: 1 }, { value: 'b', score: 2.5 }, { value: 'c', score: Infinity }];
    assert.equal(await r.zAdd('z', members), 3);
    assert.deepEqual((await r.zRangeWithScores('z', 0, -1)).map((m) => ({ ...m })), members);
    assert.equal(await r.zScore('z', 'b'), 2.5);
    assert.equal(await r.zIncrBy('z', 0.25, 'b'), 2.75);
    assert.deepEqual(await r.zRangeByScore('z', '(1', 3), ['b']);
    assert.deepEqual({ ...(await r.zPopMin('z')) }, members[0]);
  },
  async pipeline(r) {
    const got = await Promise.all(Array.from({ length: 1000 }, () => r.incr('p')));
    assert.deepEqual(got, Array.from({ length: 1000 }, (_, i) => i + 1));
  },
  async transaction(r) {
    assert.deepEqual(await r.multi().set('t', 1).incr('t').get('t').exec(), ['OK', 2, '2']);
    const other = r.duplicate();
    await other.connect();
    await r.watch('t');
    await other.set('t', 9);
    await assert.rejects(r.multi().set('t', 10).exec(), WatchError);
    assert.equal(await r.get('t'), '9');
    other.destroy();
  },
  async slidingLog(r) {
    for (let i = 0; i < 4; i++) {
      const now = 1000 + i;
      const p = r.multi().zRemRangeByScore('log', 0, now - 2).zCard('log').zAdd('log', { score: now, value: String(now) }).expire('log', 60);
      assert.deepEqual(await p.exec(), [i >= 2 ? 1 : 0, Math.min(i, 1), 1, 1]);
    }
  },
  async scan(r) {
    await Promise.all(Array.from({ length: 5000 }, (_, i) => r.set(`scan:${i}`, i)));
    const seen = new Set();
    for await (const keys of r.scanIterator({ MATCH: 'scan:*', COUNT: 100 })) keys.forEach((k) => seen.add(k));
    assert.equal(seen.size, 5000);
  },
  throttle: (r) => throttle((...args) => r.sendCommand(args)),
  async errors(r) {
    await r.zAdd('z', { value: 'a', score: 1 });
    await assert.rejects(r.incr('z'), /WRONGTYPE Operation against a key/);
    await r.set('s', 'word');
    await assert.rejects(r.incr('s'), /value is not an integer or out of range/);
    await throttleError((...args) => r.sendCommand(args));
    assert.equal(await r.ping(), 'PONG');
  },
  async client(r) {
    assert.equal(await r.clientSetName('tester'), 'OK');
    assert.equal(await r.clientGetName(), 'tester');
    assert.equal((await r.clientInfo()).name, 'tester');
    assert.ok((await r.clientList()).some((c) => c.name === 'tester'));
    assert.match(await r.info(), /redis_version:7\./);
  },
  async binary(r) {
    const b = r.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const key = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const value = randomBytes(5 << 20);
    assert.equal(await r.set(key, value), 'OK');
    assert.ok(value.equals(await b.get(key)));
    assert.ok((await b.keys('*')).some((k) => key.equals(k)));
  },
  async reconnect(r) {
    const me = r.duplicate();
    me.on('error', () => {});
    await me.connect();
    const ready = new Promise((yes) => me.once('ready', yes));
    assert.equal(await r.clientKill({ filter: 'ID', id: await me.clientId() }), 1);
    await ready;
    assert.equal(await me.ping(), 'PONG');
    me.destroy();
  },
};

const SERVERS = {
  async select(RESP) {
    const [zero, five] = [await open({ socket: ADDR, RESP }), await open({ socket: ADDR, RESP, database: 5 })];
    await five.set('five', 1);
    assert.equal(await zero.get('five'), null);
    await zero.select(5);
    assert.equal(await zero.get('five'), '1');
    assert.equal((await five.clientInfo()).db, 5);
    [zero, five].forEach((r) => r.destroy());
  },
  async auth(RESP) {
    const refused = { socket: { ...AUTH_ADDR, reconnectStrategy: false }, RESP, password: 'no' };
    await assert.rejects(open(refused), /WRONGPASS/);
    const yes = await open({ socket: AUTH_ADDR, RESP, password: PASSWORD, name: 'me' });
    assert.equal(await yes.clientGetName(), 'me');
    yes.destroy();
  },
  async cluster(RESP) {
    const c = createCluster({ rootNodes: [{ socket: CLUSTER_ADDR }], RESP });
    c.on('error', () => {});
    await c.connect();
    assert.equal(c.masters.length, 1);
    const node = await c.nodeClient(c.masters[0]);
    await node.flushAll();
    assert.equal(await c.set('a', 1), 'OK');
    assert.equal(await c.get('a'), '1');
    assert.equal(await c.mSet([['{t}a', '1'], ['{t}b', '2']]), 'OK');
    assert.deepEqual(await c.mGet(['{t}a', '{t}b']), ['1', '2']);
    assert.equal(await node.clusterKeySlot('{t}a'), 15891);
    await assert.rejects(c.rename('a', 'b'), /CROSSSLOT Keys in request don't hash to the same slot/);
    await Promise.all(Array.from({ length: 1000 }, (_, i) => c.incr(`p${i % 7}`)));
    assert.equal(await node.dbSize(), 10);
    assert.deepEqual(await c.multi().incr('{t}a').incr('{t}b').exec(), [2, 3]);
    const call = c.sendCommand('user', false, USER);
    if (REFERENCE) await assert.rejects(call, /unknown command/);
    else assert.deepEqual(await call, [0, 16, 15, -1, 2]);
    assert.match(await node.clusterInfo(), /cluster_state:ok/);
    c.destroy();
  },
};

for (const RESP of [3, 2]) {
  const r = await open({ socket: ADDR, ...(RESP === 2 && { RESP }) });
  for (const [name, run] of Object.entries(CHECKS)) {
    await check('node-redis', `RESP${RESP} ${name}`, async () => { await r.flushAll(); await run(r); });
  }
  r.destroy();
  for (const [name, run] of Object.entries(SERVERS)) await check('node-redis', `RESP${RESP} ${name}`, () => run(RESP));
}
process.exit(0);
