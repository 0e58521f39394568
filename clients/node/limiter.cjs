'use strict';

const { Denials } = require('./denials.cjs');
const { encode } = require('./key.cjs');
const { Leases } = require('./lease.cjs');
const { checkOptions } = require('./options.cjs');
const { Decision, readDecision, readWindow } = require('./reply.cjs');
const { sender, sendsOnce } = require('./send.cjs');
const { windowCommand } = require('./window.cjs');

/** The options with their types. */
const OPTIONS = {
  timeout: ['number'],
  failClosed: ['boolean'],
  denials: ['number'],
  lease: ['boolean'],
  onError: ['function'],
  now: ['function'],
};

/** The server did not decide in time, and the limiter fails closed. Express answers it with 503. */
class NoDecision extends Error {
  status = 503;
  headers = { 'Retry-After': '1' };
}

class Limiter {
  #send;
  #options;
  #denials;
  #leases;
  #now;
  #nextLog = 0;

  /**
   * client is a connected client of node-redis or ioredis, or a function that sends an array of arguments and
   * returns a promise.
   *
   * timeout     milliseconds that a request waits for a decision
   * failClosed  refuse requests while there is no decision
   * denials     how many refusals the limiter remembers; 0 for none
   * lease       decide about hot keys here, from units that are taken in advance; denials is then also how
   * many keys the limiter remembers
   * onError     is called for each request without a decision; by default the limiter logs one of them every
   * 10 seconds
   */
  constructor(client, options = {}) {
    checkOptions('Limiter', OPTIONS, options);
    const { timeout = 250, failClosed = false, denials = 10_000, lease = false, onError, now } = options;
    this.#send = sender(client, timeout);
    this.#options = { failClosed, onError: onError ?? ((error) => this.#log(error)) };
    this.#denials = new Denials(denials, timeout);
    this.#now = now ?? (() => performance.now());
    if (!lease) return;
    if (denials === 0) throw new TypeError('lease remembers refusals: leave out denials, or lease');
    const givesBack = sendsOnce(client);
    this.#leases = new Leases({ send: this.#send, timeout, most: denials, now, givesBack });
  }

  /**
   * Asks all rules about one action; a question is an array of a rule and a key. Either all rules allow the
   * action and count it, or no rule counts it. Without a decision the action is allowed; with failClosed the
   * promise is rejected with NoDecision.
   */
  ask(...questions) {
    return this.askFor(1, ...questions);
  }

  /**
   * Asks as ask does, about an action that takes a quantity: an integer, or a BigInt. A quantity of 0 only
   * looks.
   */
  async askFor(quantity, ...questions) {
    if (
      !(typeof quantity === 'bigint' || Number.isSafeInteger(quantity)) ||
      quantity < 0 ||
      quantity >= 2n ** 63n
    ) {
      throw new RangeError(`the quantity of an action is an integer from 0 to 2^63-1, not ${quantity}`);
    }
    const isQuestion = (one) => Array.isArray(one) && typeof one[0] === 'string' && one[0];
    if (!questions.length || !questions.every(isQuestion))
      throw new TypeError('a question is the name of a rule and a key');
    const pairs = questions.map(([rule, key]) => [rule, encode(key)]);
    const name = nameOf(pairs.flat());
    if (this.#leases?.serves(quantity, pairs)) return this.#orElse(this.#leases.ask(name, pairs[0], quantity));
    const args = [
      'CL.MCHECK',
      String(pairs.length),
      ...pairs.flat(),
      'QUANTITY',
      String(quantity),
      'EXPLAIN',
      'MS',
    ];
    return this.#decide(name, quantity, args, pairs[0]?.[1], (reply) =>
      readDecision(
        reply,
        pairs.map(([rule]) => rule),
      ),
    );
  }

  /**
   * Asks a fixed window that no rule has: at most `limit` actions of a key within some milliseconds from the
   * first one.
   */
  async askWindow(key, limit, milliseconds) {
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new RangeError(`the limit of a window is an integer from 0, not ${limit}`);
    const name = nameOf(['CL.WINDOW', key, String(limit)]);
    return this.#decide(name, 1, windowCommand(key, limit, milliseconds), key, (reply) =>
      readWindow(reply, milliseconds),
    );
  }

  /**
   * Forgets the refusals of a question after a fresh start of its key. `parts` are its rule and key, or
   * CL.WINDOW and its key.
   */
  forget(...parts) {
    this.#denials.forget(nameOf(parts).slice(0, -1));
  }

  /**
   * Asks the server, or repeats a refusal that is remembered under a name. `read` makes a decision of a
   * reply.
   */
  async #decide(name, quantity, args, key, read) {
    const asked = this.#now();
    const denied = this.#denials.find(name, quantity, asked);
    if (denied) return denied;
    const decided = this.#send(args, key).then(read);
    const learn = (decision) => this.#denials.learn(name, quantity, decision, asked);
    decided.then(learn, () => learn(undefined));
    return this.#orElse(decided);
  }

  /** Returns a decision, or what an action gets about which nobody decides. */
  async #orElse(decided) {
    try {
      return await decided;
    } catch (error) {
      this.#options.onError(error);
      if (this.#options.failClosed) throw new NoDecision('the rate limiter did not decide', { cause: error });
      return new Decision();
    }
  }

  #log(error) {
    if (this.#now() < this.#nextLog) return;
    this.#nextLog = this.#now() + 10_000;
    console.error('the rate limiter did not decide:', error.message);
  }
}

/** Returns one text for the parts of a question. */
const nameOf = (parts) => JSON.stringify(parts.map((part) => part.toString('latin1')));

module.exports = { Limiter, NoDecision };
