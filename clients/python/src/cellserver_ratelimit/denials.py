"""Refusals that are repeated without a request to the server."""

import collections
import threading
from typing import Any

from .fork import begin_in_each_process
from .reply import Decision

LONGEST = 1.0  # seconds; a change of a rule has its effect after this time


class Denials:
    """Remembers refusals by their questions. If there are too many, the one that was used least recently goes."""

    def __init__(self, most: int, timeout: float):
        self.most, self.timeout = most, timeout
        begin_in_each_process(self._begin)

    def _begin(self) -> None:
        self.lock = threading.Lock()
        self.by_question: collections.OrderedDict[tuple[Any, ...], tuple[Decision, int, float]] = (
            collections.OrderedDict()
        )

    def find(self, question: tuple[Any, ...], quantity: int, now: float) -> Decision | None:
        """Returns the refusal of a question. A refusal counts for its quantity and larger ones. Of the callers after its end one gets None and asks the server. The others get the old
        refusal until that one has its answer, or until the time-out."""
        with self.lock:
            if (found := self.by_question.get(question)) is None:
                return None
            decision, refused, until = found
            if quantity < refused:
                return None
            if now >= until:
                self.by_question[question] = (decision, refused, now + self.timeout)
                return None
            self.by_question.move_to_end(question)
            return decision

    def learn(
        self, question: tuple[Any, ...], quantity: int, decision: Decision | None, asked: float
    ) -> None:
        """Remembers a refusal of a question that was asked at a time. An other answer ends the refusal of this quantity and of smaller
        ones."""
        with self.lock:
            if decision is None or decision.allowed:
                if question in self.by_question and quantity >= self.by_question[question][1]:
                    del self.by_question[question]
                return
            self.by_question.pop(question, None)
            if self.most <= 0:
                return
            wait = LONGEST if decision.retry_after < 0 else min(LONGEST, decision.retry_after / 1000)
            self.by_question[question] = (decision, quantity, asked + wait)
            if len(self.by_question) > self.most:
                self.by_question.popitem(last=False)
