'use strict';

const { encode } = require('./key.cjs');
const { isCluster, sender } = require('./send.cjs');

/**
 * The limit of a window that only counts. Clients of JavaScript read no larger integer exactly: node-redis is
 * off by one near 2^53.
 */
const MOST = 1e15;

/** Takes one hit from the count of a window. It makes no count where the window has ended. */
const GIVE_BACK =
  "if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then return redis.call('DECR', KEYS[1]) end";

/** Returns the command that asks a fixed window about a hit. With a quantity of 0 it only looks. */
const windowCommand = (key, limit, milliseconds, quantity = 1) => [
  'CL.WINDOW',
  key,
  String(limit),
  String(milliseconds / 1000),
  String(quantity),
  'MS',
];

/**
 * Counts hits in fixed windows of the server, under keys with a prefix. It refuses nothing: the middleware
 * that asks compares the hits with its limit.
 */
class Windows {
  #client;
  #prefix;
  #send;

  constructor(client, { prefix, timeout = 250 }) {
    this.#client = client;
    this.#prefix = prefix;
    this.#send = sender(client, timeout);
  }

  /** Returns the key of the server for a key of a request. */
  key(key) {
    return Buffer.concat([Buffer.from(this.#prefix), encode(key)]);
  }

  /** Counts a hit, and returns how many the window has and the milliseconds until it ends. */
  async hit(key, milliseconds, quantity = 1) {
    const at = this.key(key);
    const [, , left, , reset] = await this.#send(windowCommand(at, MOST, milliseconds, quantity), at);
    return { hits: MOST - Number(left), reset: Number(reset) };
  }

  /** Returns what `hit` returns, and counts nothing. */
  look(key, milliseconds) {
    return this.hit(key, milliseconds, 0);
  }

  /** Takes a hit back, if its window has not ended. */
  async giveBack(key) {
    await this.#do(key, (at) => ['EVAL', GIVE_BACK, '1', at]);
  }

  /** Lets the window of a key end after some milliseconds. */
  async endAfter(key, milliseconds) {
    await this.#do(key, (at) => ['PEXPIRE', at, String(milliseconds)]);
  }

  async reset(key) {
    await this.#do(key, (at) => ['DEL', at]);
  }

  /** Removes all keys with the prefix. */
  async resetAll() {
    if (!this.#prefix)
      throw new Error('resetAll needs a prefix: without one it would remove all keys of the database');
    if (isCluster(this.#client))
      throw new Error('resetAll needs a client of one server: SCAN sees one node of a cluster');
    const pattern = `${this.#prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const [next, keys] = await this.#send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000']);
      if (keys.length) await this.#send(['DEL', ...keys]);
      cursor = String(next);
    } while (cursor !== '0');
  }

  #do(key, command) {
    const at = this.key(key);
    return this.#send(command(at), at);
  }
}

module.exports = { Windows, windowCommand };
