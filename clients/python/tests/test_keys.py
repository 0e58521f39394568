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

    def test_header_twice(self):
        """It is unknown which one the service reads."""
        self.assertEqual(Keys().asgi("header:a")({"headers": [(b"a", b"1"), (b"A", b"2")]}), b"")
