"""Keys of requests, as the HTTP port of the server makes them."""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Callable
from typing import Any

from .key import Address, address, shown

Headers = list[tuple[str, str]]  # names in small letters; bytes above 127 as latin1
Reader = Callable[[Headers, str], str]  # of the headers and the address of the connection; "" without a value


def raw(text: str) -> str:
    """Returns a text with a character for each byte, as headers have them."""
    return text.encode().decode("latin1")


NAMED = ("header", "cookie", "plain-header", "plain-cookie", "ip-header")  # words with a name behind a colon


def check_text(text: str) -> None:
    """Refuses a text that is nearly a word, or has a colon. It would be the same for all requests."""
    word = text.strip().lower()
    if not text:
        raise ValueError("a part of a key is empty")
    if word in NAMED:
        raise ValueError(f"{text} is no word of a key: write {word}:NAME")
    if re.fullmatch(r"ip(/\d*)?|path|method|host", word, re.ASCII):
        raise ValueError(f"{text} is no word of a key: write {word}")
    if ":" in text:
        raise ValueError(f"{text} is no word of a key: before a colon is {', '.join(NAMED)}")


class Keys:
    """Makes key functions from sources: "ip", "header:X-Api-Key", or several with commas between them.

    proxies  who has written X-Forwarded-For: the number of proxies, such as "1", or their networks, such as
             "10.0.0.0/8 192.168.0.0/16"
    secret   that of the hashes of headers and cookies; with the text of the file http-key-secret of the
             server, the keys are those of its HTTP port
    """

    def __init__(self, proxies: str | int = "0", secret: str = ""):
        if not isinstance(secret, str):
            raise ValueError(f"secret is a text, not a value of type {type(secret).__name__}")
        self.secret = secret.encode()
        text = str(proxies)
        self.count = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
        try:
            networks = [] if text.isdecimal() else text.split()
            self.networks = [ipaddress.ip_network(word, strict=False) for word in networks]
        except ValueError:
            self.networks = []
        if self.count > 16 or not (self.networks or re.fullmatch("[0-9]{1,9}", text)):
            raise ValueError(
                f"proxies is a number from 0 to 16, or networks such as 10.0.0.0/8, not {proxies!r:.80}"
            )
        if any(network.prefixlen == 0 for network in self.networks):  # a client could choose its address
            raise ValueError("a network of proxies has every address: name the networks of the proxies")

    def wsgi(self, source: str) -> Callable[[dict[str, Any]], bytes]:
        """Returns the key function of a source for WSGI. If a part is missing, the key is empty."""
        read = self.of(source)

        def key(environ: dict[str, Any]) -> bytes:
            names = [name for name in environ if name.startswith("HTTP_")]
            headers = [(name[5:].replace("_", "-").lower(), environ[name]) for name in names]
            return read(headers, environ.get("REMOTE_ADDR", ""))

        return key

    def asgi(self, source: str) -> Callable[[dict[str, Any]], bytes]:
        """Returns the key function of a source for ASGI."""
        read = self.of(source)

        def key(scope: dict[str, Any]) -> bytes:
            texts = [(name.decode("latin1"), value.decode("latin1")) for name, value in scope["headers"]]
            headers = [(name.lower(), value) for name, value in texts]
            return read(headers, (scope.get("client") or [""])[0])

        return key

    def of(self, source: str) -> Callable[[Headers, str], bytes]:
        """Returns the key function of a source for headers and an address."""
        if not isinstance(source, str):
            raise ValueError(f'a source is a text such as "ip", not {source!r}')
        if source.startswith("text:"):
            return lambda *_: source.removeprefix("text:").encode()
        words = source.split(",")
        parts = [self._part(word) for word in words]
        for part, word in zip(parts, words):
            if part is None:
                check_text(word)
        if not any(parts):
            raise ValueError(
                f"{source} is the same key for all requests: write ip or header:NAME, or text:{source}"
            )

        def key(headers: Headers, remote: str) -> bytes:
            values = [part(headers, remote) if part else raw(word) for part, word in zip(parts, words)]
            if len(values) > 1 and all(values):
                values = [value.replace("%", "%25").replace(",", "%2C") for value in values]
            return ",".join(values).encode("latin1") if all(values) else b""

        return key

    def _part(self, word: str) -> Reader | None:
        """Returns the reader of a word, None for a text."""
        kind, colon, name = word.partition(":")
        if kind in NAMED and colon and not name:
            raise ValueError(f"{word} needs a name")
        if word in ("path", "path:case", "method", "host"):
            raise ValueError(f"{word} is for the HTTP port: take the route of your framework")
        read: Reader
        if kind in ("header", "plain-header") and colon:
            read = lambda headers, _: header(headers, name)
        elif kind in ("cookie", "plain-cookie") and colon:
            read = lambda headers, _: cookie(headers, name)
        else:
            return self._address(word)
        if kind.startswith("plain-"):
            return read
        return lambda headers, remote: self._hash(read(headers, remote))

    def _hash(self, value: str) -> str:
        return value and "hmac:" + hmac.digest(self.secret, value.encode("latin1"), hashlib.sha256)[:16].hex()

    def _address(self, word: str) -> Reader | None:
        match = re.fullmatch(r"(?:ip(?=$|/\d*$)|ip-header:([^/]*))(?:/(.*))?", word, re.ASCII)
        if not match:
            return None
        length = "64" if match[2] is None else match[2]
        if not re.fullmatch(r"\d{1,9}", length, re.ASCII) or not 1 <= (bits := int(length)) <= 128:
            raise ValueError(f"{word}: an IPv6 network has 1 to 128 bits")
        name = (match[1] or "x-forwarded-for").lower()
        return lambda headers, remote: shown(self._client(headers, name, remote), bits)

    def _client(self, headers: Headers, name: str, remote: str) -> Address | None:
        lists = [value for one, value in headers if one == name]
        if name == "x-forwarded-for":
            return self._choose([hop.strip() for hop in ",".join(lists).split(",") if hop.strip()], remote)
        if name == "forwarded":
            return self._choose(hops, remote) if (hops := forwarded(lists)) is not None else None
        return address(header(headers, name))

    def _choose(self, hops: list[str], remote: str) -> Address | None:
        """Chooses the address of the client. hops are what proxies have written, the last one at the end."""
        if self.count:
            return address(hops[-self.count]) if self.count <= len(hops) else None
        at = address(remote)
        for hop in reversed(hops):
            if at is None or not any(at in network for network in self.networks):
                break
            at = address(hop)
        return at


