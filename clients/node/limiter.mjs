import { Denials } from './denials.mjs';
import { encode } from './key.mjs';
import { Decision, readDecision } from './reply.mjs';

/** How many questions may wait for the client. A further one has no decision at once, so that a hanging server costs bounded memory. */
const MOST_WAITING = 1000;

/** The server did not decide in time, and the limiter fails closed. */
export class NoDecision extends Error {}

export class Limiter {
  #send;
  #options;
  #denials;
  #now;
  #waiting = 0;
  #nextLog = 0;

  /**
   * client is a connected client of node-redis or ioredis, or a function that sends an array of arguments and returns a promise.
   *
   * timeout     milliseconds that a request waits for a decision
   * failClosed  refuse requests while there is no decision
   * denials     how many refusals the limiter remembers; 0 for none
   * onError     is called for each request without a decision; by default the limiter logs one of them every 10 seconds
   */
  constructor(client, { timeout = 250, failClosed = false, denials = 10_000, onError, now = () => performance.now() } = {}) {
    this.#send = sender(client);
    this.#options = { timeout, failClosed, onError: onError ?? ((error) => this.#log(error)) };
    this.#denials = new Denials(denials, timeout);
    this.#now = now;
  }

  /**
   * Asks all rules about one action; a question is an array of a rule and a key. Either all rules allow the action and count it, or no
   * rule counts it. Without a decision the action is allowed; with failClosed the promise is rejected with NoDecision.
   */
  ask(...questions) {
    return this.askFor(1, ...questions);
  }

  /** Asks as ask does, about an action that takes a quantity: an integer, or a BigInt. A quantity of 0 only looks. */
  async askFor(quantity, ...questions) {
    if (!(typeof quantity === 'bigint' || Number.isSafeInteger(quantity)) || quantity < 0 || quantity >= 2n ** 63n) {
      throw new RangeError(`the quantity of an action is an integer from 0 to 2^63-1, not ${quantity}`);
    }
    const pairs = questions.map(([rule, key]) => [rule, encode(key)]);
    const name = JSON.stringify(pairs.map(([rule, key]) => [rule, key.toString('latin1')]));
    const asked = this.#now();
    const denied = this.#denials.find(name, quantity, asked);
    if (denied) return denied;
    try {
      const reply = await this.#inTime(['CL.MCHECK', String(pairs.length), ...pairs.flat(), 'QUANTITY', String(quantity), 'EXPLAIN', 'MS']);
      const decision = readDecision(reply, pairs.map(([rule]) => rule));
      this.#denials.learn(name, quantity, decision, asked);
      return decision;
    } catch (error) {
      this.#denials.learn(name, quantity, undefined, asked);
      this.#options.onError(error);
      if (this.#options.failClosed) throw new NoDecision('the rate limiter did not decide', { cause: error });
      return new Decision();
    }
  }

  /** Sends a command, and waits for the time-out at most. */
  async #inTime(args) {
    if (this.#waiting >= MOST_WAITING) throw new Error(`${MOST_WAITING} questions wait for the server`);
    this.#waiting++;
    const reply = this.#send(args).finally(() => this.#waiting--);
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no decision within ${this.#options.timeout} ms`)), this.#options.timeout);
    });
    return Promise.race([reply, late]).finally(() => clearTimeout(timer));
  }

  #log(error) {
    if (this.#now() < this.#nextLog) return;
    this.#nextLog = this.#now() + 10_000;
    console.error('the rate limiter did not decide:', error.message);
  }
}

/** Returns the function that sends a command over a client. */
const sender = (client) => {
  if (typeof client === 'function') return async (args) => client(args);
  if (typeof client.call === 'function') return async (args) => client.call(...args); // ioredis
  return async (args) => client.sendCommand(args); // node-redis
};
