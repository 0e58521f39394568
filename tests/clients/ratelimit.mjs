// Middleware for Express, Connect and plain node:http that asks a rule of cellserver, to be copied into a service.

/**
 * Lets a request through if the rule has room for its key, and answers 429 Too Many Requests if it has not.
 * X-RateLimit-Limit, -Remaining and -Reset say how things stand, Retry-After how many seconds to wait; it is missing
 * where no wait would help. When the limiter does not answer, requests pass: it must not take the service down.
 *
 * client is a connected client of node-redis (of ioredis: ask with client.call('CL.CHECK', rule, key(req))).
 */
export const rateLimit = (client, rule, key = (req) => req.socket.remoteAddress) => async (req, res, next) => {
  let reply;
  try {
    reply = await client.sendCommand(['CL.CHECK', rule, key(req)]);
  } catch {
    return next();
  }
  const [limited, limit, remaining, retryAfter, resetAfter] = reply;
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', resetAfter);
  if (!limited) return next();
  if (retryAfter >= 0) res.setHeader('Retry-After', retryAfter);
  res.statusCode = 429;
  res.end('Too Many Requests\n');
};
