// An adaptive limit before a real slow service.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdaptiveLimit, LimitReached } from 'cellserver-ratelimit';
import express from 'express';
import { Server } from './harness.mjs';

/** Starts a service, which ends with the test. */
const serve = async (t, handler) => {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
};

/** Returns what CL.LIMIT shows. */
const state = async (server, key) => {
  const reply = await server.do('CL.LIMIT', key);
  if (!Array.isArray(reply)) return reply;
  return Object.fromEntries(Array.from({ length: reply.length / 2 }, (_, i) => [reply[2 * i], reply[2 * i + 1]]));
};

test('fetch within a limit', async (t) => {
  const server = await Server.start(t);
  let now = 0;
  let most = 0;
  const url = await serve(t, async (_, response) => {
    most = Math.max(most, ++now);
    await sleep(20);
    now--;
    response.end('done');
  });
  const limit = new AdaptiveLimit(await server.client(t), 'service', {
    timeout: 60_000,
    words: ['START', 4, 'BETWEEN', 1, 8, 'WINDOW', 0],
  });
  const limited = limit.wrap();
  let full = 0;
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      for (let i = 0; i < 5; i++) {
        try {
          await (await limited(url)).text();
        } catch (error) {
          assert.ok(error instanceof LimitReached, error);
          full++;
        }
      }
    }),
  );
  assert.ok(most <= 8 && full > 0, `${most} at once, ${full} refused`);
  const { inflight, base_us } = await state(server, 'service');
  assert.equal(inflight, 0);
  assert.ok(base_us >= 15_000, base_us);
});

test('how calls end', async (t) => {
  const server = await Server.start(t);
  const late = new AbortController();
  const url = await serve(t, (request, response) => {
    if (request.url === '/late') return late.abort(new DOMException('no time is left', 'TimeoutError'));
    response.statusCode = { '/full': 503, '/wrong': 404 }[request.url] ?? 200;
    response.end();
  });
  for (const [path, want] of Object.entries({ '/late': 9, '/full': 9, '/wrong': 10, '/': 10 })) {
    const limit = new AdaptiveLimit(await server.client(t), path, {
      timeout: 60_000,
      words: ['AIMD', 100, 'WINDOW', 0, 'START', 10],
    });
    const call = limit.wrap()(url + path, path === '/late' ? { signal: late.signal } : {});
    if (path === '/late') await assert.rejects(call, { name: 'TimeoutError' });
    else await call;
    const { limit: now, inflight } = await state(server, path);
    assert.deepEqual([now, inflight], [want, 0], path);
  }
});

test('Express within a limit', async (t) => {
  const server = await Server.start(t);
  const limit = new AdaptiveLimit(await server.client(t), 'app', { timeout: 60_000, words: ['BETWEEN', 1, 1] });
  const app = express();
  let entered;
  let finish;
  const inside = new Promise((resolve) => (entered = resolve));
  app.use(limit.express());
  app.get('/', (_, response) => {
    finish = () => response.send('done');
    entered();
  });
  const url = await serve(t, app);
  const first = fetch(url);
  await inside;
  assert.equal((await fetch(url)).status, 503);
  finish();
  assert.equal((await first).status, 200);
  while ((await state(server, 'app')).inflight > 0) await sleep(5);
});

test('a client that leaves before the limiter answers gives its permit back', async (t) => {
  let answer;
  const names = [];
  const client = ([name]) => {
    names.push(name);
    return new Promise((resolve) => (name === 'CL.ENTER' ? (answer = () => resolve([0])) : resolve([0])));
  };
  const limited = new AdaptiveLimit(client, 'k', { timeout: 60_000 }).express();
  let isClosed = false;
  const url = await serve(t, (request, response) => {
    response.once('close', () => (isClosed = true));
    limited(request, response, () => response.end('late'));
  });
  const left = new AbortController();
  const call = fetch(url, { signal: left.signal });
  while (!answer) await sleep(5);
  left.abort();
  await assert.rejects(call, { name: 'AbortError' });
  while (!isClosed) await sleep(5);
  answer();
  await sleep(20);
  assert.deepEqual(names, ['CL.ENTER', 'CL.LEAVE']);
});

test('without a server there is a ceiling', async (t) => {
  let errors = 0;
  const client = async () => {
    throw new Error('away');
  };
  const limit = new AdaptiveLimit(client, 'k', { ceiling: 2, onError: () => errors++ });
  const first = await limit.enter();
  await limit.enter();
  await assert.rejects(limit.enter(), LimitReached);
  await first();
  await first();
  await limit.enter();
  await assert.rejects(limit.enter(), LimitReached);
  assert.equal(errors, 5);
});

test('reports without an answer come again', async (t) => {
  const server = await Server.start(t);
  let loses = false;
  const client = async (args) => {
    const reply = await server.do(...args);
    if (loses) throw new Error('lost');
    return reply;
  };
  const lossy = async (args) => {
    if (args[0] === 'CL.LEAVE' && loses) throw new Error('away');
    return client(args);
  };
  const limit = new AdaptiveLimit(lossy, 'service', { timeout: 60_000, ceiling: 1, onError: () => {} });
  const first = await limit.enter();
  loses = true;
  const unknown = await limit.enter(); // the server has counted it
  await assert.rejects(limit.enter(), LimitReached); // this one, too
  assert.equal((await state(server, 'service')).inflight, 3);
  await Promise.all([first(), unknown()]);
  assert.equal((await state(server, 'service')).inflight, 3);
  loses = false;
  const last = await limit.enter();
  while ((await state(server, 'service')).inflight > 1) await sleep(5);
  await last();
  assert.equal((await state(server, 'service')).samples, 3);
});

test('at most 500 unknown calls are reported later', async () => {
  let away = true;
  let reports = 0;
  const client = async ([name]) => {
    if (away) throw new Error('away');
    if (name === 'CL.LEAVE') reports++;
    return [0];
  };
  const limit = new AdaptiveLimit(client, 'k', { onError: () => {} });
  for (let i = 0; i < 700; i++) await (await limit.enter())();
  away = false;
  await limit.enter();
  await sleep(0);
  assert.equal(reports, 500);
});

test('wrong options', () => {
  const client = async () => [0];
  for (const options of [{ lease: 0 }, { ceiling: 0 }, { ceiling: 1.5 }, { words: 'VEGAS' }, { timeout: 0 }, { other: 1 }]) {
    assert.throws(() => new AdaptiveLimit(client, 'k', options), TypeError, JSON.stringify(options));
  }
});

test('the program of README.md', async (t) => {
  const server = await Server.start(t);
  const client = await server.client(t);
  const limit = new AdaptiveLimit(client, 'search', { words: ['BETWEEN', 5, 500] });
  const search = limit.wrap(); // fetch; limit.wrap(request) takes the request of undici
  const url = await serve(t, (_, response) => response.end('found'));
  assert.equal(await (await search(url)).text(), 'found');
});
