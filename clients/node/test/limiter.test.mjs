import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createCluster } from 'redis';
import { Limiter, network, NoDecision } from 'cellserver-ratelimit';
import { inside, Server } from './harness.mjs';

const { LONGEST } = inside('denials.cjs');
const { readDecision } = inside('reply.cjs');

/**
 * Starts a server with a rule, and a limiter that a loaded machine does not make late. clock.now is its time
 * in milliseconds.
 */
const start = async (t, options, ...rule) => {
  const server = await Server.start(t);
  const clock = { now: 0 };
  const client = await server.client(t);
  const limiter = new Limiter(client, { timeout: 60_000, now: () => clock.now, ...options });
  if (rule.length) await server.do('CL.RULE', 'SET', 'api', ...rule);
  return { server, client, limiter, clock };
};

const once = ['CL.WINDOW', 1, 3600];

test('a hot key costs one command a second', async (t) => {
  const { server, limiter, clock } = await start(t, {}, ...once);
  assert.equal((await limiter.ask(['api', 'ann'])).allowed, true);
  const before = await server.questions();
  for (; clock.now < 10_000; clock.now++) assert.equal((await limiter.ask(['api', 'ann'])).headers()['Retry-After'], '3600');
  assert.equal(await server.questions() - before, 10);
});

test('a remembered refusal ends when the limit allows the action', async (t) => {
  const { server, limiter, clock } = await start(t, {}, 'CL.THROTTLE', 0, 10, 1);
  let allowed = 0;
  for (; clock.now < 2000; clock.now += 2) {
    if ((await limiter.ask(['api', 'ann'])).allowed) allowed++;
    await server.do('DEBUG', 'CLOCK', 'ADVANCE', 2_000_000);
  }
  assert.equal(allowed, 20);
  assert.ok(await server.questions() <= 2 * allowed);
});

test('a remembered refusal ends a second after its rule', async (t) => {
  const { server, limiter, clock } = await start(t, {}, ...once);
  const allowed = async () => (await limiter.ask(['api', 'ann'])).allowed;
  assert.deepEqual([await allowed(), await allowed()], [true, false]);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 5, 3600);
  clock.now = LONGEST - 1;
  assert.equal(await allowed(), false);
  clock.now = LONGEST;
  assert.deepEqual([await allowed(), await allowed()], [true, true]);
});

test('a remembered refusal refuses its quantity and larger ones, and says nothing of smaller ones', async (t) => {
  const { server, limiter, clock } = await start(t, {}, 'CL.WINDOW', 100, 3600);
  const steps = [
    [60, true, 1], [60, false, 1], [60, false, 0], [99n, false, 0], [1, true, 1], [60, false, 0], [50, false, 1], [50, false, 0],
    [60, false, 0], [49, false, 1], [39, true, 1], [1, false, 1], [2, false, 0], [2n ** 63n - 1n, false, 0], [0, true, 1],
  ];
  for (const [quantity, allowed, asked] of steps) {
    const before = await server.questions();
    assert.equal((await limiter.askFor(quantity, ['api', 'ann'])).allowed, allowed, `${quantity}`);
    assert.equal(await server.questions() - before, asked, `${quantity}`);
  }
  clock.now = LONGEST;
  const before = await server.questions();
  for (let i = 0; i < 10; i++) assert.equal((await limiter.askFor(70, ['api', 'ann'])).allowed, false);
  assert.equal(await server.questions() - before, 1);
});

test('a wrong quantity is an error of the service', async () => {
  const limiter = new Limiter(async () => assert.fail('it must not ask'));
  for (const quantity of [-1, 1.5, NaN, Infinity, 2 ** 53, '7', null, undefined, -1n, 2n ** 63n]) {
    await assert.rejects(limiter.askFor(quantity, ['api', 'ann']), RangeError);
  }
});

test('one request asks again after the end of a remembered refusal', async (t) => {
  const { server, limiter, clock } = await start(t, {}, ...once);
  await limiter.ask(['api', 'ann']);
  await limiter.ask(['api', 'ann']);
  clock.now = LONGEST;
  const before = await server.questions();
  await Promise.all(Array.from({ length: 100 }, () => limiter.ask(['api', 'ann'])));
  assert.equal(await server.questions() - before, 1);
});

