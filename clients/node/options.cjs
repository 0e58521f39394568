'use strict';

const { isIPv6 } = require('node:net');
const { inspect } = require('node:util');
const { network } = require('./key.cjs');

/** The default prefix of the keys of `rateLimit` and `ExpressStore`. */
const PREFIX = 'rl:';

/**
 * The options of rateLimit with their defaults: those of express-rate-limit, except where README.md says
 * another one.
 */
const DEFAULTS = {
  client: undefined,
  rule: undefined,
  windowMs: 60_000,
  limit: 5,
  prefix: PREFIX,
  timeout: 250,
  denials: 10_000,
  passOnStoreError: true,
  logger: undefined,
  skip: () => false,
  keyGenerator: undefined,
  ipv6Subnet: undefined,
  handler: undefined,
  message: 'Too many requests, please try again later.',
  statusCode: 429,
  standardHeaders: false,
  legacyHeaders: true,
  identifier: undefined,
  retryAfter: undefined,
  requestPropertyName: 'rateLimit',
  skipFailedRequests: false,
  skipSuccessfulRequests: false,
  requestWasSuccessful: (_, res) => res.statusCode < 400,
};

/** Old names of express-rate-limit. */
const RENAMED = { max: 'limit', headers: 'legacyHeaders' };

/** Options of express-rate-limit that rateLimit does not have, and what to do instead. */
const REFUSED = {
  store: 'it counts on the server itself; give ExpressStore to express-rate-limit to keep its middleware',
  validate: 'it checks its options always and requests never',
  draft_polli_ratelimit_headers: 'write standardHeaders',
  onLimitReached: 'write handler, which runs for each refused request',
};

/** Options that a rule replaces, and why. */
const WITHOUT_RULE = {
  windowMs: 'the rule has its periods',
  limit: 'the rule has its limits',
  prefix: 'the name of the rule is before its keys',
  identifier: 'the headers name the limits of the rule',
  skipFailedRequests: 'a rule cannot give back a request: use limit and windowMs',
  skipSuccessfulRequests: 'a rule cannot give back a request: use limit and windowMs',
  requestWasSuccessful: 'a rule cannot give back a request: use limit and windowMs',
};

const KINDS = {
  skip: ['function'],
  keyGenerator: ['function'],
  handler: ['function'],
  requestWasSuccessful: ['function'],
  rule: ['string'],
  prefix: ['string'],
  requestPropertyName: ['string'],
  timeout: ['number'],
  denials: ['number'],
  statusCode: ['number'],
  passOnStoreError: ['boolean'],
  legacyHeaders: ['boolean'],
  skipFailedRequests: ['boolean'],
  skipSuccessfulRequests: ['boolean'],
  limit: ['number', 'function'],
  windowMs: ['number'],
  retryAfter: ['number', 'function'],
  identifier: ['string', 'function'],
};

const DRAFTS = [true, false, 'draft-6', 'draft-7', 'draft-8'];

/** The default prefixes that the limits of a client have. */
const taken = new WeakMap();

/** Returns all options with their values. A wrong one is a TypeError that says what may stand there. */
const settle = (passed = {}) => {
  const given = {};
  for (const [name, value] of Object.entries(passed)) {
    if (value === undefined) continue;
    if (Object.hasOwn(REFUSED, name)) {
      throw new TypeError(`rateLimit has no option ${name}: ${REFUSED[name]}`);
    }
    const today = Object.hasOwn(RENAMED, name) ? RENAMED[name] : name;
    if (!Object.hasOwn(DEFAULTS, today))
      throw new TypeError(`rateLimit has no option ${name}. It has ${Object.keys(DEFAULTS).join(', ')}`);
    if (!Object.hasOwn(given, today) || today === name) given[today] = value;
  }
  for (const [name, why] of given.rule === undefined ? [] : Object.entries(WITHOUT_RULE)) {
    if (Object.hasOwn(given, name)) {
      throw new TypeError(`rateLimit takes a rule or ${name}, not both: ${why}`);
    }
  }
  const options = { ...DEFAULTS, ...given };
  check(options);
  if (options.rule === undefined && !('prefix' in given)) takeDefaultPrefix(options.client, PREFIX);
  if (options.standardHeaders === true) options.standardHeaders = 'draft-6';
  options.ipv6Subnet ??= options.rule === undefined ? 56 : 64;
  options.keyGenerator ??= byAddress(options);
  return options;
};

