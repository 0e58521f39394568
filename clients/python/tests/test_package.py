"""The package, as pip installs its wheel."""

import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cellserver_ratelimit

HERE = pathlib.Path(__file__).parent

USER = """
from typing import assert_type
from cellserver_ratelimit import ASGIMiddleware, AsyncLimiter, Decision, Keys, Limiter, NoDecision
from cellserver_ratelimit import WSGIMiddleware, network
from cellserver_ratelimit.django import ratelimit
from cellserver_ratelimit.flask import RateLimit
from flask import Flask, request

limiter = Limiter("redis://127.0.0.1:6379", fail_closed=True)
assert_type(limiter.ask(("api", "ann"), ("all", None), quantity=2), Decision)
assert_type(network("::1"), str)
limit = RateLimit(limiter, Flask("app"), rules=[
    ("per-ip", None), ("api", "header:X-Api-Key"), ("user", lambda request: request.path),
])

async def ask() -> bool:
    return (await AsyncLimiter("redis://127.0.0.1:6379").ask(("api", b"ann"))).allowed

limiter.ask("api")  # type: ignore[arg-type]
Limiter("redis://127.0.0.1:6379", failClosed=True)  # type: ignore[call-arg]
Keys(proxies=["10.0.0.0/8"])  # type: ignore[arg-type]
"""


class TestPackage(unittest.TestCase):
    def test_installed(self):
        """The tests run with the wheel, and not with the files beside them."""
        folder = pathlib.Path(cellserver_ratelimit.__file__).parent
        self.assertFalse(folder.is_relative_to(HERE.parent))
        self.assertTrue((folder / "py.typed").exists())
        files = {path.name for path in (HERE.parent / "src/cellserver_ratelimit").iterdir() if path.is_file()}
        self.assertEqual({path.name for path in folder.iterdir() if path.is_file()}, files)

    def test_metadata(self):
        metadata = importlib.metadata.metadata("cellserver-ratelimit")
        self.assertIn("Typing :: Typed", metadata.get_all("Classifier"))
        self.assertIn("# Rate limits for Python", str(metadata.get_payload() or metadata["Description"]))
        self.assertEqual(set(metadata.get_all("Provides-Extra")), {"django", "flask", "httpx"})

    def test_import_needs_no_framework(self):
        """Without Django, Flask and Starlette the package serves WSGI and ASGI."""
        program = (
            "import sys\nfor name in ('django', 'flask', 'starlette', 'asgiref'): sys.modules[name] = None\n"
            "import cellserver_ratelimit\nprint(len(cellserver_ratelimit.__all__))"
        )
        out = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(int(out), len(cellserver_ratelimit.__all__))

    def test_types(self):
        """mypy knows the types of the wheel, and those of the source are whole."""
        with tempfile.TemporaryDirectory() as folder:
            user = pathlib.Path(folder) / "user.py"
            user.write_text(USER)
            run = [
                sys.executable,
                "-m",
                "mypy",
                "--config-file",
                HERE.parent / "pyproject.toml",
                "--warn-unused-ignores",
            ]
            for target in [user], [HERE.parent / "src/cellserver_ratelimit"]:
                done = subprocess.run([*run, *target], capture_output=True, text=True, cwd=HERE.parent)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
