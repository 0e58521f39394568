'use strict';

const { inspect } = require('node:util');

/**
 * Milliseconds for which a refusal is repeated at most. A change of a rule has its effect after this time.
 */
const LONGEST = 1000;

/**
 * Remembers refusals by their questions. If there are too many, the one that was used least recently goes.
 */
class Denials {
  #most;
  #timeout;
  #byQuestion = new Map(); // the least recently used question is the first one

  constructor(most, timeout) {
    if (!(Number.isSafeInteger(most) && most >= 0))
      throw new TypeError(`denials is an integer from 0, not ${inspect(most)}`);
    this.#most = most;
    this.#timeout = timeout;
  }

  get size() {
    return this.#byQuestion.size;
  }

  /**
   * Returns the refusal of a question. A refusal counts for its quantity and larger ones. Of the callers
   * after its end one gets undefined and asks the server. The others get the old refusal until that one has
   * its answer, or until the time-out.
   */
  find(question, quantity, now) {
    const found = this.#byQuestion.get(question);
    if (!found || quantity < found.quantity) return undefined;
    this.#byQuestion.delete(question);
    this.#byQuestion.set(question, found);
    if (now < found.until) return found.decision;
    found.until = now + this.#timeout;
    return undefined;
  }

  /**
   * Remembers a refusal of a question that was asked at a time. An other answer ends the refusal of this
   * quantity and of smaller ones.
   */
  learn(question, quantity, decision, asked) {
    const refused = Boolean(decision) && !decision.allowed;
    if (refused || quantity >= this.#byQuestion.get(question)?.quantity) this.#byQuestion.delete(question);
    if (!refused || this.#most <= 0) return;
    const wait = decision.retryAfter < 0 ? LONGEST : Math.min(LONGEST, decision.retryAfter);
    this.#byQuestion.set(question, { decision, quantity, until: asked + wait });
    if (this.#byQuestion.size > this.#most) this.#byQuestion.delete(this.#byQuestion.keys().next().value);
  }

  /** Forgets the refusals of all questions that begin with a text. */
  forget(beginning) {
    for (const question of this.#byQuestion.keys()) {
      if (question.startsWith(beginning)) this.#byQuestion.delete(question);
    }
  }
}

module.exports = { LONGEST, Denials };
