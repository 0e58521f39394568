'use strict';

const { PREFIX, checkOptions, takeDefaultPrefix } = require('./options.cjs');
const { Windows } = require('./window.cjs');

const OPTIONS = { client: undefined, prefix: ['string'], timeout: ['number'] };

const resetTime = ({ hits, reset }) => ({ totalHits: hits, resetTime: new Date(Date.now() + reset) });

/** A store for express-rate-limit. It counts each hit in a window of the server, as `CL.WINDOW` does. */
class ExpressStore {
  localKeys = false;
  #windows;
  #windowMs = 60_000;

  /** options are the client, the prefix of its keys, and the time-out of a command in milliseconds. */
  constructor(options = {}) {
    checkOptions('ExpressStore', OPTIONS, options);
    const { client, prefix = PREFIX, timeout } = options;
    this.prefix = prefix;
    this.#windows = new Windows(client, { prefix, timeout });
    if (options.prefix === undefined) takeDefaultPrefix(client, PREFIX);
  }

  init({ windowMs }) {
    this.#windowMs = windowMs;
  }

  async get(key) {
    const found = await this.#windows.look(key, this.#windowMs);
    return found.hits > 0 ? resetTime(found) : undefined;
  }

  async increment(key) {
    return resetTime(await this.#windows.hit(key, this.#windowMs));
  }

  async decrement(key) {
    await this.#windows.giveBack(key);
  }

  async resetKey(key) {
    await this.#windows.reset(key);
  }

  async resetAll() {
    await this.#windows.resetAll();
  }
}

/** Returns the class of a store for @fastify/rate-limit, whose windows are on the server. */
const fastifyStore = (options = {}) => {
  checkOptions('fastifyStore', OPTIONS, options);
  const { client, prefix = 'fastify-rate-limit-', timeout } = options;
  new Windows(client, { prefix, timeout }); // a wrong option is an error now, and not when the plugin starts
  if (options.prefix === undefined) takeDefaultPrefix(client, prefix);
  class FastifyStore {
    #windows;
    #options;
    #prefix;

    constructor(options, own = prefix) {
      this.#options = options;
      this.#prefix = own;
      this.#windows = new Windows(client, { prefix: own, timeout });
    }

    incr(key, callback, timeWindow, max) {
      this.#hit(key, timeWindow, max).then((result) => callback(null, result), callback);
    }

    read(key, callback, timeWindow) {
      this.#windows
        .look(key, timeWindow)
        .then(({ hits, reset }) => callback(null, { current: hits, ttl: reset }), callback);
    }

    /** Returns the store of a route. Its keys are its own: a route has another limit. */
    child(options) {
      const { method = '', url = `${options.max}-in-${options.timeWindow}` } = options.routeInfo ?? {};
      return new FastifyStore(options, `${this.#prefix}${method}${url}-`);
    }

    async #hit(key, timeWindow, max) {
      const { hits, reset } = await this.#windows.hit(key, timeWindow);
      const { continueExceeding, exponentialBackoff } = this.#options;
      if (hits <= max || !(continueExceeding || exponentialBackoff)) return { current: hits, ttl: reset };
      const longer = continueExceeding
        ? timeWindow
        : Math.min(timeWindow * 2 ** (hits - max - 1), Number.MAX_SAFE_INTEGER);
      await this.#windows.endAfter(key, longer);
      return { current: hits, ttl: longer };
    }
  }
  return FastifyStore;
};

module.exports = { ExpressStore, fastifyStore };