test('the remembered refusals are bounded', async (t) => {
  const { server, limiter } = await start(t, { denials: 10 }, ...once);
  const allowed = async (key) => (await limiter.ask(['api', key])).allowed;
  for (let i = 0; i < 100; i++) assert.deepEqual([await allowed(`user:${i}`), await allowed(`user:${i}`)], [true, false]);
  const before = await server.questions();
  for (let i = 90; i < 100; i++) assert.equal(await allowed(`user:${i}`), false);
  assert.equal(await server.questions(), before);
  for (let i = 0; i < 90; i++) assert.equal(await allowed(`user:${i}`), false);
  assert.equal(await server.questions(), before + 90);
});

test('many requests at once get exactly what the rule allows', async (t) => {
  const { limiter } = await start(t, {}, 'CL.THROTTLE', 99, 1, 3600);
  const decisions = await Promise.all(Array.from({ length: 500 }, () => limiter.ask(['api', 'ann'])));
  assert.equal(decisions.filter(({ allowed }) => allowed).length, 100);
});

test('long and binary keys', async (t) => {
  const { server, limiter } = await start(t, { denials: 0 }, ...once);
  const keys = ['x'.repeat(256), 'x'.repeat(257), 'y'.repeat(1 << 20), '\ud800', 'é'.repeat(200), Buffer.from([255, 254, 0]), undefined, 17, 18n, false];
  for (const key of keys) {
    assert.equal((await limiter.ask(['api', key])).allowed, true);
    assert.equal((await limiter.ask(['api', key])).allowed, false);
  }
  assert.equal(await server.do('EXISTS', `api:{${'x'.repeat(256)}}:window`), 1);
  assert.equal(await server.do('EXISTS', 'api:{sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f}:window'), 1);
});

test('a key that is no text, number, boolean or bytes is an error of the service', async () => {
  const limiter = new Limiter(async () => assert.fail('it must not ask'));
  for (const key of [{ id: 1 }, ['a', 'b'], Promise.resolve('ann'), () => 'ann', Symbol('ann'), new Date(0)])
    await assert.rejects(limiter.ask(['api', key]), /a key is a text, a number, a boolean or bytes, not/);
});

test('a question without the name of a rule is an error of the service', async () => {
  const limiter = new Limiter(async () => assert.fail('it must not ask'));
  for (const questions of [[], [['', 'ann']], [[undefined, 'ann']], [['api', 'ann'], []], ['api', 'ann']])
    await assert.rejects(limiter.ask(...questions), /a question is the name of a rule and a key/);
});

const wrongTimeouts = [0, -1, 0.5, NaN, Infinity, 3e9, '1s', null];

test('wrong options are refused with a sentence', () => {
  const client = async () => {};
  for (const timeout of wrongTimeouts) assert.throws(() => new Limiter(client, { timeout }), /timeout is a number/);
  for (const denials of [NaN, -1, 1.5, Infinity, '9'])
    assert.throws(() => new Limiter(client, { denials }), /denials is a(n integer from 0| number)/);
  const refusals = [
    [{ failclosed: true }, /Limiter has no option failclosed. It has timeout, failClosed, denials, lease, onError, now/],
    [{ failClosed: 'no' }, /failClosed is a boolean, not 'no'/],
    [{ onError: console }, /onError is a function/],
    [250, /Limiter takes an object of options, not 250/],
    [null, /Limiter takes an object of options, not null/],
  ];
  for (const [options, message] of refusals) assert.throws(() => new Limiter(client, options), message);
  for (const wrong of [undefined, null, 'redis://127.0.0.1:6379', {}])
    assert.throws(() => new Limiter(wrong), /client is a client of node-redis or ioredis/);
  new Limiter(client, { timeout: 2 ** 31 - 1, denials: 0, failClosed: undefined, onError: undefined });
});

test('the server is down, and comes back', async (t) => {
  const errors = [];
  const { server, client, limiter, clock } = await start(t, { failClosed: true, onError: (error) => errors.push(error) }, ...once);
  const open = new Limiter(client, { timeout: 60_000, onError: (error) => errors.push(error) });
  await limiter.ask(['api', 'ann']);
  await limiter.ask(['api', 'ann']);
  await server.kill();
  assert.equal((await limiter.ask(['api', 'ann'])).allowed, false, 'the refusal is remembered');
  clock.now = LONGEST;
  await assert.rejects(limiter.ask(['api', 'ann']), NoDecision);
  assert.deepEqual((await open.ask(['api', 'ann'])).headers(), {});
  assert.equal(errors.length, 2);

  const ready = new Promise((resolve) => client.once('ready', resolve));
  await server.run();
  await ready;
  await client.sendCommand(['CL.RULE', 'SET', 'api', ...once.map(String)]);
  assert.equal((await limiter.ask(['api', 'ann'])).allowed, true);
});

