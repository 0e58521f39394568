'use strict';

const { Account, LOCAL, PASS, REFUSED, WAIT } = require('./account.cjs');
const { Decision, limitText, readDecision, readLimits } = require('./reply.cjs');

const LEASE = 1000; // ms
const TICK = 20; // ms between the times at which units are given back
const FRESH = 10_000_000; // µs for which the headers show the limits of a reply
const ASK_PAUSE = 100_000; // µs between two questions for a newer reply
const MOST = 1_000_000_000; // the largest quantity of a lease
// The errors of a server that has no answer for a while. Leases go on after a short pause.
const LOSS = /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MOVED|NOREPLICAS|READONLY|TRYAGAIN) /;

/** Decides about hot keys of one rule from units that the server has granted in advance. */
class Leases {
  #send;
  #timeout;
  #most;
  #clock;
  #givesBack;
  #byName = new Map(); // the least recently used is the first one
  #holders = new Set();
  #timer;

  /**
   * send       sends a command within the time-out
   * timeout    milliseconds that an action waits for units
   * most       how many accounts there are
   * now        a clock in milliseconds, for tests
   * givesBack  whether the client sends no command twice, so that units come back once
   */
  constructor({ send, timeout, most, now, givesBack }) {
    [this.#send, this.#timeout, this.#most, this.#givesBack] = [send, timeout, most, givesBack];
    const wall = now ?? Date.now,
      boot = now ?? (() => performance.now());
    this.#clock = () => ({ boot: Math.trunc(boot() * 1000), wall: Math.trunc(wall() * 1000) });
  }

  /** Reports whether a lease can decide about an action: one rule without a scope counts it. */
  serves(quantity, pairs) {
    return pairs.length === 1 && quantity >= 1 && quantity <= MOST && !pairs[0][0].includes('@');
  }

  /** Decides about an action. */
  async ask(name, [rule, key], of) {
    const quantity = Number(of),
      one = this.#find(name, rule, key),
      began = this.#clock();
    const left = () => this.#timeout - (this.#clock().boot - began.boot) / 1000;
    let now = began;
    let [verdict, answer] = one.account.take(now, quantity);
    while (verdict === WAIT) {
      this.#next(one, now);
      if (!(await within(one.answered, left()))) {
        one.account.gone(quantity);
        throw new Error(`no lease within ${this.#timeout} ms`);
      }
      now = this.#clock();
      [verdict, answer] = one.account.again(now, quantity);
    }
    if (verdict === PASS) return this.#pass(one, quantity, left());
    if (verdict === LOCAL) this.#next(one, now);
    const decision = decisionOf(one, verdict !== REFUSED, answer);
    if (now.boot >= one.fresh) {
      [one.fresh, one.asked] = [now.boot + FRESH, now.boot];
      this.#check(one, 0).catch(() => {}); // so that the headers show the limits of today
    }
    return decision;
  }

  #find(name, rule, key) {
    const one = this.#byName.get(name) ?? { rule, key, account: new Account(LEASE), fresh: 0, asked: 0, limits: [] };
    one.answered ?? renew(one);
    this.#byName.delete(name);
    this.#byName.set(name, one);
    if (this.#byName.size > this.#most) this.#byName.delete(this.#byName.keys().next().value);
    return one;
  }

  /** Asks the rule itself, for so many milliseconds at most. */
  async #pass(one, quantity, most) {
    const departed = this.#clock();
    const { decision, answer } = await this.#check(one, quantity, most);
    one.account.passed(this.#clock(), departed, quantity, !decision.allowed, answer);
    return decision;
  }

  /** Asks the rule, and keeps its limits. */
  async #check(one, quantity, most) {
    const command = ['CL.MCHECK', '1', one.rule, one.key, 'QUANTITY', String(quantity), 'EXPLAIN', 'MS'];
    const reply = await this.#send(command, one.key, most);
    const decision = readDecision(reply, [one.rule]);
    const [, , [, limit, remaining, retryAfter, resetAfter, , , all]] = reply;
    [one.policy, one.limits] = [decision.policy, readLimits(one.rule, all)];
    one.fresh = this.#clock().boot + FRESH;
    return { decision, answer: { limit, remaining, retryAfter, resetAfter } };
  }

  /** Sends the question that is due. */
  #next(one, now) {
    const ask = one.account.nextAsk(now);
    if (ask) this.#question(one, ask);
  }

  /** Sends a question, and gives the account the reply. It is never rejected. */
  async #question(one, ask) {
    this.#holders.add(one);
    this.#timer ??= setInterval(() => this.#tick(), TICK).unref();
    const { units, at, ends } = ask.back ?? {};
    const back = this.#givesBack && units ? ['BACK', String(units), String(at), String(ends)] : [];
    const want = [String(ask.want), String(ask.ttl)];
    try {
      const reply = await this.#send(['CL.LEASE', ...want, ...back, 'CL.CHECK', one.rule, one.key], one.key);
      if (reply.length !== 7 || !reply.every(Number.isSafeInteger)) throw new Error('this is no lease');
      one.account.granted(this.#clock(), ask, reply);
    } catch (error) {
      const isReply = /^[A-Z]{3,} /.test(error.message) && !LOSS.test(error.message);
      one.account[isReply ? 'failed' : 'lost'](this.#clock(), ask);
    }
    one.end();
    renew(one);
  }

  /** Gives units back, until no account holds any. */
  #tick() {
    const now = this.#clock();
    for (const one of this.#holders) {
      const ask = one.account.giveBack(now);
      if (ask) this.#question(one, ask);
      else if (!one.account.holds) this.#holders.delete(one);
    }
    if (this.#holders.size) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Makes the promise of the next answer to a question of an account. */
const renew = (one) => {
  one.answered = new Promise((resolve) => (one.end = resolve));
};

/** Waits for a promise. It is false after so many milliseconds. */
const within = async (promise, milliseconds) => {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), false);
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
};

/**
 * Returns the decision of a lease. Its headers show the limit of the rule that the answer is of. If the rule
 * has no such limit any more, there are none, and the rule is asked from time to time.
 */
const decisionOf = (one, allowed, { limit, remaining, retryAfter, resetAfter }) => {
  const decision = new Decision();
  decision.allowed = allowed;
  if (!allowed) decision.retryAfter = retryAfter;
  const same = one.limits.filter(({ most }) => most === limit);
  if (!same.length) {
    one.fresh = Math.min(one.fresh, one.asked + ASK_PAUSE);
    return decision;
  }
  const { name, most, window } = same.reduce((a, b) => (b.left < a.left ? b : a));
  const shown = { name, limited: !allowed, left: remaining, retry: retryAfter, reset: resetAfter };
  decision.policy = one.policy;
  decision.limit = limitText(shown);
  if (!allowed) decision.violated.push(name);
  decision.tightest = { most, left: remaining, reset: resetAfter, window };
  return decision;
};

module.exports = { Leases };
