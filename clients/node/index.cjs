'use strict';

// Middleware that asks the rules of cellserver. README.md says how to use it.
//
// ratelimit.cjs is the middleware with the options of express-rate-limit, options.cjs checks them,
// headers.cjs has its headers. adaptive.cjs lets calls of a service begin (CL.ENTER). stores.cjs has
// stores for express-rate-limit and @fastify/rate-limit, window.cjs their commands. middleware.cjs has a
// function for each framework. limiter.cjs asks the server, send.cjs keeps to the time-out, reply.cjs
// reads its reply, denials.cjs remembers refusals, lease.cjs decides about hot keys by account.cjs,
// key.cjs and source.cjs have the keys. http.mjs is a client for HTTP alone. index.mjs has the same
// objects for import.
const { AdaptiveLimit, LimitReached } = require('./adaptive.cjs');
const { network } = require('./key.cjs');
const { Limiter, NoDecision } = require('./limiter.cjs');
const { express, fastify, hono } = require('./middleware.cjs');
const { rateLimit } = require('./ratelimit.cjs');
const { keys } = require('./source.cjs');
const { ExpressStore, fastifyStore } = require('./stores.cjs');

// The package itself is rateLimit, as express-rate-limit is.
module.exports = Object.assign(rateLimit, {
  default: rateLimit,
  rateLimit,
  ExpressStore,
  fastifyStore,
  Limiter,
  NoDecision,
  express,
  fastify,
  hono,
  network,
  keys,
  AdaptiveLimit,
  LimitReached,
});
