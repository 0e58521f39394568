// The client for HTTP, with the fetch of Node.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { check } from 'cellserver-ratelimit/http';
import { folder, Server } from './harness.mjs';
import worker from './worker.mjs';

const options = { timeout: 60_000, failClosed: true, onError: (error) => assert.fail(error) };

test('the client for HTTP plays the story', async (t) => {
  const server = await Server.start(t);
  await server.play(async (pairs, quantity) => {
    if (pairs.some(([, key]) => key === '')) return undefined; // an empty key is no key there
    const decision = await check(
      server.web,
      { rules: pairs.map(([rule, key]) => ({ rule, key })), quantity },
      options,
    );
    if (decision.allowed) return { status: decision.status, headers: new Headers(decision.headers) };
    const response = decision.response();
    const { type, title, status, 'violated-policies': violated } = await response.json();
    const body = JSON.stringify({ type, title, status, 'violated-policies': violated });
    return { status: response.status, headers: response.headers, body };
  });
});

test('numbers, scopes, peek, and a reply to send', async (t) => {
  const server = await Server.start(t);
  await server.do(
    'CL.RULE',
    'SET',
    'llm',
    'SCOPE',
    'org',
    'CL.WINDOW',
    9,
    60,
    'AND',
    'SCOPE',
    'user',
    'CL.WINDOW',
    1,
    30,
  );
  const ask = (more) =>
    check(`${server.web}/`, { rule: 'llm', keys: { user: 'ann', org: 'acme' }, ...more }, options);
  assert.equal((await ask({ peek: true })).remaining, 0);
  const { allowed, limit, remaining, retryAfter } = await ask();
  assert.deepEqual([allowed, limit, remaining, retryAfter], [true, 1, 0, null]);
  const refused = await ask();
  assert.deepEqual([refused.allowed, refused.status, refused.retryAfter], [false, 429, 30]);
  const response = refused.response();
  assert.deepEqual(
    [response.status, response.headers.get('Retry-After'), response.headers.get('Content-Type')],
    [429, '30', 'application/problem+json'],
  );
});

test('a limit in words', async (t) => {
  const server = await Server.start(t);
  await server.do('SET', 'ann', 'other data');
  const ask = (limit, more) => check(server.web, { limit, key: 'ann', ...more }, options);
  assert.equal((await ask('2/minute', { peek: true })).remaining, 1);
  const got = [];
  for (let i = 0; i < 3; i++) got.push(await ask('2/minute'));
  got.push(await ask('3/minute', { quantity: 3 }));
  const seen = got.map(({ status, remaining }) => `${status} ${remaining}`);
  assert.deepEqual(seen, ['200 1', '200 0', '429 0', '200 0']);
  assert.equal(got[2].headers['Retry-After'], '60');
  assert.deepEqual((await server.do('KEYS', 'rl:*')).sort(), ['rl:2/minute:ann', 'rl:3/minute:ann']);
  const errors = [];
  const onError = (error) => errors.push(error.message);
  const wrong = await check(server.web, { limit: '2/minuet', key: 'ann' }, { ...options, onError });
  assert.equal(wrong.status, 503);
  assert.match(errors[0], /the server answered 400: .*minuet/);
});

test('the worker of README.md limits', async (t) => {
  const server = await Server.start(t, '--http-token', 'a-secret-of-the-test');
  await server.do('CL.RULE', 'SET', 'login', 'CL.WINDOW', 1, 60);
  const request = new Request('http://127.0.0.1/', { headers: { 'CF-Connecting-IP': '10.0.0.1' } });
  const env = { LIMITS_URL: server.web, LIMITS_TOKEN: 'a-secret-of-the-test' };
  let response = await worker.fetch(request, env);
  for (let i = 0; !response.headers.has('RateLimit'); i++) { // the time-out of the worker is short
    assert.ok(i < 100);
    response = await worker.fetch(request, env);
  }
  while (response.status === 200) response = await worker.fetch(request, env);
  assert.deepEqual([response.status, response.headers.get('Retry-After')], [429, '60']);
});

test('nothing but names of the web is needed', async (t) => {
  const server = await Server.start(t);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 1, 60);
  const web = { fetch, URL, AbortSignal, Response, TextEncoder, crypto, btoa, console };
  const source = readFileSync(join(folder, 'http.mjs'), 'utf8');
  const text = source.replace('export const check', 'globalThis.check');
  const { check } = runInContext(`${text}; globalThis`, createContext(web));
  const question = { rule: 'api', key: 'x'.repeat(300) };
  const statuses = [];
  for (let i = 0; i < 2; i++) statuses.push((await check(server.web, question, options)).status);
  assert.deepEqual(statuses, [200, 429]);
  const open = await check('http://127.0.0.1:1', question, { basic: 'a:b', onError() {} });
  assert.equal(open.allowed, true);
});

test('a long key is hashed as everywhere', async (t) => {
  const server = await Server.start(t);
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 1, 60);
  await check(server.web, { rule: 'api', key: 'x'.repeat(257) }, options);
  await check(server.web, { rule: 'api', key: 'y'.repeat(100_000) }, options);
  assert.equal(
    await server.do(
      'EXISTS',
      'api:{sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f}:window',
    ),
    1,
  );
});

