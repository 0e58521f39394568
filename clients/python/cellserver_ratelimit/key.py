"""Keys of requests."""
import hashlib
import ipaddress
import re

LONGEST = 256  # bytes of the longest key that the server gets as it is


def encode(key: str | bytes | None) -> bytes:
    """Returns the bytes of a key, or the hash of a long key. None is the empty key."""
    data = key if isinstance(key, bytes) else (key or "").encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return data
    return b"sha256:" + hashlib.sha256(data).hexdigest().encode()


def address(text: str):
    """Parses an address with or without a port. An IPv4 address in the form of IPv6 is an IPv4 address."""
    match = re.fullmatch(r"\[([^\]]*)\](?::\d+)?|([\d.]+):\d+", text, re.ASCII)
    try:
        ip = ipaddress.ip_address((match[1] or match[2] if match else text).partition("%")[0])
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if ip.version == 6 else ip


def shown(ip, bits: int = 64) -> str:
    """Returns an address, or the network of an IPv6 address."""
    if ip is None:
        return ""
    return str(ip) if ip.version == 4 else str(ipaddress.IPv6Network((int(ip), bits), strict=False))


def network(text: str) -> str:
    """Returns the key of an address. An IPv6 address counts as its network of 64 bits, because a client has all
    addresses of such a network. Another text is its own key."""
    return shown(address(text)) or text
