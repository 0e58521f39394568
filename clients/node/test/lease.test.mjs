import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Redis from 'ioredis';
import { Limiter } from 'cellserver-ratelimit';
import { inside, Server } from './harness.mjs';

const { Account } = inside('account.cjs');
const { sendsOnce } = inside('send.cjs');

const listOf = (answer) =>
  answer ? [answer.limit, answer.remaining, answer.retryAfter, answer.resetAfter] : [0, 0, 0, 0];

/** Returns the words of a question, as the stories have them. */
const wordsOf = (ask) =>
  ask ? [ask.want, ask.ttl, ask.back?.units ?? 0, ask.back?.at ?? 0, ask.back?.ends ?? 0] : null;

/** Takes a step of a story, and returns what the story has at its end. `asks` are the questions so far. */
const step = (account, asks, name, now, args) => {
  switch (name) {
    case 'take':
    case 'again': {
      const [verdict, answer] = account[name](now, args[0]);
      return [args[0], verdict, listOf(answer)];
    }
    case 'look': {
      const seen = account.look(now, args[0]);
      return [args[0], seen !== undefined, seen?.[0] ?? false, listOf(seen?.[1])];
    }
    case 'nextAsk':
    case 'giveBack': {
      const ask = account[name](now);
      if (ask) asks.set(ask.number, ask);
      return [wordsOf(ask)];
    }
    case 'passed': {
      const [limit, remaining, retryAfter, resetAfter] = args[3];
      account.passed(now, { boot: args[0] }, args[1], args[2], { limit, remaining, retryAfter, resetAfter });
      return args;
    }
    case 'gone':
      account.gone(args[0]);
      return args;
    default:
      account[name](now, asks.get(args[0]), args[1]);
      return args;
  }
};

test('the account decides as that of the server', () => {
  const stories = readFileSync(new URL('../../account.jsonl', import.meta.url), 'utf8').trim().split('\n');
  let steps = 0;
  for (const story of stories) {
    const [[, lease], ...all] = JSON.parse(story);
    const account = new Account(lease),
      asks = new Map();
    for (const [name, boot, wall, ...args] of all) {
      assert.deepEqual(step(account, asks, name, { boot, wall }, args), args, `${name} at ${boot}`);
      steps++;
    }
  }
  assert.ok(steps > 4000);
});

/** Starts a server with a rule, and a limiter with leases. Their clocks are those of the test. */
const start = async (t, rule, options) => {
  const server = await Server.start(t);
  const clock = { now: 1_800_000_000_000 };
  const client = await server.client(t);
  const limiter = new Limiter(client, { timeout: 60_000, lease: true, now: () => clock.now, ...options });
  await server.do('CL.RULE', 'SET', 'api', ...rule);
  // Every question of before is answered: replies of one connection are in order.
  const answered = async () => {
    await client.sendCommand(['PING']);
    await setImmediate();
  };
  const pass = async (milliseconds) => {
    await answered();
    clock.now += milliseconds;
    await server.do('DEBUG', 'CLOCK', 'ADVANCE', milliseconds * 1_000_000);
  };
  const commands = async () => {
    const line = /cmdstat_cl\.lease:calls=(\d+)/.exec(await server.do('INFO', 'commandstats'));
    return (await server.questions()) + Number(line?.[1] ?? 0);
  };
  const warm = async (key) => {
    for (let i = 0; i < 10; i++, await pass(100))
      for (let j = 0; j < 20; j++) await limiter.ask(['api', key]);
  };
  return { server, limiter, clock, answered, pass, commands, warm };
};

test('a hot key asks for few of its decisions', async (t) => {
  const { limiter, pass, commands, warm } = await start(t, ['CL.THROTTLE', 5999, 6000, 60]);
  assert.equal((await limiter.ask(['api', 'ann'])).limit, '"api";r=5999;t=1');
  await warm('ann');
  const before = await commands();
  for (let i = 0; i < 1000; i++) {
    const decision = await limiter.ask(['api', 'ann']);
    assert.equal(decision.allowed, true);
    assert.equal(decision.policy, '"api";q=6000;w=60');
    assert.match(decision.limit, /^"api";r=5\d\d\d;t=\d+$/);
    assert.equal(decision.tightest.most, 6000);
    if (i % 2) await pass(10);
  }
  assert.ok((await commands()) - before < 40);
});

test('while a lease of the old numbers goes on, its decisions do not all ask the rule', async (t) => {
  const { server, limiter, answered, pass } = await start(t, ['CL.WINDOW', 100_000, 3600]);
  for (let i = 0; i < 100; i++, await pass(99)) for (let j = 0; j < 20; j++) await limiter.ask(['api', 'ann']);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 200_000, 3600);
  await pass(110);
  await limiter.ask(['api', 'ann']); // it asks for the limits of today
  await answered();
  const before = await server.questions();
  let old = 0;
  for (let i = 0; i < 20; i++) old += (await limiter.ask(['api', 'ann'])).limit ? 0 : 1;
  assert.ok(old > 10, String(old));
  await answered();
  assert.ok((await server.questions()) - before <= 2);
});

