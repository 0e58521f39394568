import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { serve as serveHono } from '@hono/node-server';
import expressApp from 'express';
import fastifyApp from 'fastify';
import { Hono } from 'hono';
import { Redis } from 'ioredis';
import { express, fastify, hono, Limiter } from 'cellserver-ratelimit';
import { fixed, Server } from './harness.mjs';

// Each framework serves a page with the middleware, and returns the port and a function that ends it.
const listening = (server) => new Promise((resolve) => {
  const done = () => resolve({ port: server.address().port, close: () => new Promise((end) => { server.close(end); server.closeAllConnections(); }) });
  server.listening ? done() : server.once('listening', done);
});

const frameworks = {
  express: (limiter, rules, cost) => {
    const app = expressApp();
    app.use(express(limiter, rules, cost));
    app.get('/', (req, res) => { res.send('page'); });
    app.use((error, req, res, next) => { res.status(500).end(); });
    return listening(app.listen(0, '127.0.0.1'));
  },
  node: (limiter, rules, cost) => {
    const limit = express(limiter, rules, cost);
    return listening(createServer((req, res) => limit(req, res, (error) => { res.statusCode = error ? 500 : 200; res.end('page'); })).listen(0, '127.0.0.1'));
  },
  fastify: async (limiter, rules, cost) => {
    const app = fastifyApp();
    app.addHook('onRequest', fastify(limiter, rules, cost));
    app.get('/', async () => 'page');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: app.server.address().port, close: () => app.close() };
  },
  hono: (limiter, rules, cost) => {
    const app = new Hono();
    app.use(hono(limiter, rules, cost));
    app.get('/', (c) => c.text('page'));
    return listening(serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
  },
};

const get = async (port) => {
  const reply = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
};

for (const [name, start] of Object.entries(frameworks)) {
  test(`${name} plays the story`, async (t) => {
    const server = await Server.start(t);
    const limiter = new Limiter(await server.client(t), { timeout: 60_000, denials: 0 });
    let cost;
    const rules = [['api']];
    const app = await start(limiter, rules, () => cost);
    t.after(app.close);
    await server.play((pairs, quantity = 1) => {
      rules.splice(0, rules.length, ...fixed(pairs));
      cost = quantity;
      return get(app.port);
    });
  });

  test(`${name} knows the address`, async (t) => {
    const server = await Server.start(t);
    await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', '1', '3600');
    const app = await start(new Limiter(await server.client(t), { timeout: 60_000 }), [['api']]);
    t.after(app.close);
    assert.equal((await get(app.port)).status, 200);
    assert.equal((await get(app.port)).status, 429);
    assert.equal(await server.do('EXISTS', 'api:{127.0.0.1}:window'), 1);
  });

  test(`${name} fails open or closed`, async (t) => {
    const nobody = async () => { throw new Error('nobody answers'); };
    for (const failClosed of [false, true]) {
      const errors = [];
      const app = await start(new Limiter(nobody, { failClosed, onError: (error) => errors.push(error) }), [['api']]);
      t.after(app.close);
      const { status, headers, body } = await get(app.port);
      assert.equal(errors.length, 1);
      if (!failClosed) assert.deepEqual([status, body, headers.get('RateLimit')], [200, 'page', null]);
      else assert.deepEqual([status, JSON.parse(body).status, headers.get('Retry-After')], [503, 503, '1']);
    }
  });

  test(`${name} gets the error of a cost`, async (t) => {
    const app = await start(new Limiter(async () => {}), [['api', () => 'ann']], () => -5);
    t.after(app.close);
    assert.equal((await get(app.port)).status, 500);
  });

  test(`${name} gets the error of a key function`, async (t) => {
    const app = await start(new Limiter(async () => {}), [['api', () => { throw new Error('no key'); }]]);
    t.after(app.close);
    assert.equal((await get(app.port)).status, 500);
  });
}

test('keys and costs that are promises', async (t) => {
  const server = await Server.start(t);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', '2', '3600');
  const limiter = new Limiter(await server.client(t), { timeout: 60_000 });
  for (const [name, start] of Object.entries(frameworks)) {
    const app = await start(limiter, [['api', async () => name]], async () => 2);
    t.after(app.close);
    assert.equal((await get(app.port)).status, 200);
    assert.equal((await get(app.port)).status, 429);
    assert.equal(await server.do('EXISTS', `api:{${name}}:window`), 1, name);
  }
});

test('an object is no key: all of them would share a limit', async (t) => {
  for (const start of Object.values(frameworks)) {
    const app = await start(new Limiter(async () => assert.fail('it asks')), [['api', () => ({ id: 7 })]]);
    t.after(app.close);
    assert.equal((await get(app.port)).status, 500);
  }
});

test('wrong rules and costs are refused with a sentence', () => {
  const limiter = new Limiter(async () => {});
  for (const middleware of [express, fastify, hono]) {
    for (const rules of [undefined, [], 'per-ip', ['per-ip'], [['']], [['api', 'ip']], [['a', () => 1, () => 2]]])
      assert.throws(() => middleware(limiter, rules), /the rules are a list of names and key functions/);
    assert.throws(() => middleware(limiter, [['api']], 5), /the cost is a function/);
    assert.throws(() => middleware(async () => {}, [['api']]), /the first argument is a Limiter/);
    middleware(limiter, [['api'], ['login', undefined], ['team', null]], undefined);
  }
});

test('hono passes the reply of fetch on, and a redirect', async (t) => {
  const far = await listening(createServer((_, response) => response.end('far')).listen(0, '127.0.0.1'));
  t.after(far.close);
  const limit = ['', 'CL.WINDOW 5 1', 0, 5, 4, -1, 1000, 1000];
  const client = async () => [0, 0, [0, 5, 4, -1, 1000, '', 'CL.WINDOW 5 1', [limit], 0]];
  const app = new Hono();
  app.use(hono(new Limiter(client), [['api', () => 'ann']]));
  app.get('/', () => fetch(`http://127.0.0.1:${far.port}`));
  app.get('/away', () => Response.redirect('http://away.example/'));
  for (const [path, status, body] of [['/', 200, 'far'], ['/away', 302, '']]) {
    const reply = await app.request(path);
    assert.deepEqual([reply.status, await reply.text(), reply.headers.get('RateLimit')], [status, body, '"api";r=4;t=1']);
  }
});

test('ioredis plays the story', async (t) => {
  const server = await Server.start(t);
  const client = new Redis(server.port, '127.0.0.1');
  t.after(() => client.disconnect());
  const limiter = new Limiter(client, { timeout: 60_000, denials: 0 });
  await server.play(async (pairs, quantity = 1) => {
    const decision = await limiter.askFor(quantity, ...pairs);
    const headers = new Headers({ ...decision.headers(), 'Content-Type': 'application/problem+json' });
    return { status: decision.allowed ? 200 : 429, headers, body: decision.body() };
  });
});
