'use strict';

const { network } = require('./key.cjs');
const { NoDecision } = require('./limiter.cjs');

// Each function takes a limiter and rules: arrays of a name and a function from the request to the key.
// Without the function the key is the address of the connection. The optional cost is a function from the
// request to its quantity, which is 1 otherwise.

/** Middleware for Express, Connect and plain node:http. */
const express = (limiter, rules, cost) => (req, res, next) => {
  answer(limiter, rules, cost, req, () => req.ip ?? req.socket.remoteAddress).then(
    ({ status, headers, body }) => {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      if (!status) return next();
      res.statusCode = status;
      res.end(body);
    },
    next,
  );
};

/** A hook for Fastify: app.addHook('onRequest', fastify(…)). */
const fastify = (limiter, rules, cost) => async (request, reply) => {
  const { status, headers, body } = await answer(limiter, rules, cost, request, () => request.ip);
  reply.headers(headers);
  if (status) return reply.code(status).send(body);
};

/**
 * Middleware for Hono. On node:http it knows the address of the connection; on other platforms give it a key
 * function.
 */
const hono = (limiter, rules, cost) => async (c, next) => {
  const { status, headers, body } = await answer(
    limiter,
    rules,
    cost,
    c,
    () => c.env?.incoming?.socket?.remoteAddress,
  );
  if (status) return c.body(body, status, headers);
  await next();
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
};

/** Asks the rules. The answer has a status and a body if the request is refused. */
const answer = async (limiter, rules, cost, request, address) => {
  const type = { 'Content-Type': 'application/problem+json' };
  try {
    const questions = rules.map(([rule, key]) => [rule, key ? key(request) : network(address())]);
    const decision = await limiter.askFor(cost ? cost(request) : 1, ...questions);
    if (decision.allowed) return { headers: decision.headers() };
    return { status: 429, headers: { ...decision.headers(), ...type }, body: decision.body() };
  } catch (error) {
    if (!(error instanceof NoDecision)) throw error; // of a function of the application
    return {
      status: 503,
      headers: { 'Retry-After': '1', ...type },
      body: JSON.stringify({ title: 'The rate limiter does not answer', status: 503 }),
    };
  }
};

module.exports = { express, fastify, hono };
