'use strict';

/**
 * The account of a limit, which decides from units that the server has granted in advance. It does the same
 * as package account of the server, which has the rules and says why. Moments are a pair of clocks in
 * microseconds: `boot` never jumps, and `wall` is Unix time. Durations of the wire are milliseconds.
 */

/** What becomes of an action. */
const PASS = 0,
  LOCAL = 1,
  REFUSED = 2,
  WAIT = 3;

const SLOT = 100_000; // µs
const FRACTION = 256;
const MOST_REQUESTS = 1_000_000;
const MOST_UNITS = 100_000_000;
const LONGEST_IDLE = 200; // slots
const BURST = 16; // requests of a slot that count before it ends
const IDLE_REQUESTS = 8;
const HOT_REQUESTS = 4;
const LONGEST_REFUSAL = 1_000_000; // µs, as the following ones
const SHORTEST_SPACE = 5_000;
const LONGEST_SPACE = 125_000;
const SPACE_REQUESTS = 12;
const LONGEST_LEASE = 60_000_000;
const PAUSE = 100_000;
const BARRED = 10_000_000;
const MOST_WANTED = 1_000_000_000;
const MOST_LEASES = 4;

const divide = (a, b) => Math.trunc(a / b);

/** Moves a rate toward the count of a slot: up by a quarter of the way, down by an eighth. */
const smooth = (rate, count) => {
  const way = count * FRACTION - rate;
  return way > 0 ? rate + divide(way, 4) : rate - divide(7 - way, 8);
};

/** How many requests and units come in 100 ms, smoothed. Rates are in 256ths. */
class Demand {
  #slot = 0;
  #last = 0;
  #requests = 0;
  #units = 0;
  #rate = 0;
  #flow = 0;

  count(boot, quantity) {
    this.roll(boot);
    this.#last = boot;
    this.#requests = Math.min(this.#requests + 1, MOST_REQUESTS);
    this.#units = Math.min(this.#units + Math.min(quantity, MOST_UNITS), MOST_UNITS);
  }

  /** Smooths the slots that have ended. */
  roll(boot) {
    const slot = divide(boot, SLOT);
    if (slot <= this.#slot) return;
    for (let ended = Math.min(slot - this.#slot, LONGEST_IDLE); ended > 0; ended--) {
      this.#rate = smooth(this.#rate, this.#requests);
      this.#flow = smooth(this.#flow, this.#units);
      this.#requests = this.#units = 0;
    }
    this.#slot = slot;
  }

  #now(rate, count) {
    return this.#requests < BURST ? rate : Math.max(rate, smooth(rate, count));
  }

  get #rateNow() {
    return this.#now(this.#rate, this.#requests);
  }

  isIdle(boot) {
    return boot - this.#last > Math.max(SLOT, this.timeOf(IDLE_REQUESTS));
  }

  isHot(length) {
    return this.#rateNow * length >= (HOT_REQUESTS * FRACTION * SLOT) / 1000;
  }

