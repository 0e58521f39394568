// The stores, in the packages that they are for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastifyRateLimit from '@fastify/rate-limit';
import expressApp from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import fastifyApp from 'fastify';
import { Redis } from 'ioredis';
import { createCluster } from 'redis';
import { ExpressStore, fastifyStore } from 'cellserver-ratelimit';
import { Server } from './harness.mjs';

/** Starts a server with a client of each library, and runs a test with each. */
const withClients = (name, body) =>
  test(name, async (t) => {
    const server = await Server.start(t);
    const redis = new Redis(server.port, '127.0.0.1');
    t.after(() => redis.disconnect());
    for (const [library, client] of Object.entries({
      'node-redis': await server.client(t),
      ioredis: redis,
    })) {
      await server.do('FLUSHALL');
      await t.test(library, (t) => body(t, server, { client, timeout: 60_000 }, redis));
    }
  });

withClients('the store of express-rate-limit does what its MemoryStore does', async (t, server, options) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const stores = [new ExpressStore(options), new MemoryStore()];
  for (const store of stores) store.init({ windowMs: 60_000 });
  const steps = [
    ['get', 'ann'],
    ['increment', 'ann'],
    ['increment', 'ann'],
    ['get', 'ann'],
    ['increment', 'bob'],
    ['decrement', 'ann'],
    ['get', 'ann'],
    ['increment', 'ann'],
    ['resetKey', 'ann'],
    ['get', 'ann'],
    ['increment', 'ann'],
    ['resetAll'],
    ['get', 'ann'],
    ['get', 'bob'],
    ['increment', 'ann'],
    ['advance'],
    ['get', 'ann'],
    ['increment', 'ann'],
  ];
  for (const [name, key] of steps) {
    if (name === 'advance') {
      await server.do('DEBUG', 'CLOCK', 'ADVANCE', 60_000_000_000);
      t.mock.timers.tick(60_000);
      continue;
    }
    const [ours, theirs] = await Promise.all(stores.map((store) => store[name](key)));
    assert.deepEqual(ours && { ...ours }, theirs && { ...theirs }, `${name} ${key}`);
  }
  stores[1].shutdown();
});

withClients('one line changes an app with express-rate-limit', async (t, server, options) => {
  const app = expressApp();
  const limit = rateLimit({ limit: 2, windowMs: 60_000, validate: true, store: new ExpressStore(options) });
  app.use(limit);
  app.get('/', (req, res) => {
    res.json(req.rateLimit.used);
  });
  const http = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  t.after(() => http.close());
  const visit = async () => {
    const reply = await fetch(`http://127.0.0.1:${http.address().port}/`, {
      headers: { connection: 'close' },
    });
    return [reply.status, reply.headers.get('X-RateLimit-Remaining'), await reply.text()];
  };
  const refusal = [429, '0', 'Too many requests, please try again later.'];
  assert.deepEqual(
    [await visit(), await visit(), await visit()],
    [[200, '1', '1'], [200, '0', '2'], refusal],
  );
  assert.equal((await limit.getKey('127.0.0.1')).totalHits, 3);
  await limit.resetKey('127.0.0.1');
  assert.deepEqual(await visit(), [200, '1', '1']);
});

withClients('resetAll removes the keys of its prefix only', async (t, server, options) => {
  const store = new ExpressStore({ ...options, prefix: 'a[*]?:' });
  for (let i = 0; i < 2500; i++) await store.increment(`user:${i}`);
  await server.do('SET', 'ax:1', 'v');
  await server.do('SET', 'a[*]x:1', 'v');
  await store.increment('x'.repeat(300));
  await store.resetAll();
  assert.deepEqual((await server.do('KEYS', '*')).sort(), ['a[*]x:1', 'ax:1']);
  await assert.rejects(new ExpressStore({ ...options, prefix: '' }).resetAll(), /needs a prefix/);
});

