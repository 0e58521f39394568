// Asks the rules of cellserver over its HTTP port. It needs fetch and nothing of Node, so it runs on Workers,
// Deno and Edge.

/** The bytes of the longest key that the server gets as it is. */
const LONGEST = 256;

/** The milliseconds of the longest timer. A longer one would end at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The reply of the rules to one action. Its numbers are those of the tightest limit; without a decision it
 * has none.
 */
class Decision {
  constructor(status, { headers = {}, body = '', limit, remaining, retryAfter, error } = {}) {
    this.status = status;
    this.allowed = status === 200;
    Object.assign(this, { headers, body, limit, remaining, retryAfter, error });
  }

  /** Returns the reply to a refused request. */
  response() {
    return new Response(this.body, {
      status: this.status,
      headers: { ...this.headers, 'Content-Type': 'application/problem+json' },
    });
  }
}

/**
 * Asks rules about one action: check('http://127.0.0.1:7380', { rule: 'login', key: 'ann' }, { token }).
 *
 * The question has a `rule` with its `key`, or with `keys`, an object with a key for each scope; or it has
 * `rules`, a list of these. Or it has a `limit` in words, such as '100/minute', with a `key`. `quantity` is 1
 * without it, and `peek` counts nothing.
 *
 * timeout     milliseconds that a request waits for a decision
 * failClosed  refuses with 503 while there is no decision; otherwise the action is allowed
 * token       the http-token of the server
 * basic       'user:password' for a proxy before the server
 * onError     is called for each request without a decision; by default one is logged every 10 seconds
 */
export const check = async (
  url,
  question,
  { timeout = 250, failClosed = false, token, basic, onError = log, ...others } = {},
) => {
  const [unknown] = Object.keys(others);
  if (unknown)
    throw new TypeError(`check has no option ${unknown}. It has timeout, failClosed, token, basic, onError`);
  if (!(typeof timeout === 'number' && timeout >= 1 && timeout <= LONGEST_TIMEOUT)) {
    throw new TypeError(`timeout is a number of milliseconds from 1 to ${LONGEST_TIMEOUT}, not ${timeout}`);
  }
  if (typeof failClosed !== 'boolean') throw new TypeError(`failClosed is a boolean, not ${failClosed}`);
  const body = JSON.stringify(await bodyOf(question));
  const headers = { 'Content-Type': 'application/json', ...credentials(token, basic) };
  const path = question.limit === undefined ? 'check' : 'throttle';
  const target = new URL(path, url.endsWith('/') ? url : `${url}/`);
  try {
    const signal = AbortSignal.timeout(timeout);
    const reply = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return decisionOf(reply, await reply.text());
  } catch (error) {
    onError(error);
    if (!failClosed) return new Decision(200, { error });
    const problem = JSON.stringify({ title: 'The rate limiter does not answer', status: 503 });
    return new Decision(503, { error, headers: { 'Retry-After': '1' }, body: problem });
  }
};

/** Returns the body of POST /check, or of POST /throttle with a limit in words. */
const bodyOf = async ({ rule, key, keys, rules, limit, quantity, peek, ...others }) => {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(`a question has no ${unknown}. It has rule, key, keys, rules, limit, quantity, peek`);
  }
  if ([rule, rules, limit].filter((one) => one !== undefined).length !== 1) {
    throw new TypeError('a question has a rule, or rules, or a limit');
  }
  if (limit === undefined) {
    return { rules: await Promise.all((rules ?? [{ rule, key, keys }]).map(withKeys)), quantity, peek };
  }
  if (typeof limit !== 'string') throw new TypeError(`limit is in words such as '100/minute', not ${limit}`);
  if (keys !== undefined) throw new TypeError('a limit has one key: a rule has keys for its scopes');
  // The prefix keeps what a client chooses away from other data.
  return { key: `rl:${limit}:${await shorten(key)}`, limit, quantity, peek };
};

const withKeys = async ({ rule, key, keys }) => {
  if ((key === undefined) === (keys === undefined))
    throw new TypeError(`the rule ${rule} has a key, or keys for its scopes`);
  if (keys === undefined) return { rule, key: await shorten(key) };
  const entries = Object.entries(keys).map(async ([scope, one]) => [scope, await shorten(one)]);
  return { rule, keys: Object.fromEntries(await Promise.all(entries)) };
};

/**
 * Returns a key, or the hash of a long key. A client must not get past its limit by a key that the server
 * refuses.
 */
const shorten = async (key) => {
  if (typeof key !== 'string' || !key || !key.isWellFormed()) {
    throw new TypeError(`a key is a text of Unicode with at least one character, not ${JSON.stringify(key)}`);
  }
  const data = new TextEncoder().encode(key);
  if (data.length <= LONGEST) return key;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

/**
 * Returns the headers of the credentials. If a proxy takes Authorization, the token has a header of its own.
 */
const credentials = (token, basic) => {
  if (basic === undefined) return token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const bytes = String.fromCharCode(...new TextEncoder().encode(basic));
  return {
    Authorization: `Basic ${btoa(bytes)}`,
    ...(token === undefined ? {} : { 'X-Cellserver-Token': token }),
  };
};

/** Returns the headers of a reply that say something about limits. */
const limits = (headers) => {
  const names = [
    'RateLimit-Policy',
    'RateLimit',
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ];
  return Object.fromEntries(
    names.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null),
  );
};

/** Reads a reply. Something between may answer with its own page, and then there is no decision. */
const decisionOf = ({ status, headers }, body) => {
  let read = {};
  try {
    read = JSON.parse(body);
  } catch {
    read.detail = body.slice(0, 200);
  }
  const { allowed, limit, remaining, retry_after: retryAfter, detail = body } = read;
  if (allowed === undefined || allowed !== { 200: true, 429: false }[status])
    throw new Error(`the server answered ${status}: ${detail}`);
  return new Decision(status, { headers: limits(headers), body, limit, remaining, retryAfter });
};

let nextLog = 0;

const log = (error) => {
  if (Date.now() < nextLog) return;
  nextLog = Date.now() + 10_000;
  console.error('the rate limiter did not decide:', error.message);
};
