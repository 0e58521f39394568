"""Keys of requests."""

import hashlib
import ipaddress
import re

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST = 256  # bytes of the longest key that the server gets as it is


def encode(key: str | bytes | int | None) -> bytes:
    """Returns the bytes of a key, or the hash of a long key. None is the empty key."""
    if key is not None and not isinstance(key, (str, bytes, int)):
        raise TypeError(f"a key is text, bytes, an integer or None, not a value of type {type(key).__name__}")
    text = "" if key is None or isinstance(key, bytes) else str(key)
    data = key if isinstance(key, bytes) else text.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return data
    return b"sha256:" + hashlib.sha256(data).hexdigest().encode()


def address(text: str) -> Address | None:
    """Parses an address with or without a port. An IPv4 address in a form of IPv6 is an IPv4 address."""
    match = re.fullmatch(r"\[([^\]]*)\](?::(\d+))?", text, re.ASCII)
    inner, port = match.groups("0") if match else (text, "0")
    if (ip := parsed(inner)) is None and (match := re.fullmatch(r"([^\[\]]*):(\d+)", text, re.ASCII)):
        ip, port = parsed(match[1]), match[2]  # CloudFront writes no brackets
    port = port.lstrip("0")
    if ip is None or len(port) > 5 or int(port or 0) > 65535:  # int refuses thousands of digits
        return None
    if ip.version == 6 and ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip if ip.version == 6 else ip


NAT64 = ipaddress.ip_network("64:ff9b::/96")  # in which a translator shows all IPv4 clients (RFC 6052)


def parsed(text: str) -> Address | None:
    """Returns an address without its zone, None for another text."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def shown(ip: Address | None, bits: int = 64) -> str:
    """Returns an address, or the network of an IPv6 address."""
    if ip is None:
        return ""
    return str(ip) if ip.version == 4 else str(ipaddress.IPv6Network((int(ip), bits), strict=False))


def network(text: str) -> str:
    """Returns the key of an address. An IPv6 address counts as its network of 64 bits, because a client has all
    addresses of such a network. Another text is its own key."""
    return shown(address(text)) or text
