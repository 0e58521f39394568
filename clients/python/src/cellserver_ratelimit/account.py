"""The account of a limit, which decides from units that the server has granted in advance.

It does the same as package account of the server, which has the rules and says why. Moments are a pair of clocks in
microseconds: boot counts the time of a suspended machine, and wall is Unix time. Durations of the wire are milliseconds.
"""

import dataclasses
from typing import NamedTuple

# What becomes of an action.
PASS, LOCAL, REFUSED, WAIT = range(4)

SLOT = 100_000  # µs
FRACTION = 256
MOST_REQUESTS = 1_000_000
MOST_UNITS = 100_000_000
LONGEST_IDLE = 200  # slots
BURST = 16  # requests of a slot that count before it ends
IDLE_REQUESTS = 8
HOT_REQUESTS = 4
LONGEST_REFUSAL = 1_000_000  # µs, as the following ones
SHORTEST_SPACE = 5_000
LONGEST_SPACE = 125_000
SPACE_REQUESTS = 12
LONGEST_LEASE = 60_000_000
PAUSE = 100_000
BARRED = 10_000_000
MOST_WANTED = 1_000_000_000
MOST_LEASES = 4


class Time(NamedTuple):
    """A moment by both clocks."""

    boot: int
    wall: int


class Answer(NamedTuple):
    """What a limiter replies after its first word."""

    limit: int = 0
    remaining: int = 0
    retry_after: int = 0
    reset_after: int = 0


class Back(NamedTuple):
    """Units of a lease, with the words by which the server knows it."""

    units: int = 0
    at: int = 0
    ends: int = 0


class Ask(NamedTuple):
    """A question: CL.LEASE want ttl [BACK n at ends] and the command of the limit. It is sent once only."""

    want: int
    ttl: int
    back: Back
    departed: Time
    number: int


class Grant(NamedTuple):
    """The reply to a question."""

    units: int
    limit: int
    remaining: int
    retry_after: int
    reset_after: int
    ends: int
    at: int


@dataclasses.dataclass(slots=True)
class Lease:
    """Units that may be spent before an end."""

    units: int
    at: int
    ends: int
    end: Time


def smooth(rate: int, count: int) -> int:
    """Moves a rate toward the count of a slot: up by a quarter of the way, down by an eighth."""
    way = count * FRACTION - rate
    return rate + way // 4 if way > 0 else rate - (7 - way) // 8


class Demand:
    """How many requests and units come in 100 ms, smoothed. Rates are in 256ths."""

    __slots__ = ("flow", "last", "rate", "requests", "slot", "units")

    def __init__(self) -> None:
        self.slot = self.last = self.requests = self.units = self.rate = self.flow = 0

    def count(self, boot: int, quantity: int) -> None:
        self.roll(boot)
        self.last = boot
        self.requests = min(self.requests + 1, MOST_REQUESTS)
        self.units = min(self.units + min(quantity, MOST_UNITS), MOST_UNITS)

    def roll(self, boot: int) -> None:
        """Smooths the slots that have ended."""
        slot = boot // SLOT
        if slot <= self.slot:
            return
        for _ in range(min(slot - self.slot, LONGEST_IDLE)):
            self.rate, self.flow = smooth(self.rate, self.requests), smooth(self.flow, self.units)
            self.requests = self.units = 0
        self.slot = slot

    def now(self) -> tuple[int, int]:
        """Returns the rates, with a slot that has not ended if many requests came in it."""
        if self.requests < BURST:
            return self.rate, self.flow
        rate, flow = smooth(self.rate, self.requests), smooth(self.flow, self.units)
        return max(self.rate, rate), max(self.flow, flow)

    def is_idle(self, boot: int) -> bool:
        return boot - self.last > max(SLOT, self.time_of(IDLE_REQUESTS))

    def is_hot(self, length: int) -> bool:
        return self.now()[0] * length >= HOT_REQUESTS * FRACTION * SLOT // 1000

    def units_in(self, length: int) -> int:
        """Returns how many units are asked for in milliseconds."""
        return self.now()[1] * length // (FRACTION * SLOT // 1000)

    def time_of(self, requests: int) -> int:
        """Returns in how many microseconds so many requests come."""
        return requests * SLOT * FRACTION // max(1, self.now()[0])