test('the server is slow: requests wait for the time-out only, and few of them', async (t) => {
  const errors = [];
  const { server, limiter } = await start(t, { timeout: 50, failClosed: true, denials: 0, onError: (error) => errors.push(error.message) }, ...once);
  await server.do('CL.RULE', 'SET', 'other', 'CL.WINDOW', 7, 3600);
  server.process.kill('SIGSTOP');
  while (!/\) T /.test(readFileSync(`/proc/${server.process.pid}/stat`))) await sleep(1); // the signal acts a moment later
  const began = performance.now();
  const results = await Promise.allSettled(Array.from({ length: 1500 }, () => limiter.ask(['api', 'ann'])));
  assert.ok(results.every(({ reason }) => reason instanceof NoDecision));
  assert.ok(performance.now() - began < 10_000);
  assert.equal(errors.filter((message) => message === 'no decision within 50 ms').length, 1000);
  assert.equal(errors.filter((message) => message === '1000 questions wait for the server').length, 500);

  server.process.kill('SIGCONT');
  await server.do('PING');
  let decision;
  while (!decision) {
    await setImmediate(); // lets the client read the replies that waited
    decision = await limiter.ask(['other', 'bob']).catch(() => undefined); // the time-out is short
  }
  assert.match(decision.limit, /"other";r=\d;/);
});

test('error replies', async (t) => {
  const errors = [];
  const { server, limiter } = await start(t, { failClosed: true, onError: (error) => errors.push(error.message) }, ...once);
  await server.do('ZADD', 'api:{ann}:window', 1, 'member');
  for (const questions of [[['unknown', 'ann']], [['api', 'ann']]]) await assert.rejects(limiter.ask(...questions), NoDecision);
  assert.match(errors[0], /no such rule/);
  assert.match(errors[1], /WRONGTYPE/);
  for (const reply of [null, 'text', [1, 0, [1]], [1, 0, [1, 1, 1, 1, 1, '', '', [1], 0]]]) {
    await assert.rejects(new Limiter(async () => reply, { failClosed: true, onError() {} }).ask(['api', 'ann']), NoDecision);
  }
});

test('one error in 10 seconds is logged', async (t) => {
  const lines = t.mock.method(console, 'error', () => {});
  let now = 0;
  const limiter = new Limiter(async () => { throw new Error('nobody answers'); }, { now: () => now });
  for (; now < 25_000; now += 500) assert.equal((await limiter.ask(['api', 'ann'])).allowed, true);
  assert.equal(lines.mock.callCount(), 3);
});

test('a cluster', async (t) => {
  const server = await Server.start(t, '--cluster-enabled', 'yes');
  await server.do('CL.RULE', 'SET', 'api', ...once);
  const cluster = await createCluster({ rootNodes: [{ url: server.url }] }).connect();
  t.after(() => cluster.destroy());
  const options = { timeout: 60_000, failClosed: true };
  const limiter = new Limiter((args) => cluster.sendCommand(args[3], false, args), options);
  assert.equal((await limiter.ask(['api', 'ann'], ['api', '{ann}x'])).allowed, true);
  assert.equal((await limiter.ask(['api', 'ann'], ['api', '{ann}x'])).allowed, false);
});

test('keys of addresses', () => {
  const keys = {
    '10.0.0.1': '10.0.0.1', '::ffff:10.0.0.1': '10.0.0.1', '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64', 'fe80::1%eth0': 'fe80::/64',
    '::1': '::/64', '2001:db8::1:0:0:1': '2001:db8::/64', '1:0:0:2:3:4:5:6': '1:0:0:2::/64', '@': '@', '': '',
  };
  for (const [address, key] of Object.entries(keys)) assert.equal(network(address), key);
});

test('a refusal that never ends; a quantity of 1 cannot cause this reply today', () => {
  const limit = ['', 'CL.WINDOW 5 60', 1, 5, 5, -1, 0, -1, 'rule'];
  const decision = readDecision([1, 0, [1, 5, 5, -1, 0, '', 'CL.WINDOW 5 60', [limit], 0]], ['api']);
  assert.deepEqual(decision.headers(), { 'RateLimit-Policy': '"api";q=5', RateLimit: '"api";r=5;t=0' });
});