/** Refuses options with a name or a type that `kinds` does not have. A name without types takes any value. */
const checkOptions = (of, kinds, options) => {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${of} takes an object of options, not ${inspect(options)}`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined)
    throw new TypeError(`${of} has no option ${unknown}. It has ${Object.keys(kinds).join(', ')}`);
  checkKinds(kinds, options);
};

const checkKinds = (allKinds, options) => {
  for (const [name, kinds] of Object.entries(allKinds)) {
    const value = options[name];
    if (value === undefined || !kinds || kinds.includes(typeof value)) continue;
    const phrase = name === 'limit' ? `; for words CL.RULE SET NAME ${value}, and write rule: 'NAME'` : '';
    throw new TypeError(`${name} is a ${kinds.join(' or a ')}, not ${inspect(value)}${phrase}`);
  }
};

const check = (options) => {
  if (!['object', 'function'].includes(typeof options.client))
    throw new TypeError('rateLimit needs client: a client of node-redis or ioredis');
  checkKinds(KINDS, options);
  const { limit, windowMs, standardHeaders, ipv6Subnet = 64, logger, statusCode, retryAfter } = options;
  if (typeof limit === 'number' && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new TypeError(`limit is an integer from 0, not ${limit}`);
  }
  if (!(Number.isSafeInteger(windowMs) && windowMs > 0))
    throw new TypeError(`windowMs is an integer of milliseconds from 1, not ${windowMs}`);
  if (options.rule === '') throw new TypeError('rule is the name of a rule, not an empty text');
  if (!(Number.isInteger(statusCode) && statusCode >= 100 && statusCode <= 599))
    throw new TypeError(`statusCode is an integer from 100 to 599, not ${statusCode}`);
  if (typeof retryAfter === 'number' && !(retryAfter >= 0 && retryAfter < Infinity))
    throw new TypeError(`retryAfter is a number of seconds from 0, not ${retryAfter}`);
  if (typeof options.identifier === 'string' && !/^[ !#-[\]-~]+$/.test(options.identifier)) {
    throw new TypeError(
      `identifier is a text of ASCII without quotes and backslashes, not ${inspect(options.identifier)}`,
    );
  }
  if (!DRAFTS.includes(standardHeaders)) {
    throw new TypeError(`standardHeaders is ${DRAFTS.join(', ')}, not ${standardHeaders}`);
  }
  if (typeof ipv6Subnet !== 'function') checkBits(ipv6Subnet);
  if (logger && typeof logger.error !== 'function')
    throw new TypeError('logger has a function error(error, message)');
};

const checkBits = (bits) => {
  if (bits === false || (Number.isInteger(bits) && bits >= 1 && bits <= 128)) return;
  throw new TypeError(`ipv6Subnet is an integer from 1 to 128, a function or false, not ${bits}`);
};

/** Lets one limit of a client have a default prefix. Two of them would count each other's requests. */
const takeDefaultPrefix = (client, prefix) => {
  const prefixes = taken.get(client) ?? new Set();
  if (prefixes.has(prefix)) {
    throw new TypeError(
      `another limit of this client has the prefix '${prefix}': give this one its own, '${prefix}login:'`,
    );
  }
  taken.set(client, prefixes.add(prefix));
};

/** Returns the key function of a limit without one. It logs once if all clients of a proxy are one key. */
const byAddress = ({ ipv6Subnet, logger }) => {
  let logged = false;
  return async (req, res) => {
    if (!logged && req.headers?.['x-forwarded-for'] !== undefined && !req.app?.get?.('trust proxy')) {
      logged = true;
      const sentence =
        "a request has X-Forwarded-For, and 'trust proxy' of Express is not set: " +
        'behind a proxy all clients share one limit';
      if (logger) logger.error(new Error(sentence), 'rateLimit: trust proxy');
      else console.error('rateLimit:', sentence);
    }
    return addressOf(req, await valueOf(ipv6Subnet, req, res));
  };
};

/** Returns the address of a request, as the key of a client without a name. */
const addressOf = (req, bits) => {
  checkBits(bits);
  const ip = req.ip ?? req.socket.remoteAddress ?? '';
  return bits === false && isIPv6(ip) ? network(ip, 128).replace('/128', '') : network(ip, bits || 64);
};

/** Returns the value of an option that may be a function of the request. */
const valueOf = (option, req, res) => (typeof option === 'function' ? option(req, res) : option);

module.exports = { PREFIX, checkOptions, settle, takeDefaultPrefix, valueOf };
