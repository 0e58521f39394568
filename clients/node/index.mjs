// Middleware that asks the rules of cellserver. README.md says how to use it.
//
// limiter.mjs asks the server within the time-out, reply.mjs reads its reply, denials.mjs remembers refusals,
// key.mjs and source.mjs have the keys, middleware.mjs has a function for each framework.
export { Limiter, NoDecision } from './limiter.mjs';
export { express, fastify, hono } from './middleware.mjs';
export { network } from './key.mjs';
export { keys } from './source.mjs';