test('resetAll refuses a cluster, and a wrong prefix or client', async (t) => {
  const server = await Server.start(t, '--cluster-enabled', 'yes');
  const client = await createCluster({ rootNodes: [{ url: server.url }] }).connect();
  t.after(() => client.destroy());
  const store = new ExpressStore({ client });
  assert.equal((await store.increment('ann')).totalHits, 1);
  await assert.rejects(store.resetAll(), /SCAN sees one node of a cluster/);
  assert.throws(() => new ExpressStore({ client, prefix: 7 }), /prefix is a string, not 7/);
  for (const make of [(options) => new ExpressStore(options), fastifyStore]) {
    assert.throws(() => make({ client, prefx: 'a' }), /has no option prefx. It has client, prefix, timeout/);
    for (const timeout of [0, NaN, Infinity, 3e9, '1s'])
      assert.throws(() => make({ client, prefix: 'a', timeout }), /timeout is a number/);
  }
  assert.throws(() => fastifyStore(), /client is a client of node-redis or ioredis/);
  assert.throws(() => new ExpressStore(), /client is a client of node-redis or ioredis/);
});

test('a store waits for the time-out at most', async () => {
  const store = new ExpressStore({ client: () => new Promise(() => {}), timeout: 20 });
  await assert.rejects(store.increment('ann'), /no decision within 20 ms/);
});

/** Returns an app of Fastify with @fastify/rate-limit and a function that asks it. */
const fastify = async (t, settings, routes = {}) => {
  const app = fastifyApp();
  await app.register(fastifyRateLimit, settings);
  app.get('/', async () => 'page');
  for (const [path, config] of Object.entries(routes))
    app.get(path, { config: { rateLimit: config } }, async () => 'page');
  t.after(() => app.close());
  const visit = async (path = '/') => {
    const { statusCode, headers } = await app.inject(path);
    return [
      statusCode,
      headers['x-ratelimit-remaining'],
      headers['x-ratelimit-reset'],
      headers['retry-after'],
    ].map(Number);
  };
  return { app, visit };
};

withClients(
  'the store of @fastify/rate-limit does what its store for Redis does',
  async (t, server, options, redis) => {
    const cases = [
      { max: 2 },
      { max: 1, ban: 1 },
      { max: 1, continueExceeding: true },
      { max: 1, exponentialBackoff: true, timeWindow: '1 minute' },
      { max: async () => 2, timeWindow: async () => 5000 },
    ];
    for (const [i, settings] of cases.entries()) {
      await server.do('FLUSHALL');
      const ours = await fastify(t, { ...settings, store: fastifyStore({ ...options, prefix: `${i}-` }) });
      const theirs = await fastify(t, { ...settings, redis, nameSpace: 'theirs-' });
      for (const seconds of [0, 1, 0, 0, 2, 61, 0, 0, 5000, 0, 0]) {
        await server.do('DEBUG', 'CLOCK', 'ADVANCE', seconds * 1_000_000_000);
        assert.deepEqual(await ours.visit(), await theirs.visit(), JSON.stringify(settings));
      }
    }
  },
);

withClients('routes of Fastify have limits of their own', async (t, server, options) => {
  const { app, visit } = await fastify(
    t,
    { max: 5, store: fastifyStore(options) },
    { '/login': { max: 1 }, '/sign-up': { max: 1 } },
  );
  assert.deepEqual(
    [await visit('/login'), await visit('/login'), await visit('/sign-up'), await visit()].map(
      ([status]) => status,
    ),
    [200, 429, 200, 200],
  );
  const look = app.createRateLimit({ max: 3 });
  const request = { ip: '10.0.0.1', routeOptions: {} };
  for (const [increment, remaining] of [
    [false, 3],
    [true, 2],
    [false, 2],
  ]) {
    assert.equal((await look(request, { increment })).remaining, remaining);
  }
  const other = app.createRateLimit({ max: 4 });
  assert.equal((await other(request)).remaining, 3);
});

test('an error of the store of Fastify is an error of the request, or skipped', async (t) => {
  const store = fastifyStore({
    client: async () => {
      throw new Error('nobody answers');
    },
  });
  const closed = await fastify(t, { store });
  assert.equal((await closed.visit())[0], 500);
  const open = await fastify(t, { store, skipOnError: true });
  assert.equal((await open.visit())[0], 200);
});