test('two processes with one key admit what the rule allows, and not one more', async (t) => {
  const { server, limiter, clock, pass } = await start(t, ['CL.WINDOW', 1000, 86400]);
  const options = { timeout: 60_000, lease: true, now: () => clock.now };
  const limiters = [limiter, new Limiter(await server.client(t), options)];
  let admitted = 0;
  for (let i = 0; i < 60; i++, await pass(50)) {
    const decisions = await Promise.all(
      Array.from({ length: 60 }, (_, j) => limiters[j % 2].ask(['api', 'all'])),
    );
    admitted += decisions.filter((decision) => decision.allowed).length;
  }
  assert.ok(admitted <= 1000 && admitted > 900, String(admitted));
  let refused;
  for (let i = 0; i < 10; i++, await pass(1000)) refused = await limiter.ask(['api', 'all']);
  assert.deepEqual([refused.allowed, refused.violated], [false, ['api']]);
  assert.ok(refused.retryAfter > 0);
});

test('a rule that cannot be leased is asked, and so are scopes and several rules', async (t) => {
  const { limiter, commands, warm } = await start(t, ['CL.WINDOW', 10, 60, 'SHADOW']);
  await warm('ann');
  const before = await commands();
  for (let i = 0; i < 10; i++) assert.equal((await limiter.ask(['api', 'ann'])).allowed, true);
  assert.equal((await commands()) - before, 10);
  await limiter.ask(['api', 'ann'], ['api', 'bob']);
  assert.equal((await commands()) - before, 11);
});

test('units are spent until their end without the server', async (t) => {
  const { server, limiter, clock, warm } = await start(t, ['CL.THROTTLE', 5999, 6000, 60], {
    timeout: 5_000, // the first questions have an answer, also on a machine that stops for a while
    failClosed: true,
    onError: () => {},
  });
  await warm('ann');
  await limiter.ask(['api', 'ann']);
  await server.kill();
  for (let i = 0; i < 5; i++) assert.equal((await limiter.ask(['api', 'ann'])).allowed, true);
  clock.now += 2000;
  await setImmediate();
  await assert.rejects(limiter.ask(['api', 'ann']));
});

test('the next question follows soon after an error that passes', async () => {
  for (const [text, soon] of [
    ['LOADING cellserver is loading', true],
    ['READONLY a replica', true],
    ['CLUSTERDOWN no leader', true],
    ['NOPERM no right to cl.lease', false],
  ]) {
    const clock = { now: 1_800_000_000_000 };
    let leases = 0;
    const client = async ([name]) => {
      leases += name === 'CL.LEASE';
      throw new Error(text);
    };
    const limiter = new Limiter(client, { lease: true, now: () => clock.now, onError: () => {} });
    for (let i = 0; i < 20; i++) await limiter.ask(['api', 'ann']); // the key becomes hot
    assert.equal(leases, 1, text);
    clock.now += 100;
    await limiter.ask(['api', 'ann']);
    assert.equal(leases, soon ? 2 : 1, text);
  }
});

test('the options of leases', async () => {
  assert.throws(() => new Limiter(async () => {}, { lease: true, denials: 0 }), /lease/);
  assert.throws(() => new Limiter(async () => {}, { lease: 1 }), TypeError);
  assert.equal(sendsOnce(async () => {}), false);
  for (const resends of [true, false]) {
    const client = new Redis({ lazyConnect: true, autoResendUnfulfilledCommands: resends });
    assert.equal(sendsOnce(client), !resends);
    client.disconnect();
  }
});

test('an action that waits for units, and then asks the rule, has one time-out for both', async (t) => {
  const clock = { now: 1_800_000_000_000 },
    sent = [];
  let takes = 0;
  const client = async ([name]) => {
    sent.push(name);
    await setImmediate();
    if (name === 'CL.LEASE') clock.now += takes;
    throw new Error('lost');
  };
  const limiter = new Limiter(client, { lease: true, now: () => clock.now, onError: () => {} });
  for (let i = 0; i < 20; i++) await limiter.ask(['api', 'ann']); // the key becomes hot
  const timers = t.mock.method(globalThis, 'setTimeout').mock;
  for (const [milliseconds, names] of [
    [100, ['CL.LEASE', 'CL.MCHECK']],
    [250, ['CL.LEASE']],
  ]) {
    clock.now += 100; // the account asks for a lease again
    [sent.length, takes] = [0, milliseconds];
    await limiter.ask(['api', 'ann']);
    assert.deepEqual(sent, names);
  }
  assert.deepEqual(
    timers.calls.map(({ arguments: [, delay] }) => delay),
    [250, 250, 150, 250, 250], // of a question, of who waits for it, and of the rule
  );
});
