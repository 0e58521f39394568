// The examples of README.md.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import expressApp from 'express';
import fastifyApp from 'fastify';
import { Hono } from 'hono';
import { createClient } from 'redis';
import { express, ExpressStore, fastify, fastifyStore, hono, keys, Limiter, rateLimit } from 'cellserver-ratelimit';
import { folder, freePort, Server } from './harness.mjs';

/** Asks an app of Express for its page, and returns the status. */
const visit = async (app, options) => {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { status } = await fetch(`http://127.0.0.1:${server.address().port}/`, {
    headers: { connection: 'close', 'X-User': 'ann' },
    ...options,
  });
  await new Promise((resolve) => server.close(resolve));
  return status;
};

const page = (req, res) => {
  res.send('page');
};

test('the clock of the server', async (t) => {
  const server = await Server.start(t);
  const admin = await server.client(t),
    client = await server.client(t);
  const app = expressApp();
  await admin.sendCommand(['DEBUG', 'CLOCK', 'SET', '1800000000000000000']); // the clock stands still
  app.use(rateLimit({ client, windowMs: 10_000, limit: 3, denials: 0, timeout: 60_000 }));
  app.get('/', page);
  for (const status of [200, 200, 200, 429]) assert.equal(await visit(app), status);
  await admin.sendCommand(['DEBUG', 'CLOCK', 'ADVANCE', '10001000000']);
  assert.equal(await visit(app), 200);
});

test('each token has a limit of its own, and its key does not show it', async (t) => {
  const server = await Server.start(t);
  await server.do('CL.RULE', 'SET', 'per-ip', 'CL.WINDOW', 9, 3600);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 1, 3600);
  const limiter = new Limiter(await server.client(t), { timeout: 60_000, denials: 0 });
  const app = expressApp();
  const secret = 's';
  const key = keys({ proxies: '10.0.0.0/8', secret }); // or the number of proxies: '1'
  app.use(express(limiter, [['per-ip', key('ip')], ['api', key('header:Authorization')]]));
  app.get('/', page);
  for (const [token, status] of [
    ['Bearer sk-secret123', 200],
    ['bearer  sk-secret123', 429],
    ['Bearer other', 200],
  ]) {
    assert.equal(await visit(app, { headers: { connection: 'close', Authorization: token } }), status);
  }
  assert.equal(await server.do('EXISTS', 'api:{hmac:606592c9b1e6d428c9a5e9be1d1bfacd}:window'), 1);
});

test('a cost: a body of 2 kB, and then none', async (t) => {
  const server = await Server.start(t);
  await server.do('CL.RULE', 'SET', 'upload', 'CL.WINDOW', 4, 3600);
  const limiter = new Limiter(await server.client(t), { timeout: 60_000 });
  const app = expressApp();
  const kilobytes = (req) => 1 + Math.floor(Number(req.get('Content-Length') ?? 0) / 1024);
  app.use(express(limiter, [['upload']], kilobytes));
  app.get('/', page);
  app.post('/', page);
  const body = { method: 'POST', body: 'x'.repeat(2048) };
  for (const [options, status] of [
    [body, 200],
    [body, 429],
    [{}, 200],
    [{}, 429],
  ])
    assert.equal(await visit(app, options), status);
});

// Nothing listens for these services, or nothing with these rules: they fail open.
test('the services start', async (t) => {
  t.mock.method(console, 'error', () => {});
  let app = expressApp();
  const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true });
  client.on('error', (error) => console.error(error.message)); // node-redis connects again by itself
  client.connect().catch(() => {});
  const limiter = new Limiter(client);
  app.use(express(limiter, [
    ['per-ip'], // without a function the key is the address of the connection
    ['login', (req) => req.get('X-User')],
  ]));
  t.after(() => client.destroy());
  app.get('/', page);
  assert.equal(await visit(app), 200);

  app = fastifyApp();
  app.addHook('onRequest', fastify(limiter, [['api', (request) => request.headers['x-user']]]));
  app.get('/', async () => 'page');
  assert.equal((await app.inject('/')).statusCode, 200);

  app = new Hono();
  app.use(hono(limiter, [['api', (c) => c.req.header('X-User')]]));
  app.get('/', (c) => c.text('page'));
  assert.equal((await app.request('/')).status, 200);
});

