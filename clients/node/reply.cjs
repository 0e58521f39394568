'use strict';

/** The largest integer of a structured field. */
const MOST = 999_999_999_999_999;

/** The reply of the rules to one action. */
class Decision {
  allowed = true;
  retryAfter = 0; // milliseconds until the same action is allowed; -1 if no wait helps
  policy = ''; // the value of RateLimit-Policy
  limit = ''; // the value of RateLimit
  violated = []; // the names of the policies that refuse
  tightest = undefined; // most, left, reset and window of the tightest limit, if clients may know of it

  /** Returns the headers of the reply. */
  headers() {
    const headers = this.policy ? { 'RateLimit-Policy': this.policy, RateLimit: this.limit } : {};
    if (!this.allowed && this.retryAfter >= 0) headers['Retry-After'] = String(seconds(this.retryAfter));
    return headers;
  }

  /** Returns the body of a refusal, a problem of RFC 9457. */
  body() {
    return JSON.stringify({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'The quota is used up',
      status: 429,
      'violated-policies': this.violated,
    });
  }
}

/** Reads the reply of CL.WINDOW with MS. */
const readWindow = ([limited, most, left, retry, reset], window) => {
  const decision = new Decision();
  decision.allowed = !limited;
  decision.retryAfter = limited ? retry : 0;
  decision.tightest = { most, left, reset, window };
  return decision;
};

/**
 * Reads the reply of CL.MCHECK with EXPLAIN and MS. rules are the names of the rules in the command, one for
 * each pair.
 */
const readDecision = ([limited, , ...replies], rules) => {
  const decision = new Decision();
  const policies = [],
    limits = [],
    waits = [0];
  let at = 0;
  for (const [refuses, most, left, retry, reset, scope, text, all, shadow] of replies) {
    if (refuses) waits.push(retry);
    const named = readLimits(rules[at].split('@')[0], all); // the name has no scope
    at += new Set(named.map((one) => one.scope)).size;
    if (shadow) continue; // clients should not know of it
    const window = named.find((one) => one.scope === String(scope) && one.text === String(text))?.window;
    decision.tightest ??= { most, left, reset, window };
    for (const { name, limited, most, left, retry, reset, window } of named) {
      policies.push(`"${name}";q=${Math.min(most, MOST)}${window > 0 ? `;w=${seconds(window)}` : ''}`);
      limits.push(limitText({ name, limited, left, retry, reset }));
      if (limited) decision.violated.push(name);
    }
  }
  decision.allowed = !limited;
  decision.retryAfter = Math.min(...waits) < 0 ? -1 : Math.max(...waits);
  decision.policy = policies.join(', ');
  decision.limit = limits.join(', ');
  return decision;
};

/** Returns an element of RateLimit: "login";r=4;t=12. */
const limitText = ({ name, limited, left, retry, reset }) => {
  const wait = limited && retry >= 0 ? retry : reset;
  return `"${name}";r=${Math.min(Math.max(left, 0), MOST)};t=${seconds(wait)}`;
};

/**
 * Reads the limits of a rule, and names them: "login", "llm:user", or "login:window:2" for a second window.
 */
const readLimits = (rule, all) => {
  const limits = all.map(([scope, text, limited, most, left, retry, reset, window]) => ({
    scope: String(scope),
    text: String(text),
    kind: String(text).split(' ')[0].toLowerCase().replace(/^cl\./, ''),
    limited,
    most,
    left,
    retry,
    reset,
    window,
  }));
  limits.forEach((one, i) => {
    const same = (other) => other.scope === one.scope;
    const earlier = limits.slice(0, i + 1).filter((other) => same(other) && other.kind === one.kind).length;
    const name = [
      rule,
      one.scope,
      limits.filter(same).length > 1 ? one.kind : '',
      earlier > 1 ? earlier : '',
    ];
    one.name = name.filter(Boolean).join(':');
  });
  return limits;
};

/** Rounds milliseconds up to seconds. */
const seconds = (milliseconds) => Math.ceil(milliseconds / 1000);

module.exports = { Decision, limitText, readDecision, readLimits, readWindow, seconds };