  /** Returns how many units are asked for in milliseconds. */
  unitsIn(length) {
    return divide(this.#now(this.#flow, this.#units) * length, (FRACTION * SLOT) / 1000);
  }

  /** Returns in how many microseconds so many requests come. */
  timeOf(requests) {
    return divide(requests * SLOT * FRACTION, Math.max(1, this.#rateNow));
  }
}

class Account {
  #lease;
  #demand = new Demand();
  #known = { limit: 0, remaining: 0, retryAfter: 0, resetAfter: 0 };
  #at = 0; // when the server said it
  #until = 0; // until then the account refuses what it has no units for
  #from = 0; // the least quantity that it refuses
  #leases = [];
  #back = undefined; // units that the next question gives back
  #waiting = 0;
  #asking = 0; // the number of the question under way
  #nextAsk = 0;
  #length = 0; // of a lease, as the server said
  #lengthUntil = 0;
  #windowEnd = 0; // if the last lease ended with the window
  #asks = 0;

  /** `lease` is the longest lease in milliseconds. */
  constructor(lease) {
    this.#lease = lease;
  }

  /** Decides about an action, and returns its verdict and an answer. */
  take(now, quantity) {
    this.#demand.count(now.boot, quantity);
    return this.#decide(now, quantity);
  }

  /** Decides about an action that has waited. */
  again(now, quantity) {
    this.gone(quantity);
    return this.#decide(now, quantity);
  }

  /** Ends the waiting of an action. */
  gone(quantity) {
    this.#waiting = Math.max(0, this.#waiting - quantity);
  }

  #decide(now, quantity) {
    this.#expire(now);
    if (quantity <= this.#left()) {
      this.#spend(quantity);
      return [LOCAL, this.#answer(now)];
    }
    if (this.#refuses(now, quantity)) return [REFUSED, this.#refusal(now, quantity)];
    if (this.#mayWait(now, quantity)) {
      this.#waiting += quantity;
      return [WAIT, undefined];
    }
    return [PASS, undefined];
  }

  #mayWait(now, quantity) {
    const { limit } = this.#known;
    const most = limit > 0 ? Math.min(MOST_WANTED, divide(limit, 2)) : MOST_WANTED;
    if (quantity > most || !this.#isHot(now)) return false;
    return this.#waiting < MOST_WANTED && (this.#asking !== 0 || now.boot >= this.#nextAsk);
  }

  #refuses(now, quantity) {
    return now.boot < this.#until && this.#from <= quantity && quantity <= this.#known.limit;
  }

  /** Returns whether an action would be limited, and an answer; undefined if the server must say it. */
  look(now, quantity) {
    this.#expire(now);
    const left = this.#left();
    if (left > 0 && quantity <= left) return [false, this.#answer(now)];
    if (quantity > 0 && this.#refuses(now, quantity)) return [true, this.#refusal(now, quantity)];
    if (quantity === 0 && this.#refuses(now, this.#from)) return [false, this.#answer(now)];
    return undefined;
  }

  /** Learns from the server's reply to an action that departed earlier. */
  passed(now, departed, quantity, limited, answer) {
    if (!limited && quantity >= this.#from) this.#until = 0;
    else if (limited && answer.retryAfter > 0) {
      this.#until = now.boot + Math.min(answer.retryAfter * 1000, LONGEST_REFUSAL);
      this.#from = quantity;
    }
    this.#learn(now, departed, answer);
  }

  /** Nobody knows the order of two answers whose questions were on their way together: the lesser one counts. */
  #learn(now, departed, { limit, remaining, retryAfter, resetAfter }) {
    const old = this.#known;
    if (this.#at > departed.boot && limit === old.limit) remaining = Math.min(remaining, old.remaining);
    this.#known = { limit, remaining, retryAfter, resetAfter };
    this.#at = now.boot;
  }

  #answer(now) {
    const { limit, remaining, resetAfter } = this.#known;
    return {
      limit,
      remaining: Math.min(limit, remaining + this.#left()),
      retryAfter: -1,
      resetAfter: Math.max(0, resetAfter - millis(now.boot - this.#at)),
    };
  }

  #refusal(now, quantity) {
    const answer = this.#answer(now);
    answer.remaining = Math.min(answer.remaining, quantity - 1);
    answer.retryAfter = Math.max(
      this.#known.retryAfter - millis(now.boot - this.#at),
      divide(this.#until - now.boot + 999, 1000),
    );
    answer.resetAfter = Math.max(answer.resetAfter, answer.retryAfter);
    return answer;
  }

  #left() {
    let left = 0;
    for (const one of this.#leases) left += one.units;
    return left;
  }

  #spend(quantity) {
    for (const one of this.#leases) {
      const units = Math.min(quantity, one.units);
      one.units -= units;
      quantity -= units;
    }
  }

  /** Ends leases by both clocks. Units of a lease that ends soon, or of an ended demand, go back. */
  #expire(now) {
    if (!this.#leases.length) return;
    const isIdle = this.#demand.isIdle(now.boot);
    this.#leases = this.#leases.filter((one) => {
      if (one.units === 0 || now.boot >= one.end.boot || now.wall >= one.end.wall) return false;
      if (this.#back || !(isIdle || one.end.boot - now.boot <= one.ends * 100)) return true;
      this.#back = { units: one.units, at: one.at, ends: one.ends };
      return false;
    });
  }

  #isHot(now) {
    this.#demand.roll(now.boot);
    const length = Math.min(this.#lengthAt(now), this.#windowLeft(now));
    return this.#demand.isHot(length) && !this.#demand.isIdle(now.boot);
  }

  #lengthAt(now) {
    return now.boot < this.#lengthUntil ? Math.min(this.#length, this.#lease) : this.#lease;
  }

  #windowLeft(now) {
    return divide(now.boot < this.#windowEnd ? this.#windowEnd - now.boot : LONGEST_LEASE, 1000);
  }

  /** Returns the question that leaves now, after LOCAL and WAIT; undefined if there is none. */
  nextAsk(now) {
    if (this.#asking !== 0 || now.boot < this.#nextAsk) return undefined;
    this.#expire(now);
    const want = this.#want(now);
    return want > 0 ? this.#ask(now, want) : undefined;
  }

  /** Returns a question that gives units back, if some must go back now. */
  giveBack(now) {
    this.#expire(now);
    return this.#back && this.#asking === 0 ? this.#ask(now, 0) : undefined;
  }

  #want(now) {
    const left = this.#left();
    const half = Math.min(divide(this.#lengthAt(now), 2), this.#windowLeft(now));
    const inHalf = this.#isHot(now) ? this.#demand.unitsIn(half) : 0;
    if (this.#waiting === 0 && 2 * left >= inHalf) return 0;
    return Math.min(Math.max(0, inHalf - left) + this.#waiting, MOST_WANTED);
  }

  #ask(now, want) {
    const ask = { want, ttl: this.#lease, back: this.#back, departed: now, number: ++this.#asks };
    this.#back = undefined;
    if (want > 0) this.#asking = ask.number;
    return ask;
  }

  #answered(ask) {
    if (this.#asking === ask.number) this.#asking = 0;
  }

  /** Takes the seven integers of the server's reply to a question. */
  granted(now, ask, [granted, limit, remaining, retryAfter, resetAfter, lasts, at]) {
    this.#answered(ask);
    this.#learn(now, ask.departed, { limit, remaining, retryAfter, resetAfter });
    if (ask.want === 0) return;
    const units = Math.min(granted, ask.want),
      ends = Math.min(lasts, ask.ttl),
      isFirst = now.boot >= this.#lengthUntil;
    this.#lasts(now, ends, ask.departed);
    if (ends === 0) [this.#until, this.#nextAsk] = [0, now.boot + SHORTEST_SPACE];
    else if (units === 0 && retryAfter < 0) [this.#until, this.#nextAsk] = [0, now.boot + BARRED];
    else if (units < ask.want) {
      const wait = Math.min(Math.max(retryAfter * 1000, this.#space(now)), LONGEST_REFUSAL);
      [this.#until, this.#from, this.#nextAsk] = [now.boot + wait, 1, now.boot + wait];
      if (units === 0 && isFirst) this.#until = 0;
    } else this.#until = 0;
    if (units > 0) this.#receive(now, ask, units, at, ends);
  }

  #receive(now, { departed }, units, at, ends) {
    const end = { boot: departed.boot + ends * 999 - 1, wall: departed.wall + ends * 1000 };
    if (now.boot >= end.boot || now.wall >= end.wall) return;
    if (this.#leases.length === MOST_LEASES) {
      const { units, at, ends } = this.#leases.shift();
      this.#back ??= { units, at, ends };
    }
    this.#leases.push({ units, at, ends, end });
  }

  #lasts(now, ends, departed) {
    const shorter = now.boot < this.#lengthUntil && ends < this.#length;
    this.#windowEnd = shorter ? departed.boot + ends * 1000 : 0;
    this.#length = shorter ? this.#length - divide(this.#length - ends + 7, 8) : ends;
    this.#lengthUntil = now.boot + BARRED;
  }

  #space(now) {
    const longest = Math.min(LONGEST_SPACE, this.#lengthAt(now) * 500, divide(this.#windowLeft(now) * 1000, 6));
    return Math.max(SHORTEST_SPACE, Math.min(longest, this.#demand.timeOf(SPACE_REQUESTS)));
  }

  /** Takes an error of the server as the reply. The actions pass for a while. */
  failed(now, ask) {
    this.#answered(ask);
    this.#leases = [];
    this.#back = undefined;
    [this.#until, this.#nextAsk] = [0, now.boot + BARRED];
  }

  /** Says that no reply to a question is expected. */
  lost(now, ask) {
    this.#answered(ask);
    this.#nextAsk = Math.max(this.#nextAsk, now.boot + PAUSE);
  }

  /** Reports whether the account has units, or a question that is under way. */
  get holds() {
    return this.#leases.length > 0 || this.#back !== undefined || this.#asking !== 0;
  }
}

const millis = (micros) => divide(Math.max(0, micros), 1000);

module.exports = { PASS, LOCAL, REFUSED, WAIT, Account };