test('the stores of README.md', async (t) => {
  const server = await Server.start(t);
  const client = await server.client(t);
  let app = expressApp();
  {
    const { rateLimit } = await import('express-rate-limit');
    app.use(rateLimit({ windowMs: 60_000, limit: 100, passOnStoreError: true, store: new ExpressStore({ client }) }));
    app.get('/', page);
    assert.equal(await visit(app), 200);
    assert.equal(await server.do('GET', 'rl:127.0.0.1'), '1');
  }
  app = fastifyApp();
  {
    const { default: rateLimit } = await import('@fastify/rate-limit');
    await app.register(rateLimit, { max: 100, timeWindow: '1 minute', skipOnError: true, store: fastifyStore({ client }) });
    app.get('/', async () => 'page');
    assert.equal((await app.inject('/')).statusCode, 200);
    assert.equal(await server.do('GET', 'fastify-rate-limit-127.0.0.1'), '1');
  }
  for (const line of ['passOnStoreError: true, store: new ExpressStore', 'skipOnError: true, store: fastifyStore'])
    assert.ok(programs.some((text) => text.includes(line)), line);
});

/** The programs of README.md. */
const programs = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
  ([, text]) => text,
);

test('each program of README.md has its import lines, and TypeScript knows all its names', async (t) => {
  assert.ok(programs.length >= 10);
  const given = 'client app limiter secret admin page assert visit'.split(' ');
  const files = programs.map((text, i) => {
    const missing = given.filter((name) => !new RegExp(`(const|import) ${name}\\b`).test(text));
    const file = new URL(`readme-${i}.mts`, import.meta.url);
    writeFileSync(file, `${text}\n${missing.map((name) => `declare const ${name}: any;\n`).join('')}`);
    t.after(() => rmSync(file));
    assert.match(text, new RegExp("^import .* from 'cellserver-ratelimit(/http)?';$", 'm'));
    return file.pathname;
  });
  const tsc = new URL('node_modules/.bin/tsc', import.meta.url).pathname;
  const options = [
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--skipLibCheck',
    '--noImplicitAny',
    'false',
    '--strict',
    'false',
  ];
  const { status, stdout } = spawnSync(tsc, [...options, ...files], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('the first program of README.md shows that it needs a password', { timeout: 60_000 }, async (t) => {
  const server = await Server.start(t);
  await server.kill();
  await server.run(['--requirepass', 'secret']);
  const file = new URL('readme-password.mjs', import.meta.url);
  const port = await freePort();
  writeFileSync(file, programs[0].replace('redis://127.0.0.1:6379', server.url).replace('3000', port));
  t.after(() => rmSync(file));
  const program = spawn(process.execPath, [file.pathname], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => program.kill('SIGKILL'));
  let shown = '';
  for await (const data of program.stderr) if (/^NOAUTH/m.test((shown += data))) break;
  assert.match(shown, /^NOAUTH/m);
});

test('the first program of README.md limits', async (t) => {
  const server = await Server.start(t);
  const port = await freePort();
  const file = new URL('readme-first.mjs', import.meta.url);
  writeFileSync(
    file,
    programs[0]
      .replace('redis://127.0.0.1:6379', server.url)
      .replace('3000', port)
      .replace('{ client,', '{ client, timeout: 60_000,'),
  );
  t.after(() => rmSync(file));
  const program = spawn(process.execPath, [file.pathname], { stdio: 'inherit' });
  t.after(() => program.kill('SIGKILL'));
  const ask = async () =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).status;
  while (!(await ask().catch(() => 0))); // until it listens
  while (!(await server.do('EXISTS', 'rl:127.0.0.1'))) await ask(); // until it has a connection
  await server.do('DEL', 'rl:127.0.0.1');
  const statuses = [];
  for (let i = 0; i < 102; i++) statuses.push(await ask());
  assert.deepEqual(statuses, [...Array(100).fill(200), 429, 429]);
});
