import json
import unittest

from cellserver_ratelimit import Keys
from cellserver_ratelimit.key import encode

from .harness import STORY


class TestKeys(unittest.TestCase):
    def test_vectors(self):
        """The packages of all languages and the server make the same key of a request."""
        vectors = json.loads(STORY.with_name("keys.json").read_text())
        self.assertGreater(len(vectors), 80)
        for v in vectors:
            with self.subTest(v["about"]):
                if v.get("refused"):
                    self.assertRaises(ValueError, Keys().asgi, v["source"])
                    continue
                keys, remote = Keys(v["trust"], v["secret"]), v["remote"].rpartition(":")[0].strip("[]")
                scope = {"headers": [(name.encode(), value.encode("latin1")) for name, value in v["headers"]], "client": (remote, 1)}
                self.assertEqual(encode(keys.asgi(v["source"])(scope)), (v["key"] or "").encode())
                environ = {"REMOTE_ADDR": remote}
                for name, value in v["headers"]:  # as WSGI servers join several lines
                    name = "HTTP_" + name.upper().replace("-", "_")
                    environ[name] = ",".join(filter(None, [environ.get(name), value]))
                self.assertEqual(encode(keys.wsgi(v["source"])(environ)), (v["key"] or "").encode())

    def test_wrong_sources(self):
        for source in "header:", "ip,cookie:", "ip-header:", "ip,path", "ip/0", "ip/129", "ip/", "ip-header:X/a":
            with self.assertRaisesRegex(ValueError, "needs a name|is for the HTTP port|1 to 128 bits"):
                Keys().asgi(source)
        for proxies in "17", "-1", "x", " ", "10.0.0.0/33", "1 10.0.0.0/8":
            with self.assertRaises(ValueError):
                Keys(proxies)
        for proxies in "0.0.0.0/0", "10.0.0.0/8 ::/0":
            with self.assertRaisesRegex(ValueError, "a network of proxies has every address"):
                Keys(proxies)

    def test_constant_sources(self):
        """A source that is the same key for all requests says what may stand there."""
        for source, message in [
            ("api", "api is the same key for all requests: write ip or header:NAME, or text:api"),
            ("ip,IP", "IP is no word of a key: write ip$"),
            ("header", "header is no word of a key: write header:NAME"),
            ("hdr:X-Api-Key", "hdr:X-Api-Key is no word of a key: before a colon is header, cookie, "),
            (None, "a source is a text such as"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                Keys().wsgi(source)

    def test_kinds_of_keys(self):
        self.assertEqual([encode(key) for key in (17, 0, None, "", b"0", "0")], [b"17", b"0", b"", b"", b"0", b"0"])
        for key in {"id": 1}, ["a"], 1.5, object():
            with self.assertRaisesRegex(TypeError, "a key is text, bytes, an integer or None, not a value of type"):
                encode(key)

    def test_number_of_proxies(self):
        scope = {"headers": [(b"X-Forwarded-For", b"10.0.0.1")], "client": ("192.0.2.9", 1)}
        self.assertEqual(Keys(1).asgi("ip")(scope), b"10.0.0.1")
        for proxies in 17, None, True, "²", "9" * 5000:
            with self.assertRaisesRegex(ValueError, "proxies is a number from 0 to 16"):
                Keys(proxies)

    def test_header_twice(self):
        """It is unknown which one the service reads."""
        self.assertEqual(Keys().asgi("header:a")({"headers": [(b"a", b"1"), (b"A", b"2")]}), b"")
