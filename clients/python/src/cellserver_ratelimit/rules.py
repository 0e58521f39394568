"""The rules of a service: pairs of a name and where the key comes from."""

from collections.abc import Callable, Iterable
from typing import Any

from .source import Keys
from .wsgi import address, pairs

# A function from the request to its key, a source of Keys such as "header:X-Api-Key", or None: the address.
Key = Callable[[Any], "str | bytes | int | None"] | str | None
Rule = tuple[str, Key]


class Rules:
    """Makes questions of requests. environ is a function from the request to its environment of WSGI."""

    def __init__(self, rules: Iterable[Rule], keys: Keys, environ: Callable[[Any], dict[str, Any]]):
        self.keys, self.environ = keys, environ
        self.readers = [(name, self._reader(key)) for name, key in pairs(rules, texts=True)]

    def questions(self, request: Any) -> list[tuple[str, str | bytes | int | None]]:
        """Returns the rules with the keys of a request."""
        return [(name, read(request)) for name, read in self.readers]

    def _reader(self, key: Key) -> Callable[[Any], str | bytes | int | None]:
        if key is None:
            return lambda request: address(self.environ(request))
        if isinstance(key, str):
            of = self.keys.wsgi(key)
            return lambda request: of(self.environ(request))
        return key