def header(headers: Headers, name: str) -> str:
    """Returns a header that occurs once. The scheme of a credential has small letters."""
    name = name.lower()
    values = [value.strip(" \t") for one, value in headers if one == name]
    if len(values) != 1:
        return ""
    if name not in ("authorization", "proxy-authorization"):
        return values[0]
    scheme, *rest = re.split("[ \t]+", values[0])
    scheme = scheme.encode("latin1").lower().decode("latin1")  # ASCII only
    return " ".join([scheme, *rest])


def cookie(headers: Headers, name: str) -> str:
    r"""Returns a cookie that occurs once, as frameworks decode it: without quotes, \101 and %41 for A."""
    pairs = [pair.partition("=") for one, line in headers if one == "cookie" for pair in line.split(";")]
    values = [value.strip(" \t") for left, _, value in pairs if left.strip(" \t") == name]
    if len(values) != 1:
        return ""
    value = values[0]
    if value.startswith('"'):
        value = re.sub(
            r"\\([0-3][0-7]{2}|.)",
            lambda m: chr(int(m[1], 8)) if len(m[1]) == 3 else m[1],
            value[1:].removesuffix('"'),
        )
    return re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), value).strip(" \t")


def forwarded(lists: list[str]) -> list[str] | None:
    """Returns the addresses of Forwarded headers (RFC 7239), "" for an element without an address.

    None is a quote without an end."""
    hops = []
    for line in lists:
        if (elements := split(line, ",")) is None:
            return None
        for element in filter(str.strip, elements):
            pairs = [pair.partition("=") for pair in split(element, ";") or []]
            found = [value for name, _, value in pairs if name.strip().lower() == "for"]
            hop = found[-1].strip().strip('"').replace("\\", "") if found else ""
            hops.append(hop.partition(":_")[0])  # the port may be a secret name
    return hops


def split(text: str, separator: str) -> list[str] | None:
    """Splits a text at a separator outside of quotes. None is a quote without an end."""
    parts, quoted, escaped = [""], False, False
    for c in text:
        if c == separator and not quoted:
            parts.append("")
            continue
        quoted ^= c == '"' and not escaped
        escaped = quoted and c == "\\" and not escaped
        parts[-1] += c
    return None if quoted else parts
