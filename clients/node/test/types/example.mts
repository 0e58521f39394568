// Uses every declaration of index.d.mts. test/types.test.mjs lets the compiler of TypeScript check this file.
import { createServer } from 'node:http';
import expressApp from 'express';
import fastifyApp, { type FastifyRequest } from 'fastify';
import { Hono, type Context } from 'hono';
import { Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { rateLimit as originalLimit } from 'express-rate-limit';
import fastifyRateLimit from '@fastify/rate-limit';
import {
  AdaptiveLimit,
  express,
  ExpressStore,
  fastify,
  fastifyStore,
  hono,
  Limiter,
  LimitReached,
  network,
  NoDecision,
  rateLimit,
} from 'cellserver-ratelimit';
import type { AdaptiveOptions, Cost, Decision, Options, Question, Leave, Outcome, RateLimitOptions, Rule } from 'cellserver-ratelimit';
import { check, type HttpDecision } from 'cellserver-ratelimit/http';

const options: Options = {
  timeout: 250,
  failClosed: true,
  denials: 0,
  onError: (error) => {
    console.error(error.message);
  },
  now: () => 0,
};
const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true });
const limiter = new Limiter(client, options);
new Limiter(new Redis({ enableOfflineQueue: false }));
const cluster = createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:6379' }] });
new Limiter(cluster);
new Limiter((args, key) => cluster.sendCommand(key, false, args));

const app = expressApp();
app.use(
  express(
    limiter,
    [['per-ip'], ['login', (req) => req.get('X-User')]],
    (req) => 1 + Number(req.get('Content-Length')),
  ),
);
const rules: Array<Rule<expressApp.Request>> = [['login', (req) => req.get('X-User')]];
const cost: Cost<expressApp.Request> = (req) => BigInt(req.get('Content-Length') ?? 1);
app.use(express(limiter, rules, cost));
const limit = express(limiter, [['api', (req) => req.headers['x-user']]]);
createServer((req, res) => {
  limit(req, res, (error) => {
    res.end(String(error));
  });
});

fastifyApp().addHook(
  'onRequest',
  fastify(limiter, [['api', (request) => request.headers['x-user']]], (request) => request.url.length),
);
fastifyApp().addHook('onRequest', fastify(limiter, [['api', (request: FastifyRequest) => request.ip]]));
new Hono().use(hono(limiter, [['api', (c: Context) => c.req.path]]));
new Hono().use(hono(limiter, [['api', (c) => c.req.header('X-User')]], (c) => c.req.path.length));

export const ask = async (questions: Question[]): Promise<string> => {
  try {
    const decision: Decision = await limiter.askFor(5n, ...questions);
    const { allowed, retryAfter, policy, limit, violated }: Decision = await limiter.ask(
      ['login', 'ann'],
      ['api', Buffer.from([255])],
      ['all'],
    );
    const parts: [boolean, number, string, string, readonly string[]] = [
      allowed,
      retryAfter,
      policy,
      limit,
      violated,
    ];
    return parts.join() + decision.headers()['Retry-After'] + decision.body() + network('::1');
  } catch (error) {
    if (error instanceof NoDecision) return error.message;
    throw error;
  }
};

app.use(
  rateLimit({
    client,
    windowMs: 60_000,
    limit: async (req) => (req.get('X-User') ? 9 : 1),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
  }),
);
const limits: RateLimitOptions<expressApp.Request, expressApp.Response> = {
  client: cluster,
  rule: 'login',
  skip: (req) => req.path === '/health',
  handler: (req, res, next, { statusCode = 429 }) => res.status(statusCode).json(req.ip),
};
app.use(rateLimit(limits));
app.use(originalLimit({ store: new ExpressStore({ client, prefix: 'rl:' }) }));
await fastifyApp().register(fastifyRateLimit, { max: 5, store: fastifyStore({ client: new Redis() }) });
const decided: HttpDecision = await check(
  'http://127.0.0.1:7380',
  {
    rules: [
      { rule: 'a', key: 'b' },
      { rule: 'c', keys: { d: 'e' } },
    ],
    quantity: 2,
  },
  { basic: 'a:b' },
);
await check('http://127.0.0.1:7380', { limit: '100/minute', key: 'ann' });
export const reply: Response | undefined = decided.allowed ? undefined : decided.response();

// The compiler must refuse these lines.
// @ts-expect-error a client is not a URL
new Limiter('redis://127.0.0.1:6379');
// @ts-expect-error an option of another language
new Limiter(client, { fail_closed: true });
// @ts-expect-error a rule has a name
app.use(express(limiter, [[(req: expressApp.Request) => req.ip]]));
// @ts-expect-error a cost is a number
app.use(express(limiter, [['api']], () => 'much'));
// @ts-expect-error a question is a rule and a key
await limiter.ask('api', 'ann');
// @ts-expect-error the quantity comes first
await limiter.askFor(['api', 'ann'], 5);
// @ts-expect-error a request of Express has no such field
app.use(express(limiter, [['api', (req) => req.noSuchField]]));
// @ts-expect-error an option that does not exist
rateLimit({ client, store: new ExpressStore({ client }) });
// @ts-expect-error a request of Express has no such field
app.use(rateLimit({ client, skip: (req) => req.noSuchField }));
// @ts-expect-error a question has a key
await check('http://127.0.0.1:7380', { rule: 'login' });

const adaptive: AdaptiveOptions = { lease: 60_000, timeout: 250, ceiling: 20, words: ['BETWEEN', 5, 500] };
const service = new AdaptiveLimit(createClient(), 'search', adaptive);
const dropped: Outcome = 'DROP';
const called: Response = await service.wrap()('http://127.0.0.1:1');
const answer: number = await service.run(async () => called.status);
const other: (n: number) => Promise<string> = service.wrap(async (n: number) => String(n + answer));
expressApp().use(service.express());
try {
  const leave: Leave = await service.enter();
  leave.measured();
  await leave(dropped);
  await other(1);
} catch (error) {
  if (error instanceof LimitReached) console.error(error.status);
}
