// The package for import. It has the objects of index.cjs, so that both forms share one state.
import all from './index.cjs';

export const {
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
} = all;
export { rateLimit as default };
