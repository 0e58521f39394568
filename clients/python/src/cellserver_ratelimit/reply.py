"""The reply of CL.MCHECK with EXPLAIN and MS."""

import dataclasses
import itertools
import json
from typing import Any, NamedTuple

MOST = 999_999_999_999_999  # the largest integer of a structured field


@dataclasses.dataclass(frozen=True)
class Decision:
    """The reply of the rules to one action."""

    allowed: bool
    retry_after: int = 0  # milliseconds until the same action is allowed; -1 if no wait helps
    policy: str = ""  # the value of RateLimit-Policy
    limit: str = ""  # the value of RateLimit
    violated: tuple[str, ...] = ()  # the names of the policies that refuse

    def headers(self) -> list[tuple[str, str]]:
        """Returns the headers of the reply."""
        headers = [("RateLimit-Policy", self.policy), ("RateLimit", self.limit)] if self.policy else []
        if not self.allowed and self.retry_after >= 0:
            headers.append(("Retry-After", str(seconds(self.retry_after))))
        return headers

    def add_to(self, headers: Any) -> None:
        """Adds the headers to a mapping. Another limit may have written some."""
        for name, value in self.headers():
            headers[name] = f"{headers[name]}, {value}" if name in headers else value

    def body(self) -> bytes:
        """Returns the body of a refusal, a problem of RFC 9457."""
        return problem(
            429,
            "The quota is used up",
            type="https://iana.org/assignments/http-problem-types#quota-exceeded",
            **{"violated-policies": self.violated},
        )


class Limit(NamedTuple):
    """One limit of a rule, which the headers call a policy. Times are in milliseconds."""

    name: str
    limited: int
    most: int
    left: int
    retry: int
    reset: int
    window: int

    def policy(self) -> str:
        """Returns an element of RateLimit-Policy: "login";q=5;w=60."""
        return f'"{self.name}";q={min(self.most, MOST)}' + (
            f";w={seconds(self.window)}" if self.window > 0 else ""
        )

    def state(self) -> str:
        """Returns an element of RateLimit: "login";r=4;t=12."""
        wait = self.retry if self.limited and self.retry >= 0 else self.reset
        return f'"{self.name}";r={min(max(self.left, 0), MOST)};t={seconds(wait)}'


def problem(status: int, title: str, **more: object) -> bytes:
    return json.dumps({"title": title, "status": status, **more}).encode()


def refusal(decision: Decision | None) -> tuple[int, list[tuple[str, str]], bytes]:
    """Returns the status, the headers and the body of a refusal. None is no decision: it fails closed."""
    kind = ("Content-Type", "application/problem+json")
    if decision is None:
        return 503, [("Retry-After", "1"), kind], problem(503, "The rate limiter does not answer")
    return 429, [*decision.headers(), kind], decision.body()


def decision(reply: list[Any], pairs: list[Any]) -> Decision:
    """Reads a reply. pairs are the rules and keys of the command."""
    policies, states, violated, waits = [], [], [], [0]
    for rule in reply[2:]:
        if rule[0]:
            waits.append(rule[3])
        for one in limits(pairs[0], rule[7]) if not rule[8] else ():  # clients should not know of a rule with SHADOW
            policies.append(one.policy())
            states.append(one.state())
            if one.limited:
                violated.append(one.name)
        pairs = pairs[2 * len(by_scope(rule[7])) :]
    return Decision(
        not reply[0],
        -1 if min(waits) < 0 else max(waits),
        ", ".join(policies),
        ", ".join(states),
        tuple(violated),
    )


def by_scope(all_limits: list[Any]) -> list[list[Any]]:
    """Returns the limits of each scope, which stand together."""
    return [list(group) for _, group in itertools.groupby(all_limits, key=lambda one: one[0])]


def limits(rule: str | bytes, all_limits: list[Any]) -> list[Limit]:
    """Reads the limits of a rule. Its name may have a scope."""
    name = text(rule).partition("@")[0]
    return [
        Limit(of, *one[2:8])
        for scope in by_scope(all_limits)
        for of, one in zip(names(name, scope), scope)
    ]


def names(rule: str, scope: list[Any]) -> list[str]:
    """Returns the names of the policies of a scope: "login", "llm:user", or "login:window:2" for a second window."""
    kinds = [text(one[1]).split(" ")[0].lower().removeprefix("cl.") for one in scope]
    base = ":".join(filter(None, [rule, text(scope[0][0])]))
    if len(kinds) == 1:
        return [base]
    earlier = [kinds[: i + 1].count(kind) for i, kind in enumerate(kinds)]
    return [f"{base}:{kind}" + (f":{n}" if n > 1 else "") for kind, n in zip(kinds, earlier)]


def text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def seconds(milliseconds: int) -> int:
    """Rounds milliseconds up to seconds."""
    return -(-milliseconds // 1000)
