'use strict';

const { createHash } = require('node:crypto');
const { seconds } = require('./reply.cjs');

/** Sets the headers of a limit in the forms of express-rate-limit. */
const setHeaders = (options, res, state) => {
  if (res.headersSent) return;
  if (options.legacyHeaders) legacy(res, state);
  if (options.standardHeaders) drafts[options.standardHeaders](res, state);
  const { decision } = state;
  if (decision.allowed || !(options.legacyHeaders || options.standardHeaders)) return;
  const wait = state.retryAfter ?? (decision.retryAfter < 0 ? undefined : seconds(decision.retryAfter));
  if (wait !== undefined) res.setHeader('Retry-After', String(wait));
};

const legacy = (res, { limit, remaining, resetTime }) => {
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  res.setHeader('Date', new Date().toUTCString()); // the time of X-RateLimit-Reset is one of this clock
  res.setHeader('X-RateLimit-Reset', String(seconds(resetTime.getTime())));
};

const drafts = {
  'draft-6': (res, { limit, remaining, reset, window }) => {
    res.setHeader('RateLimit-Policy', `${limit};w=${seconds(window)}`);
    res.setHeader('RateLimit-Limit', String(limit));
    res.setHeader('RateLimit-Remaining', String(remaining));
    res.setHeader('RateLimit-Reset', String(seconds(reset)));
  },
  'draft-7': (res, { limit, remaining, reset, window }) => {
    res.setHeader('RateLimit-Policy', `${limit};w=${seconds(window)}`);
    res.setHeader('RateLimit', `limit=${limit}, remaining=${remaining}, reset=${seconds(reset)}`);
  },
  'draft-8': (res, { limit, remaining, reset, window, key, name, decision }) => {
    if (decision.policy) {
      // of a rule, which names its limits itself
      append(res, 'RateLimit', decision.limit);
      return append(res, 'RateLimit-Policy', decision.policy);
    }
    const hash = createHash('sha256').update(String(key)).digest('hex').slice(0, 12);
    append(res, 'RateLimit', `"${name}"; r=${remaining}; t=${seconds(reset)}`);
    append(
      res,
      'RateLimit-Policy',
      `"${name}"; q=${limit}; w=${seconds(window)}; pk=:${Buffer.from(hash).toString('base64')}:`,
    );
  },
};

/** Adds a line to a header: another limit may have written one. */
const append = (res, name, value) => res.setHeader(name, [].concat(res.getHeader(name) ?? [], value));

/** Returns the name of a limit, such as "100-in-1min". */
const nameOf = (limit, window) => {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hr'],
    [60_000, 'min'],
    [0, 'sec'],
  ];
  const [size, unit] = units.find(([size]) => window >= size);
  const count = window / (size || 1000);
  return `${limit}-in-${count}${unit}${count > 1 && size >= 3_600_000 ? 's' : ''}`;
};

module.exports = { nameOf, setHeaders };
