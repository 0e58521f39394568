'use strict';

const { nameOf, setHeaders } = require('./headers.cjs');
const { encode } = require('./key.cjs');
const { Limiter } = require('./limiter.cjs');
const { settle, valueOf } = require('./options.cjs');
const { sender } = require('./send.cjs');
const { Windows } = require('./window.cjs');

/**
 * Middleware for Express with the options of express-rate-limit. It asks a rule of the server, or with
 * `limit` and `windowMs` the command `CL.WINDOW`.
 */
const rateLimit = (passed) => {
  const options = settle(passed);
  const limit = options.rule === undefined ? byWindow(options) : byRule(options);
  const middleware = (req, res, next) => {
    decide(options, limit, req, res, next).then((passes) => passes && next(), next);
  };
  return Object.assign(middleware, { resetKey: limit.reset, getKey: limit.look });
};

/** Decides about a request. It is true if the request passes, and the handler has answered otherwise. */
const decide = async (options, limit, req, res, next) => {
  if (await options.skip(req, res)) return true;
  const key = await options.keyGenerator(req, res);
  const decision = await limit.ask(key, req, res);
  const state = await stateOf(options, decision, key, req, res);
  if (state) setHeaders(options, res, state);
  if (!decision.allowed) {
    await (options.handler ?? answer)(req, res, next, options);
    return false;
  }
  if (state && (options.skipFailedRequests || options.skipSuccessfulRequests))
    giveBackLater(options, limit, req, res, state);
  return true;
};

/**
 * Puts the numbers of a decision into the request, and returns them for the headers. A decision may have none
 * to show.
 */
const stateOf = async (options, decision, key, req, res) => {
  if (!decision.tightest) return undefined;
  const { most, left, reset, window } = decision.tightest;
  const info = {
    limit: most,
    used: most - left,
    remaining: Math.max(left, 0),
    resetTime: new Date(Date.now() + reset),
    key,
  };
  Object.defineProperty(info, 'current', { value: info.used });
  req[options.requestPropertyName] = info;
  const draft8 = options.standardHeaders === 'draft-8';
  const named = draft8 ? await valueOf(options.identifier, req, res) : undefined;
  const retryAfter = decision.allowed ? undefined : await valueOf(options.retryAfter, req, res);
  return { ...info, reset, window, name: named ?? nameOf(most, window), retryAfter, decision };
};

/** Answers a refused request. */
const answer = async (req, res, next, options) => {
  res.status(options.statusCode);
  const message = await valueOf(options.message, req, res);
  if (!res.writableEnded) res.send(message);
};

/**
 * Gives a request back after its reply, if the options say that it does not count and its window has not
 * ended.
 */
const giveBackLater = (options, limit, req, res, { key, reset }) => {
  const end = performance.now() + reset;
  let given = false;
  const giveBack = async () => {
    if (given || performance.now() >= end) return;
    given = true;
    await limit.giveBack(key);
  };
  const on = (event, act) =>
    res.once(event, () =>
      act().catch((error) => {
        (options.logger ?? console).error(error, 'rateLimit: a request was not given back');
      }),
    );
  on('finish', async () => {
    const success = await options.requestWasSuccessful(req, res);
    if (success ? options.skipSuccessfulRequests : options.skipFailedRequests) await giveBack();
  });
  if (options.skipFailedRequests)
    on('close', async () => {
      if (!res.writableEnded) await giveBack();
    });
};

const limiterOf = ({ client, timeout, denials, passOnStoreError, logger }) =>
  new Limiter(client, {
    timeout,
    denials,
    failClosed: !passOnStoreError,
    onError: logger ? (error) => logger.error(error, 'rateLimit: no decision') : undefined,
  });

/** Limits with one window for each key. */
const byWindow = (options) => {
  const limiter = limiterOf(options);
  const windows = new Windows(options.client, options);
  return {
    ask: async (key, req, res) =>
      limiter.askWindow(windows.key(key), await valueOf(options.limit, req, res), options.windowMs),
    giveBack: (key) => windows.giveBack(key),
    look: async (key) => {
      const { hits, reset } = await windows.look(key, options.windowMs);
      return hits > 0 ? { totalHits: hits, resetTime: new Date(Date.now() + reset) } : undefined;
    },
    reset: async (key) => {
      await windows.reset(key);
      limiter.forget('CL.WINDOW', windows.key(key));
    },
  };
};

/** Limits with a rule of the server. */
const byRule = (options) => {
  const limiter = limiterOf(options);
  const send = sender(options.client, options.timeout);
  return {
    ask: (key) => limiter.ask([options.rule, key]),
    look: async (key) => {
      const { tightest } = await limiter.askFor(0, [options.rule, key]);
      if (!tightest || tightest.left === tightest.most) return undefined;
      return { totalHits: tightest.most - tightest.left, resetTime: new Date(Date.now() + tightest.reset) };
    },
    reset: async (key) => {
      await send(['CL.RULE', 'RESET', options.rule, encode(key)], encode(key));
      limiter.forget(options.rule, encode(key));
    },
  };
};

module.exports = { rateLimit };
