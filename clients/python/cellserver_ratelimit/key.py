"""Keys of requests."""
import hashlib
import ipaddress

LONGEST = 256  # bytes of the longest key that the server gets as it is


def encode(key: str | bytes | None) -> bytes:
    """Returns the bytes of a key, or the hash of a long key. None is the empty key."""
    data = key if isinstance(key, bytes) else (key or "").encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return data
    return b"sha256:" + hashlib.sha256(data).hexdigest().encode()


def network(address: str) -> str:
    """Returns the key of an address. An IPv6 address counts as its network of 64 bits, because a client has all addresses of
    such a network. Another text is its own key."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if ip.version == 6 and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))