test('the token of the server', async (t) => {
  const server = await Server.start(t, '--http-token', 'a-secret-of-the-test');
  await server.do('CL.RULE', 'SET', 'api', 'CL.WINDOW', 9, 60);
  const errors = [];
  const ask = async (more) =>
    (
      await check(
        server.web,
        { rule: 'api', key: 'ann' },
        { ...options, onError: (e) => errors.push(e.message), ...more },
      )
    ).status;
  assert.equal(await ask({ token: 'a-secret-of-the-test' }), 200);
  assert.equal(
    await ask({ token: 'a-secret-of-the-test', basic: 'ann:pässword' }),
    200,
    'beside the credentials of a proxy',
  );
  assert.equal(await ask({}), 503);
  assert.match(errors[0], /the server answered 401: /);
});

/** Starts an HTTP server with one answer, and returns its address and the requests that it got. */
const fake = async (t, answer) => {
  const requests = [];
  const server = createServer((req, res) => {
    requests.push(req.headers);
    answer(res);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
};

test('credentials for a proxy', async (t) => {
  const { url, requests } = await fake(t, (res) => res.end('{"allowed": true}'));
  assert.equal(
    (await check(url, { rule: 'api', key: 'ann' }, { ...options, basic: 'ann:pässword', token: 't' }))
      .allowed,
    true,
  );
  assert.deepEqual(
    [requests[0].authorization, requests[0]['x-cellserver-token']],
    ['Basic YW5uOnDDpHNzd29yZA==', 't'],
  );
});

test('without a decision: open or closed', async (t) => {
  const answers = {
    'no such rule': (res) => res.writeHead(404).end('{"detail": "no such rule"}'),
    'a page of a portal': (res) => res.end('<html>'),
    'a limit of a proxy': (res) => res.writeHead(429).end('slow down'),
    'a redirect': (res) => res.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    'an answer that contradicts itself': (res) => res.writeHead(200).end('{"allowed": false}'),
    null: (res) => res.end('null'),
    silence: () => {},
    'half an answer': (res) => {
      res.writeHead(200, { 'Content-Length': '99' });
      res.write('{');
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { url } = await fake(t, answer);
    const errors = [];
    const ask = (failClosed) =>
      check(
        url,
        { rule: 'api', key: 'ann' },
        {
          timeout: name.startsWith('silence') || name.startsWith('half') ? 50 : 60_000,
          failClosed,
          onError: (e) => errors.push(e),
        },
      );
    const [open, closed] = [await ask(false), await ask(true)];
    assert.deepEqual([open.allowed, open.headers, open.error], [true, {}, errors[0]], name);
    assert.deepEqual(
      [closed.allowed, closed.response().status, closed.response().headers.get('Retry-After')],
      [false, 503, '1'],
      name,
    );
    assert.equal(errors.length, 2, name);
  }
});

test('one error in 10 seconds is logged', async (t) => {
  const lines = t.mock.method(console, 'error', () => {});
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  for (let i = 0; i < 5; i++) {
    assert.equal((await check('http://127.0.0.1:1', { rule: 'api', key: 'ann' })).allowed, true);
    t.mock.timers.tick(4000);
  }
  assert.equal(lines.mock.callCount(), 2);
});

test('wrong questions and options are errors of the service', async () => {
  const cases = [
    [{ key: 'ann' }, {}, /a question has a rule, or rules/],
    [{ rule: 'api', rules: [] }, {}, /a question has a rule, or rules/],
    [{ rule: 'api' }, {}, /the rule api has a key, or keys/],
    [{ rule: 'api', key: 'a', keys: {} }, {}, /the rule api has a key, or keys/],
    [{ rule: 'api', key: null }, {}, /a key is a text of Unicode with at least one character, not null/],
    [{ rule: 'api', key: '' }, {}, /at least one character, not ""/],
    [{ rule: 'api', key: 42 }, {}, /a key is a text .* not 42/],
    [{ rule: 'api', key: '\ud83d' }, {}, /a key is a text of Unicode/],
    [{ rule: 'api', limit: '5/minute', key: 'a' }, {}, /a question has a rule, or rules, or a limit/],
    [{ limit: 5, key: 'a' }, {}, /limit is in words such as '100\/minute', not 5/],
    [{ limit: '5/minute', keys: { org: 'a' } }, {}, /a limit has one key/],
    [{ limit: '5/minute' }, {}, /a key is a text .* not undefined/],
    [{ rule: 'api', key: 'a', cost: 7 }, {}, /a question has no cost. It has rule/],
    [{ rule: 'api', key: 'a' }, { fail: 'open' }, /check has no option fail. It has timeout, failClosed/],
    [{ rule: 'api', key: 'a' }, { failClosed: 'no' }, /failClosed is a boolean, not no/],
    ...[0, -1, NaN, Infinity, 3e9, '1s'].map((timeout) => [
      { rule: 'api', key: 'a' },
      { timeout },
      /timeout is a number of milliseconds from 1 to 2147483647/,
    ]),
  ];
  for (const [question, options, message] of cases)
    await assert.rejects(check('http://127.0.0.1:1', question, options), message);
});