class Account:
    """Decides about the actions of one limit. lease is the longest lease in milliseconds."""

    def __init__(self, lease: int):
        self._lease = lease
        self._demand = Demand()
        self._known = Answer()
        self._at = 0  # when the server said it
        self._until = 0  # until then the account refuses what it has no units for
        self._from = 0  # the least quantity that it refuses
        self._leases: list[Lease] = []
        self._back = Back()  # units that the next question gives back
        self._waiting = 0
        self._asking = 0  # the number of the question under way
        self._next_ask = 0
        self._length = self._length_until = 0  # of a lease, as the server said
        self._window_end = 0  # if the last lease ended with the window
        self._asks = 0

    @property
    def holds(self) -> bool:
        """Whether the account has units, or a question that is under way."""
        return bool(self._leases or self._back.units or self._asking)

    def take(self, now: Time, quantity: int) -> tuple[int, Answer]:
        """Decides about an action, and returns its verdict."""
        self._demand.count(now.boot, quantity)
        return self._decide(now, quantity)

    def again(self, now: Time, quantity: int) -> tuple[int, Answer]:
        """Decides about an action that has waited."""
        self.gone(quantity)
        return self._decide(now, quantity)

    def gone(self, quantity: int) -> None:
        """Ends the waiting of an action."""
        self._waiting = max(0, self._waiting - quantity)

    def _decide(self, now: Time, quantity: int) -> tuple[int, Answer]:
        self._expire(now)
        if quantity <= self._left():
            self._spend(quantity)
            return LOCAL, self._answer(now)
        if self._refuses(now, quantity):
            return REFUSED, self._refusal(now, quantity)
        if self._may_wait(now, quantity):
            self._waiting += quantity
            return WAIT, Answer()
        return PASS, Answer()

    def _may_wait(self, now: Time, quantity: int) -> bool:
        limit = self._known.limit
        most = min(MOST_WANTED, limit // 2) if limit > 0 else MOST_WANTED
        if quantity > most or not self._is_hot(now):
            return False
        return self._waiting < MOST_WANTED and (self._asking != 0 or now.boot >= self._next_ask)

    def _refuses(self, now: Time, quantity: int) -> bool:
        return now.boot < self._until and self._from <= quantity <= self._known.limit

    def look(self, now: Time, quantity: int) -> tuple[bool, Answer] | None:
        """Returns whether an action would be limited, None if the server must say it."""
        self._expire(now)
        left = self._left()
        if left > 0 and quantity <= left:
            return False, self._answer(now)
        if quantity > 0 and self._refuses(now, quantity):
            return True, self._refusal(now, quantity)
        if quantity == 0 and self._refuses(now, self._from):
            return False, self._answer(now)
        return None

    def passed(
        self, now: Time, departed: Time, quantity: int, limited: bool, answer: Answer
    ) -> None:
        """Learns from the server's reply to an action that departed earlier."""
        if not limited and quantity >= self._from:
            self._until = 0
        elif limited and answer.retry_after > 0:
            self._until = now.boot + min(answer.retry_after * 1000, LONGEST_REFUSAL)
            self._from = quantity
        self._learn(now, departed, answer)

    def _learn(self, now: Time, departed: Time, answer: Answer) -> None:
        # Nobody knows the order of two answers whose questions were on their way together.
        if self._at > departed.boot and answer.limit == self._known.limit:
            answer = answer._replace(remaining=min(answer.remaining, self._known.remaining))
        self._known, self._at = answer, now.boot

    def _answer(self, now: Time) -> Answer:
        known = self._known
        remaining = min(known.limit, known.remaining + self._left())
        return Answer(known.limit, remaining, -1, max(0, known.reset_after - self._since(now)))

    def _refusal(self, now: Time, quantity: int) -> Answer:
        answer = self._answer(now)
        wait = max(self._known.retry_after - self._since(now), (self._until - now.boot + 999) // 1000)
        return Answer(
            answer.limit, min(answer.remaining, quantity - 1), wait, max(answer.reset_after, wait)
        )

    def _since(self, now: Time) -> int:
        return max(0, now.boot - self._at) // 1000

    def _left(self) -> int:
        return sum(one.units for one in self._leases)

    def _spend(self, quantity: int) -> None:
        for one in self._leases:
            units = min(quantity, one.units)
            one.units -= units
            quantity -= units

    def _expire(self, now: Time) -> None:
        """Ends leases by both clocks. Units of a lease that ends soon, or of an ended demand, go back."""
        if not self._leases:
            return
        is_idle, kept = self._demand.is_idle(now.boot), []
        for one in self._leases:
            if one.units == 0 or now.boot >= one.end.boot or now.wall >= one.end.wall:
                continue
            if not self._back.units and (is_idle or one.end.boot - now.boot <= one.ends * 100):
                self._back = Back(one.units, one.at, one.ends)
            else:
                kept.append(one)
        self._leases = kept

    def _is_hot(self, now: Time) -> bool:
        self._demand.roll(now.boot)
        length = min(self._length_at(now), self._window_left(now))
        return self._demand.is_hot(length) and not self._demand.is_idle(now.boot)

    def _length_at(self, now: Time) -> int:
        return min(self._length, self._lease) if now.boot < self._length_until else self._lease

    def _window_left(self, now: Time) -> int:
        return (self._window_end - now.boot if now.boot < self._window_end else LONGEST_LEASE) // 1000

    def next_ask(self, now: Time) -> Ask | None:
        """Returns the question that leaves now, after LOCAL and WAIT."""
        if self._asking or now.boot < self._next_ask:
            return None
        self._expire(now)
        want = self._want(now)
        return self._ask(now, want) if want > 0 else None

    def give_back(self, now: Time) -> Ask | None:
        """Returns a question that gives units back, if some must go back now."""
        self._expire(now)
        return self._ask(now, 0) if self._back.units and not self._asking else None

    def _want(self, now: Time) -> int:
        left = self._left()
        half = min(self._length_at(now) // 2, self._window_left(now))
        in_half = self._demand.units_in(half) if self._is_hot(now) else 0
        if not self._waiting and 2 * left >= in_half:
            return 0
        return min(max(0, in_half - left) + self._waiting, MOST_WANTED)

    def _ask(self, now: Time, want: int) -> Ask:
        self._asks += 1
        ask = Ask(want, self._lease, self._back, now, self._asks)
        self._back = Back()
        if want > 0:
            self._asking = ask.number
        return ask

    def _answered(self, ask: Ask) -> None:
        if self._asking == ask.number:
            self._asking = 0

    def granted(self, now: Time, ask: Ask, grant: Grant) -> None:
        """Takes the server's reply to a question, which may be late."""
        self._answered(ask)
        self._learn(now, ask.departed, Answer(*grant[1:5]))
        if ask.want == 0:
            return
        units, ends = min(grant.units, ask.want), min(grant.ends, ask.ttl)
        is_first = now.boot >= self._length_until
        self._lasts(now, ends, ask.departed)
        if ends == 0:
            self._until, self._next_ask = 0, now.boot + SHORTEST_SPACE
        elif units == 0 and grant.retry_after < 0:
            self._until, self._next_ask = 0, now.boot + BARRED
        elif units < ask.want:
            wait = min(max(grant.retry_after * 1000, self._space(now)), LONGEST_REFUSAL)
            self._until, self._from, self._next_ask = now.boot + wait, 1, now.boot + wait
            if units == 0 and is_first:
                self._until = 0
        else:
            self._until = 0
        if units > 0:
            self._receive(now, ask.departed, Back(units, grant.at, ends))

    def _receive(self, now: Time, departed: Time, of: Back) -> None:
        """Keeps the units of a grant, unless it comes too late. A clock may be slow by a two-thousandth."""
        end = Time(departed.boot + of.ends * 999 - 1, departed.wall + of.ends * 1000)
        if now.boot >= end.boot or now.wall >= end.wall:
            return
        if len(self._leases) == MOST_LEASES:
            oldest = self._leases.pop(0)
            if not self._back.units:
                self._back = Back(oldest.units, oldest.at, oldest.ends)
        self._leases.append(Lease(of.units, of.at, of.ends, end))

    def _lasts(self, now: Time, ends: int, departed: Time) -> None:
        self._window_end = 0
        if now.boot < self._length_until and ends < self._length:
            self._window_end = departed.boot + ends * 1000
            ends = self._length - (self._length - ends + 7) // 8
        self._length, self._length_until = ends, now.boot + BARRED

    def _space(self, now: Time) -> int:
        longest = min(LONGEST_SPACE, self._length_at(now) * 500, self._window_left(now) * 1000 // 6)
        return max(SHORTEST_SPACE, min(longest, self._demand.time_of(SPACE_REQUESTS)))

    def failed(self, now: Time, ask: Ask) -> None:
        """Takes an error of the server as the reply. The actions pass for a while."""
        self._answered(ask)
        self._leases, self._back = [], Back()
        self._until, self._next_ask = 0, now.boot + BARRED

    def lost(self, now: Time, ask: Ask) -> None:
        """Says that no reply to a question is expected."""
        self._answered(ask)
        self._next_ask = max(self._next_ask, now.boot + PAUSE)
