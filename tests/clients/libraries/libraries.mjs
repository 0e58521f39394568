// Rate-limit libraries of Node, as users run them.
import assert from 'node:assert/strict';
import express from 'express';
import Fastify from 'fastify';
import fastifyRateLimit from '@fastify/rate-limit';
import { rateLimit } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { RateLimiterRedis, BurstyRateLimiter } from 'rate-limiter-flexible';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const [host, port] = process.env.ADDR.split(':');
const io = new Redis({ host, port: Number(port) });
const node = await createClient({ socket: { host, port: Number(port) } }).connect();

async function check(library, name, run) {
  try {
    await io.flushall();
    await run();
    console.log(`ok   ${library} ${name}`);
  } catch (err) {
    console.log(`FAIL ${library} ${name}: ${String(err.message).replaceAll('\n', ' ')}`);
  }
}

/** Serves an application of Express while run asks it. */
async function serve(app, run) {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  try {
    await run(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    await new Promise((done) => server.close(done));
  }
}

const statuses = async (n, ask) => {
  const all = [];
  for (let i = 0; i < n; i++) all.push((await ask()).status);
  return all;
};

for (const [client, sendCommand] of [['ioredis', (c, ...args) => io.call(c, ...args)], ['node-redis', (...args) => node.sendCommand(args)]]) {
  await check('express-rate-limit', `limits requests, with ${client}`, async () => {
    const limiter = rateLimit({ windowMs: 60_000, limit: 3, standardHeaders: 'draft-7', store: new RedisStore({ sendCommand }) });
    const app = express().use(limiter).get('/', (req, res) => res.send('ok'));
    await serve(app, async (url) => {
      assert.deepEqual(await statuses(5, () => fetch(url)), [200, 200, 200, 429, 429]);
      const { headers } = await fetch(url);
      assert.match(headers.get('ratelimit'), /^limit=3, remaining=0, reset=(60|59|5\d)$/);
      await limiter.resetKey('127.0.0.1');
      assert.equal((await fetch(url)).status, 200);
    });
  });
}

await check('express-rate-limit', 'a lost script is loaded again', async () => {
  const store = new RedisStore({ sendCommand: (c, ...args) => io.call(c, ...args) });
  store.init({ windowMs: 60_000 });
  assert.equal((await store.increment('user')).totalHits, 1);
  await io.script('FLUSH');
  assert.equal((await store.increment('user')).totalHits, 2);
  await store.decrement('user');
  assert.equal((await store.get('user')).totalHits, 1);
});

for (const [client, options] of [['ioredis', { storeClient: io }], ['node-redis', { storeClient: node, useRedisPackage: true }]]) {
  await check('rate-limiter-flexible', `consume, penalty, reward, block, get, delete, with ${client}`, async () => {
    const limiter = new RateLimiterRedis({ ...options, points: 3, duration: 60, blockDuration: 120 });
    for (const left of [2, 1, 0]) assert.equal((await limiter.consume('user')).remainingPoints, left);
    const refused = await limiter.consume('user').then(() => assert.fail('allowed'), (r) => r);
    assert.ok(refused.msBeforeNext > 60_000 && refused.msBeforeNext <= 120_000, `${refused.msBeforeNext}`);
    assert.equal((await limiter.penalty('other', 2)).consumedPoints, 2);
    assert.equal((await limiter.reward('other', 1)).consumedPoints, 1);
    await limiter.block('third', 30);
    assert.equal((await limiter.get('third')).remainingPoints, 0);
    assert.equal(await limiter.delete('user'), true);
    assert.equal(await limiter.get('user'), null);
  });
}

await check('rate-limiter-flexible', 'a burst', async () => {
  const limiter = new BurstyRateLimiter(
    new RateLimiterRedis({ storeClient: io, points: 1, duration: 60, keyPrefix: 'steady' }),
    new RateLimiterRedis({ storeClient: io, points: 2, duration: 60, keyPrefix: 'burst' }));
  for (let i = 0; i < 3; i++) await limiter.consume('user');
  await assert.rejects(async () => { await limiter.consume('user').catch((r) => { throw new Error(`${r.msBeforeNext}`); }); });
});

for (const [name, options] of [['limits requests', {}], ['continues to exceed', { continueExceeding: true }], ['backs off', { exponentialBackoff: true }]]) {
  await check('@fastify/rate-limit', name, async () => {
    const app = Fastify();
    await app.register(fastifyRateLimit, { max: 2, timeWindow: 60_000, redis: io, ...options });
    app.get('/', async () => 'ok');
    const ask = async () => ({ status: (await app.inject('/')).statusCode });
    assert.deepEqual(await statuses(4, ask), [200, 200, 429, 429]);
    const { headers } = await app.inject('/');
    assert.equal(Number(headers['x-ratelimit-remaining']), 0);
    assert.ok(Number(headers['retry-after']) > 50);
    await app.close();
  });
}

io.disconnect();
await node.close();
