// Middleware for Express, Connect and plain node:http that asks a rule of cellserver. Copy it into a service.

/**
 * Passes a request if the rule allows its key, and otherwise answers 429 Too Many Requests.
 * X-RateLimit-Limit, -Remaining and -Reset describe the limit. Retry-After is the number of seconds to wait; the header
 * is missing if no wait helps. If the limiter does not answer, requests pass, so that it cannot stop the service.
 *
 * client is a connected client of node-redis (with ioredis, use client.call('CL.CHECK', rule, key(req))).
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
