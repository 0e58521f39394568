// rateLimit, beside express-rate-limit with the same options.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import expressApp from 'express';
import { rateLimit as original } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { createCluster } from 'redis';
import { ExpressStore, fastifyStore, rateLimit } from 'cellserver-ratelimit';
import { inside, Server } from './harness.mjs';

/** Serves pages with some middleware. /status/N answers N. */
const serve = async (t, ...middleware) => {
  const app = expressApp();
  app.use(...middleware);
  app.get('/', (req, res) => {
    res.send('page');
  });
  app.get('/status/:status', (req, res) => {
    res.status(Number(req.params.status)).send('page');
  });
  app.use((error, req, res, next) => {
    error.status ? next(error) : res.status(500).send(error.message);
  });
  app.set('env', 'test'); // no log of errors
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server.address().port;
};

const get = async (port, path = '/', headers = {}) => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { connection: 'close', ...headers },
  });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
};

/** What the two have in common: all headers about limits, the status and the body. */
const essence = ({ status, headers, body }) => ({
  status,
  body,
  type: headers.get('Content-Type'),
  ...Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry-after/.test(name))),
  date: headers.has('X-RateLimit-Reset') && headers.get('Date'),
});

const numbers = ({ limit, remaining, resetTime, key }) =>
  JSON.stringify({ limit, remaining, resetTime: Math.round(resetTime / 1000), key });

const same = {
  defaults: {},
  'draft-6': { standardHeaders: 'draft-6', legacyHeaders: false },
  'draft-6 as true': { standardHeaders: true },
  'draft-7': { standardHeaders: 'draft-7', legacyHeaders: false, limit: 2 },
  'draft-8': { standardHeaders: 'draft-8', legacyHeaders: false, limit: 2 },
  'draft-8 of hours': { standardHeaders: 'draft-8', windowMs: 2 * 3_600_000 },
  'draft-8 of a day': { standardHeaders: 'draft-8', windowMs: 86_400_000 },
  'draft-8 of seconds': { standardHeaders: 'draft-8', windowMs: 1500 },
  identifier: { standardHeaders: 'draft-8', identifier: (req) => `api-${req.method}` },
  'no headers': { legacyHeaders: false },
  'old names': { headers: false, max: 2 },
  message: { message: { error: 'slow down' }, statusCode: 420, limit: 1 },
  'message by a function': { message: async (req) => `not so fast, ${req.method}`, limit: 1 },
  handler: {
    limit: 1,
    handler: (req, res, next, options) =>
      res.status(options.statusCode).send(`${options.message} ${req.path}`),
  },
  'handler that passes': { limit: 1, handler: (req, res, next) => next() },
  skip: { limit: 1, skip: async (req) => req.get('X-User') === 'bob' },
  keyGenerator: { limit: 1, keyGenerator: async (req) => req.get('X-User') },
  'limit by a function': {
    limit: async (req) => (req.get('X-User') === 'ann' ? 3 : 1),
    keyGenerator: (req) => req.get('X-User'),
  },
  retryAfter: { limit: 1, retryAfter: () => 7 },
  requestPropertyName: {
    requestPropertyName: 'quota',
    handler: (req, res) => res.status(429).send(numbers(req.quota)),
    limit: 1,
  },
  skipFailedRequests: { limit: 2, skipFailedRequests: true },
  skipSuccessfulRequests: { limit: 2, skipSuccessfulRequests: true },
  requestWasSuccessful: {
    limit: 2,
    skipFailedRequests: true,
    requestWasSuccessful: (req, res) => res.statusCode !== 403,
  },
};

