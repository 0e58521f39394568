'use strict';

const { network } = require('./key.cjs');
const { NoDecision } = require('./limiter.cjs');

// Each function takes a limiter and rules: arrays of a name and a function from the request to the key.
// Without the function the key is the address of the connection. The optional cost is a function from the
// request to its quantity, which is 1 otherwise. Both functions may return promises.

/** Middleware for Express, Connect and plain node:http. */
const express = (limiter, rules, cost) => {
  const answer = answers(limiter, rules, cost);
  return (req, res, next) => {
    answer(req, () => req.ip ?? req.socket.remoteAddress).then(({ status, headers, body }) => {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      if (!status) return next();
      res.statusCode = status;
      res.end(body);
    }, next);
  };
};

/** A hook for Fastify: app.addHook('onRequest', fastify(…)). */
const fastify = (limiter, rules, cost) => {
  const answer = answers(limiter, rules, cost);
  return async (request, reply) => {
    const { status, headers, body } = await answer(request, () => request.ip);
    reply.headers(headers);
    if (status) return reply.code(status).send(body);
  };
};

/**
 * Middleware for Hono. On node:http it knows the address of the connection; on other platforms give it a key
 * function.
 */
const hono = (limiter, rules, cost) => {
  const answer = answers(limiter, rules, cost);
  return async (c, next) => {
    const { status, headers, body } = await answer(c, () => c.env?.incoming?.socket?.remoteAddress);
    if (status) return c.body(body, status, headers);
    await next();
    for (const [name, value] of Object.entries(headers)) c.header(name, value); // those of fetch are immutable
  };
};

/**
 * Returns the function that asks the rules about a request. Its answer has a status and a body if the request
 * is refused.
 */
const answers = (limiter, rules, cost) => {
  if (typeof limiter?.askFor !== 'function')
    throw new TypeError('the first argument is a Limiter: new Limiter(client)');
  const isRule = (rule) => Array.isArray(rule) && typeof rule[0] === 'string' && rule[0] && rule.length <= 2;
  const isKey = (key) => key === undefined || key === null || typeof key === 'function';
  if (!(Array.isArray(rules) && rules.length && rules.every((rule) => isRule(rule) && isKey(rule[1])))) {
    throw new TypeError(
      `the rules are a list of names and key functions, such as [['per-ip'], ['login', (req) => …]]`,
    );
  }
  if (cost !== undefined && typeof cost !== 'function')
    throw new TypeError('the cost is a function from the request to its quantity');
  return (request, address) => answer(limiter, rules, cost, request, address);
};

const answer = async (limiter, rules, cost, request, address) => {
  const type = { 'Content-Type': 'application/problem+json' };
  try {
    const ask = async ([rule, key]) => [rule, key ? await key(request) : network(address())];
    const questions = await Promise.all(rules.map(ask));
    const decision = await limiter.askFor(cost ? await cost(request) : 1, ...questions);
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
