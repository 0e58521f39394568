'use strict';

const { randomBytes } = require('node:crypto');
const { inspect } = require('node:util');
const { encode } = require('./key.cjs');
const { checkOptions } = require('./options.cjs');
const { sender } = require('./send.cjs');

/** The options with their types. */
const OPTIONS = {
  lease: ['number'],
  timeout: ['number'],
  ceiling: ['number'],
  words: ['object'],
  onError: ['function'],
};

/** As many calls as the limit are under way. Do not retry at once. Express answers it with 503. */
class LimitReached extends Error {
  status = 503;
  constructor() {
    super('as many calls as the limit are under way');
  }
}

/** Statuses of a service that has too much to do, or that is late. */
const DROPS = [408, 429, 503, 504];

/** Returns how a call with a status of HTTP ended. An error of the caller says nothing about the service. */
const outcomeOf = (status) => (DROPS.includes(status) ? 'DROP' : status >= 400 && status < 500 ? 'IGNORE' : 'OK');

/** The names of the errors of a time-out: of AbortSignal.timeout, and of undici. */
const LATE = ['TimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError'];

/** Returns how a call with an error ended. Only a time-out is a drop. */
const outcomeOfError = (error) =>
  LATE.includes(error?.name) || LATE.includes(error?.cause?.name) || error?.code === 'ETIMEDOUT'
    ? 'DROP'
    : 'IGNORE';

/** A number of seconds, as a command has it. */
const seconds = (ms) => (ms / 1000).toFixed(9);

/** How many ends of calls wait for a server that answers. */
const MOST_LATE = 1000;

/** Lets calls of one service begin, within a limit that the server finds for all callers. */
class AdaptiveLimit {
  #send;
  #key;
  #options;
  #process = randomBytes(12).toString('hex');
  #calls = 0;
  #local = 0; // calls under way without the server
  #late = []; // the ends of calls that the server may not know
  #nextLog = 0;

  /**
   * client is a connected client of node-redis or ioredis, or a function that sends an array of arguments. key
   * names the service.
   *
   * lease    milliseconds after which the permit of a caller that has crashed is free; longer than a call
   * timeout  milliseconds that a call waits for the limiter
   * ceiling  how many calls of this process may be under way while the limiter does not answer
   * words    options of CL.ENTER, such as ['BETWEEN', 5, 200]; all callers of a key have the same ones
   * onError  is called for each call about which the limiter did not decide
   */
  constructor(client, key, options = {}) {
    checkOptions('AdaptiveLimit', OPTIONS, options);
    const { lease = 60_000, timeout = 250, ceiling = 20, words = [], onError } = options;
    if (!(lease >= 1)) throw new TypeError(`lease is a number of milliseconds from 1, not ${inspect(lease)}`);
    if (!(Number.isInteger(ceiling) && ceiling >= 1)) {
      throw new TypeError(`ceiling is an integer from 1, not ${inspect(ceiling)}`);
    }
    if (!Array.isArray(words)) throw new TypeError(`words is a list, not ${inspect(words)}`);
    this.#send = sender(client, timeout);
    this.#key = encode(key);
    this.#options = { lease, ceiling, words: words.map(String), onError: onError ?? ((error) => this.#log(error)) };
  }

  /**
   * Asks whether a call may begin. The promise is rejected with LimitReached if it must not. If the server does
   * not answer, calls begin up to the ceiling. Its result is a function that ends the call: leave('OK'),
   * leave('DROP') for a time-out, or leave('IGNORE'). leave.measured() ends the time of the service before that.
   */
  async enter() {
    const { lease, ceiling, words, onError } = this.#options;
    const holder = `${this.#process}:${(this.#calls++).toString(36)}`;
    let limited;
    try {
      [limited] = await this.#send(['CL.ENTER', this.#key, seconds(lease), holder, ...words], this.#key);
      this.#sendLate();
      if (Number(limited) !== 0) throw new LimitReached();
    } catch (error) {
      if (error instanceof LimitReached) throw error;
      onError(error);
      this.#local++;
    }
    const decided = limited !== undefined;
    const began = performance.now();
    let took, ended;
    const leave = async (outcome = 'OK') => {
      if (ended) return;
      ended = true;
      took ??= performance.now() - began;
      const end = { command: ['CL.LEAVE', this.#key, holder, seconds(took), outcome], until: began + lease };
      if (!decided) {
        this.#local--;
        // The server may have counted the call. The other half is for permits that it has given.
        if (this.#late.length < MOST_LATE / 2) this.#late.push(end);
        return;
      }
      await this.#report(end, onError);
    };
    leave.measured = () => (took ??= performance.now() - began);
    if (this.#local > ceiling && !decided) {
      await leave('IGNORE');
      throw new LimitReached();
    }
    return leave;
  }

  /** Sends the end of a call. Without an answer it is sent again later; without room for it the lease ends. */
  async #report(end, onError) {
    try {
      await this.#send(end.command, this.#key);
    } catch (error) {
      onError(error);
      if (this.#late.length < MOST_LATE) this.#late.push(end);
    }
  }

  /** Sends the ends that the server may not know, once it answers. */
  #sendLate() {
    for (const end of this.#late.splice(0)) {
      if (performance.now() < end.until) this.#report(end, () => {});
    }
  }

  /** Runs a call if it may begin, and reports how it ended. A result with a status is a reply of HTTP. */
  async run(call) {
    const leave = await this.enter();
    let outcome = 'IGNORE';
    try {
      const result = await call();
      outcome = outcomeOf(typeof result?.status === 'number' ? result.status : (result?.statusCode ?? 200));
      return result;
    } catch (error) {
      outcome = outcomeOfError(error);
      throw error;
    } finally {
      await leave(outcome);
    }
  }

  /** Returns fetch, or the request of undici, within the limit. A call ends with the header of its reply. */
  wrap(request = fetch) {
    return (...args) => this.run(() => request(...args));
  }

  /** Returns middleware for Express and Connect: a request that must not begin has the status 503. */
  express() {
    return (request, response, next) => {
      this.enter().then(
        (leave) => {
          response.once('finish', () => leave(outcomeOf(response.statusCode)));
          response.once('close', () => leave('IGNORE')); // the client has left before the reply
          if (response.destroyed) leave('IGNORE'); // it has left before the limiter has answered
          next();
        },
        (error) => next(error),
      );
    };
  }

  #log(error) {
    const now = performance.now();
    if (now < this.#nextLog) return;
    this.#nextLog = now + 10_000;
    console.error('the adaptive limit did not decide:', error);
  }
}

module.exports = { AdaptiveLimit, LimitReached, outcomeOf };