for (const [name, options] of Object.entries(same)) {
  test(`as express-rate-limit has it: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    t.mock.method(console, 'error', () => {});
    t.mock.method(console, 'warn', () => {});
    const server = await Server.start(t);
    const { client, idle } = await watched(server, t);
    const ours = await serve(t, rateLimit({ client, timeout: 60_000, denials: 0, ...options }));
    const theirs = await serve(t, original(options));
    for (const [path, user] of [
      ['/', 'ann'],
      ['/status/403', 'ann'],
      ['/', 'bob'],
      ['/status/404', 'ann'],
      ['/', 'ann'],
      ['/', 'ann'],
    ]) {
      const [got, want] = [
        await get(ours, path, { 'X-User': user }),
        await get(theirs, path, { 'X-User': user }),
      ];
      assert.deepEqual(essence(got), essence(want), `${path} ${user}`);
      await idle();
    }
  });
}

/** Returns a client, and a function that waits until all its commands have replies. */
const watched = async (server, t) => {
  const client = await server.client(t);
  const pending = new Set();
  const send = (args) => {
    const reply = client.sendCommand(args).finally(() => pending.delete(reply));
    pending.add(reply);
    return reply;
  };
  return { client: send, idle: () => Promise.allSettled(pending) };
};

/** Starts a server and an app with a limit. `statuses` asks it once for each path. */
const start = async (t, options, path = '/') => {
  const server = await Server.start(t);
  const { client, idle } = await watched(server, t);
  const limit = rateLimit({ client, timeout: 60_000, ...options });
  const port = await serve(t, limit);
  const statuses = async (...paths) => {
    const got = [];
    for (const path of paths) {
      got.push((await get(port, path)).status);
      await idle();
    }
    return got;
  };
  return { server, limit, port, statuses, idle };
};

test('a rule of the server, whose limits the headers name', async (t) => {
  const { server, port, limit } = await start(t, { rule: 'login', standardHeaders: 'draft-8', denials: 0 });
  await server.do('CL.RULE', 'SET', 'login', 'CL.THROTTLE', 1, 1, 10, 'AND', 'CL.WINDOW', 9, 3600);
  const { headers } = await get(port);
  assert.equal(headers.get('RateLimit'), '"login:throttle";r=1;t=10, "login:window";r=8;t=3600');
  assert.equal(headers.get('RateLimit-Policy'), '"login:throttle";q=2;w=20, "login:window";q=9;w=3600');
  assert.deepEqual([headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')], ['2', '1']);
  await get(port);
  const refused = await get(port);
  assert.deepEqual(
    [refused.status, refused.headers.get('Retry-After'), refused.body],
    [429, '10', 'Too many requests, please try again later.'],
  );
  assert.equal((await limit.getKey('127.0.0.1')).totalHits, 2);
  await limit.resetKey('127.0.0.1');
  assert.equal(await limit.getKey('127.0.0.1'), undefined);
  assert.equal((await get(port)).status, 200);
});

test('the old drafts have the tightest limit of a rule', async (t) => {
  const { server, port } = await start(t, { rule: 'login', standardHeaders: 'draft-7' });
  await server.do('CL.RULE', 'SET', 'login', 'CL.WINDOW', 9, 3600, 'AND', 'CL.WINDOW', 2, 60);
  const { headers } = await get(port);
  assert.deepEqual(
    [headers.get('RateLimit-Policy'), headers.get('RateLimit')],
    ['2;w=60', 'limit=2, remaining=1, reset=60'],
  );
});

test('a rule with SHADOW passes and shows nothing', async (t) => {
  const { server, port } = await start(t, { rule: 'login', standardHeaders: true });
  await server.do('CL.RULE', 'SET', 'login', 'CL.WINDOW', 1, 60, 'SHADOW');
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await get(port);
    assert.deepEqual([status, [...headers.keys()].filter((name) => name.includes('ratelimit'))], [200, []]);
  }
});

test('a window ends, and the key begins again', async (t) => {
  const { server, statuses } = await start(t, { limit: 2, windowMs: 60_000, denials: 0 });
  assert.deepEqual(await statuses('/', '/', '/'), [200, 200, 429]);
  await server.do('DEBUG', 'CLOCK', 'ADVANCE', 60_000_000_000);
  assert.deepEqual(await statuses('/', '/', '/'), [200, 200, 429]);
});

test('the server gets one command a second for a key that stays refused', async (t) => {
  const { server, statuses } = await start(t, { limit: 1 });
  assert.deepEqual(await statuses(...Array(50).fill('/')), [200, ...Array(49).fill(429)]);
  const calls = /cmdstat_cl\.window:calls=(\d+)/.exec(await server.do('INFO', 'commandstats'))[1];
  assert.ok(Number(calls) < 20, calls);
});

test('resetKey and getKey', async (t) => {
  const { limit, statuses } = await start(t, { limit: 2 });
  assert.equal(await limit.getKey('127.0.0.1'), undefined);
  assert.deepEqual(await statuses('/', '/', '/'), [200, 200, 429]);
  assert.equal((await limit.getKey('127.0.0.1')).totalHits, 2);
  await limit.resetKey('127.0.0.1');
  assert.deepEqual(
    await statuses('/', '/', '/'),
    [200, 200, 429],
    'the remembered refusal is forgotten, too',
  );
});

test('nothing is given back below 0, or after the end of a window', async (t) => {
  const server = await Server.start(t);
  const { Windows } = inside('window.cjs');
  const windows = new Windows(await server.client(t), { prefix: 'rl:', timeout: 60_000 });
  await windows.hit('ann', 60_000);
  for (let i = 0; i < 3; i++) await windows.giveBack('ann');
  assert.equal(await server.do('GET', 'rl:ann'), '0');
  await server.do('DEBUG', 'CLOCK', 'ADVANCE', 60_001_000_000);
  await windows.giveBack('ann');
  assert.equal(await server.do('EXISTS', 'rl:ann'), 0);
});

test('limit 0 refuses all, and no wait helps', async (t) => {
  const { port } = await start(t, { limit: 0 });
  const { status, headers } = await get(port);
  assert.deepEqual([status, headers.get('X-RateLimit-Limit'), headers.get('Retry-After')], [429, '0', null]);
});

test('a client that leaves before the reply is given back', async (t) => {
  const server = await Server.start(t);
  const { client, idle } = await watched(server, t);
  const limit = rateLimit({ client, timeout: 60_000, limit: 9, skipFailedRequests: true });
  let socket;
  const left = new Promise((resolve) => {
    const http = createServer((req, res) =>
      limit(Object.assign(req, { ip: '10.0.0.1' }), res, () => {
        res.once('close', resolve);
        socket.destroy();
      }),
    ).listen(0, '127.0.0.1', () => {
      socket = connect(http.address().port, '127.0.0.1', () =>
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      );
    });
    t.after(() => http.close());
  });
  await left;
  await idle();
  assert.equal(await limit.getKey('10.0.0.1'), undefined);
});

test('the key of an address has 56 bits as in express-rate-limit, or 64 as in rules', async (t) => {
  const asked = [];
  const client = async (args) => {
    asked.push(String(args[0] === 'CL.WINDOW' ? args[1] : args[3]));
    return [0, 5, 4, -1, 60_000];
  };
  const ask = (options) =>
    new Promise((resolve) => {
      const req = { ip: '2001:db8:1:1234::7', socket: {} };
      rateLimit({ client, onError: undefined, ...options, passOnStoreError: true, logger: { error() {} } })(
        req,
        { setHeader() {}, once() {} },
        resolve,
      );
    });
  await ask({ prefix: 'a:' });
  await ask({ rule: 'api' });
  await ask({ prefix: 'b:', ipv6Subnet: 48 });
  await ask({ prefix: 'c:', ipv6Subnet: async () => 32 });
  await ask({ prefix: 'd:', ipv6Subnet: false });
  assert.deepEqual(asked, [
    'a:2001:db8:1:1200::/56',
    '2001:db8:1:1234::/64',
    'b:2001:db8:1::/48',
    'c:2001:db8::/32',
    'd:2001:db8:1:1234::7',
  ]);
});

test('fail open or closed', async (t) => {
  const errors = [];
  const logger = { error: (error, message) => errors.push(`${message}: ${error.message}`) };
  const client = async () => {
    throw new Error('nobody answers');
  };
  const open = await get(await serve(t, rateLimit({ client, logger })));
  assert.deepEqual([open.status, open.body, open.headers.get('X-RateLimit-Limit')], [200, 'page', null]);
  const closed = await get(
    await serve(t, rateLimit({ client, logger, prefix: 'rl:2:', passOnStoreError: false })),
  );
  assert.deepEqual([closed.status, closed.headers.get('Retry-After')], [503, '1']);
  assert.deepEqual(errors, Array(2).fill('rateLimit: no decision: nobody answers'));
});

test('errors of functions go to the error handler', async (t) => {
  const client = async () => [0, 5, 4, -1, 60_000];
  const fail = () => {
    throw new Error('mine');
  };
  for (const option of ['skip', 'keyGenerator', 'limit', 'identifier']) {
    const port = await serve(
      t,
      rateLimit({ client, prefix: option, standardHeaders: 'draft-8', [option]: fail }),
    );
    const { status, body } = await get(port);
    assert.deepEqual([status, body], [500, 'mine'], option);
  }
  const port = await serve(t, rateLimit({ client, limit: () => 1.5 }));
  assert.deepEqual((await get(port)).body, 'the limit of a window is an integer from 0, not 1.5');
});

test('every option of express-rate-limit is honoured or refused', () => {
  const client = async () => {};
  const names = [
    'windowMs',
    'limit',
    'max',
    'message',
    'statusCode',
    'legacyHeaders',
    'headers',
    'standardHeaders',
    'identifier',
    'retryAfter',
    'requestPropertyName',
    'skipFailedRequests',
    'skipSuccessfulRequests',
    'keyGenerator',
    'ipv6Subnet',
    'handler',
    'skip',
    'requestWasSuccessful',
    'store',
    'validate',
    'passOnStoreError',
    'logger',
  ];
  for (const name of names) {
    // a message may be anything
    if (name !== 'message')
      assert.throws(
        () => rateLimit({ client, prefix: 'p', [name]: [] }),
        new RegExp(`\\b${{ max: 'limit', headers: 'legacyHeaders' }[name] ?? name}\\b`),
      );
  }
});

test('wrong options are refused with a sentence', () => {
  const client = async () => {};
  const refusals = [
    [{}, /rateLimit needs client/],
    [{ client: 'redis://127.0.0.1' }, /rateLimit needs client/],
    [{ client: {} }, /client is a client of node-redis or ioredis/],
    [{ client, store: {} }, /no option store: .*ExpressStore/],
    [{ client, validate: false }, /no option validate: /],
    [{ client, onLimitReached: () => {} }, /no option onLimitReached: write handler/],
    [{ client, constructor: 1 }, /no option constructor. It has client/],
    [{ client, skipFailedRequest: true }, /no option skipFailedRequest. It has client, rule, windowMs/],
    [{ client, rule: 'login', limit: 5 }, /takes a rule or limit, not both/],
    [{ client, rule: 'login', max: 5 }, /takes a rule or limit, not both/],
    [{ client, rule: 'login', skipFailedRequests: true }, /a rule cannot give back/],
    [
      { client, limit: '100/minute' },
      /limit is a number or a function, not '100\/minute'; for words CL.RULE SET NAME 100\/minute/,
    ],
    [{ client, limit: -1 }, /limit is an integer from 0, not -1/],
    [{ client, limit: Infinity }, /limit is an integer from 0, not Infinity/],
    [{ client, windowMs: 0 }, /windowMs is an integer of milliseconds from 1, not 0/],
    [
      { client, standardHeaders: 'draft-5' },
      /standardHeaders is true, false, draft-6, draft-7, draft-8, not draft-5/,
    ],
    [{ client, ipv6Subnet: 0 }, /ipv6Subnet is an integer from 1 to 128/],
    [{ client, statusCode: '429' }, /statusCode is a number, not '429'/],
    [{ client, logger: {} }, /logger has a function error/],
    [{ client, statusCode: 99 }, /statusCode is an integer from 100 to 599, not 99/],
    [{ client, retryAfter: NaN }, /retryAfter is a number of seconds from 0, not NaN/],
    [{ client, rule: '' }, /rule is the name of a rule/],
    [{ client, identifier: 'a"b\nc' }, /identifier is a text of ASCII without quotes and backslashes/],
    [{ client, prefix: 'a', denials: -1 }, /denials is an integer from 0, not -1/],
    ...[0, -1, NaN, Infinity, 3e9, '1s'].map((timeout) => [{ client, prefix: 'a', timeout }, /timeout is a number/]),
    ...[0, -1, NaN, 3e9].map((timeout) => [{ client, rule: 'a', timeout }, /timeout is a number/]),
  ];
  for (const [options, message] of refusals)
    assert.throws(() => rateLimit(options), message, String(message));
  assert.throws(() => rateLimit(), /rateLimit needs client/);
});

test('the rights that README.md names are enough', async (t) => {
  const server = await Server.start(t);
  const rights = ['+cl.window', '+eval', '+get', '+decr', '+del', '~rl:*'];
  await server.do('ACL', 'SETUSER', 'web', 'on', '>a-password', ...rights);
  await server.do('ACL', 'SETUSER', 'rules', 'on', '>a-password', '+cl.mcheck', '+cl.rule', '~127.*');
  await server.do('CL.RULE', 'SET', 'login', 'CL.WINDOW', 9, 60);
  const logger = { error: (error) => assert.fail(error) };
  for (const [username, options] of [
    ['web', { skipFailedRequests: true }],
    ['rules', { rule: 'login' }],
  ]) {
    const account = { username, password: 'a-password', enableReadyCheck: false };
    const client = new Redis(server.port, '127.0.0.1', account);
    t.after(() => client.disconnect());
    const limit = rateLimit({ client, timeout: 60_000, passOnStoreError: false, logger, ...options });
    const port = await serve(t, limit);
    assert.deepEqual([(await get(port)).status, (await get(port, '/status/404')).status], [200, 404]);
    await limit.resetKey('127.0.0.1');
    assert.equal(await limit.getKey('127.0.0.1'), undefined);
  }
});

test('two limits of a client do not count each other', () => {
  const client = async () => {};
  rateLimit({ client });
  assert.throws(
    () => rateLimit({ client }),
    /another limit of this client has the prefix 'rl:': give this one its own/,
  );
  rateLimit({ client, prefix: 'rl:login:' });
  rateLimit({ client, rule: 'login' });
  assert.throws(() => new ExpressStore({ client }), /another limit of this client has the prefix 'rl:'/);
  new ExpressStore({ client, prefix: 'rl:' }); // who writes the prefix may share it
  fastifyStore({ client });
  assert.throws(
    () => fastifyStore({ client }),
    /another limit of this client has the prefix 'fastify-rate-limit-': give this one its own/,
  );
});

test('behind a proxy that Express does not trust, a limit logs one line', async (t) => {
  const log = t.mock.method(console, 'error', () => {});
  const forwarded = { 'X-Forwarded-For': '10.0.0.1' };
  const options = () => ({ client: async () => [0, 9, 8, -1, 60_000] });
  const app = await serve(t, rateLimit(options()));
  await get(app);
  assert.equal(log.mock.callCount(), 0);
  for (let i = 0; i < 3; i++) assert.equal((await get(app, '/', forwarded)).status, 200);
  assert.equal(log.mock.callCount(), 1);
  assert.match(log.mock.calls[0].arguments.join(' '), /'trust proxy' of Express is not set/);
  const lines = [];
  const logger = { error: (error, message) => lines.push(`${message} ${error.message}`) };
  await get(await serve(t, rateLimit({ ...options(), logger })), '/', forwarded);
  assert.match(lines.join(), /^rateLimit: trust proxy a request has X-Forwarded-For/);
  const named = { keyGenerator: () => 'ann', logger };
  await get(await serve(t, rateLimit({ ...options(), ...named })), '/', forwarded);
  const trusting = (req, res, next) => next(req.app.set('trust proxy', 1) && undefined);
  await get(await serve(t, trusting, rateLimit({ ...options(), logger })), '/', forwarded);
  assert.equal(lines.length, 1);
});

test('a key that is an object is an error of the service', async (t) => {
  const client = async () => assert.fail('it asks');
  const port = await serve(t, rateLimit({ client, keyGenerator: () => ({ id: 7 }) }));
  assert.match((await get(port)).body, /a key is a text, a number, a boolean or bytes, not/);
});

test('ioredis, and a cluster of node-redis', async (t) => {
  const server = await Server.start(t, '--cluster-enabled', 'yes');
  const redis = new Redis(server.port, '127.0.0.1');
  t.after(() => redis.disconnect());
  const cluster = await createCluster({ rootNodes: [{ url: server.url }] }).connect();
  t.after(() => cluster.destroy());
  for (const [i, client] of [redis, cluster].entries()) {
    const limit = rateLimit({ client, timeout: 60_000, limit: 1, prefix: `${i}:`, passOnStoreError: false });
    const port = await serve(t, limit);
    assert.deepEqual([(await get(port)).status, (await get(port)).status], [200, 429]);
    await limit.resetKey('127.0.0.1');
    assert.equal((await get(port)).status, 200);
  }
});
