"""Django, Flask and FastAPI, with the real packages."""

import asyncio
import sys
import types
import unittest.mock

import django
import fastapi
import flask
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import AsyncClient, Client
from django.test.utils import override_settings
from django.urls import path

from cellserver_ratelimit import ASGIMiddleware, AsyncLimiter, Keys, Limiter
from cellserver_ratelimit import django as limits_of_django
from cellserver_ratelimit.django import RateLimitMiddleware, ratelimit
from cellserver_ratelimit.flask import RateLimit

from .harness import ServerTest
from .test_asgi import send

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="of the tests")
django.setup()


def page(request):
    return HttpResponse("page")


async def async_page(request):
    return HttpResponse("page")


def user(request):
    """The key of a request that names its user."""
    return request.headers.get("X-User")


def is_health(request):
    return request.path == "/health"


def two(request):
    return 2


@ratelimit("login", lambda request: request.POST.get("user"))
def login(request):
    return HttpResponse("hello")


class settings_of_page:
    """The settings of README.md, which a test takes."""

    MIDDLEWARE = [
        "cellserver_ratelimit.django.RateLimitMiddleware",  # first, so that a refusal costs little
    ]
    RATELIMIT = {
        "URL": "redis://127.0.0.1:6379",
        "RULES": [("per-ip", None), ("api", "header:Authorization"), ("login", "myapp.limits.user")],
    }


urlpatterns = [
    path("page/login", login),
    path("", page),
    path("health", page),
    path("login", ratelimit("login", user)(page)),
    path("async", ratelimit("login", user)(async_page)),
    path("both", ratelimit("login", f"{__name__}.user", ("per-ip", "ip"), cost=two)(page)),
]
MIDDLEWARE = ["cellserver_ratelimit.django.RateLimitMiddleware"]


class Frameworks(ServerTest):
    def setUp(self):
        super().setUp()
        self.do("CL.RULE", "SET", "per-ip", "CL.WINDOW", 3, 60)
        self.do("CL.RULE", "SET", "login", "CL.WINDOW", 2, 60)


class TestDjango(Frameworks):
    def configure(self, middleware=(), **values):
        """Changes the settings until the end of the test."""
        limits_of_django.limits.cache_clear()
        self.addCleanup(limits_of_django.limits.cache_clear)
        change = override_settings(
            MIDDLEWARE=list(middleware), RATELIMIT={"URL": self.url, "TIMEOUT": 60, **values}
        )
        change.enable()
        self.addCleanup(change.disable)

    def test_middleware(self):
        self.configure(MIDDLEWARE, RULES=[("per-ip", None)], SKIP=f"{__name__}.is_health")
        client = Client()
        replies = [client.get("/") for _ in range(4)]
        self.assertEqual([reply.status_code for reply in replies], [200, 200, 200, 429])
        self.assertEqual(
            [reply["RateLimit"] for reply in replies], [f'"per-ip";r={left};t=60' for left in (2, 1, 0, 0)]
        )
        self.assertEqual(replies[0].content, b"page")
        self.assertEqual(
            (replies[3]["Retry-After"], replies[3]["Content-Type"]), ("60", "application/problem+json")
        )
        self.assertEqual(replies[3].json()["violated-policies"], ["per-ip"])
        self.assertEqual(client.get("/health").status_code, 200)
        self.assertEqual(self.do("EXISTS", "per-ip:{127.0.0.1}:window"), 1)

    def test_async_middleware(self):
        self.configure(MIDDLEWARE, RULES=[("per-ip", None)])

        async def visit():
            client = AsyncClient()
            replies = [await client.get("/") for _ in range(4)]
            await limits_of_django.limits().asynchronous().client.aclose()
            return [reply.status_code for reply in replies]

        self.assertEqual(asyncio.run(visit()), [200, 200, 200, 429])

    def test_views(self):
        self.configure()
        client = Client()
        statuses = [
            client.get("/login", headers={"X-User": name}).status_code
            for name in ("ann", "ann", "ann", "bob")
        ]
        self.assertEqual(statuses, [200, 200, 429, 200])
        reply = client.get("/both", headers={"X-User": "carl"})
        self.assertEqual(reply["RateLimit"], '"login";r=0;t=60, "per-ip";r=1;t=60')
        self.assertEqual(
            client.get("/both", headers={"X-User": "dora"}).json()["violated-policies"], ["per-ip"]
        )

    def test_async_view(self):
        self.configure()

        async def visit():
            client = AsyncClient()
            replies = [await client.get("/async", headers={"X-User": "ann"}) for _ in range(3)]
            await limits_of_django.limits().asynchronous().client.aclose()
            return [reply.status_code for reply in replies]

        self.assertEqual(asyncio.run(visit()), [200, 200, 429])

    def test_async_view_with_wsgi(self):
        errors = []
        self.configure(DENIALS=0, ON_ERROR=errors.append)
        client = Client()
        statuses = [client.get("/async", headers={"X-User": "ann"}).status_code for _ in range(4)]
        self.assertEqual((statuses, errors), ([200, 200, 429, 429], []))

    def test_middleware_and_view(self):
        """Both limits are in the headers, and the cost and the sources of keys come from the settings."""
        self.configure(MIDDLEWARE, RULES=[("per-ip", "ip")], COST=two, PROXIES="1")
        reply = Client().get("/login", headers={"X-User": "ann", "X-Forwarded-For": "6.6.6.6"})
        self.assertEqual(reply["RateLimit"], '"login";r=1;t=60, "per-ip";r=1;t=60')
        self.assertEqual(self.do("EXISTS", "per-ip:{6.6.6.6}:window"), 1)

    def test_page(self):
        """The settings and the view of README.md."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 9, 60)
        limits = types.ModuleType("myapp.limits")
        limits.user = user
        modules = {"myapp": types.ModuleType("myapp"), "myapp.limits": limits}
        with unittest.mock.patch.dict(sys.modules, modules):
            self.configure(settings_of_page.MIDDLEWARE, RULES=settings_of_page.RATELIMIT["RULES"])
            reply = Client().get("/", headers={"X-User": "ann"})
        self.assertEqual(reply["RateLimit"], '"per-ip";r=2;t=60, "api";r=8;t=60, "login";r=1;t=60')
        self.configure()
        statuses = [Client().post("/page/login", {"user": "carl"}).status_code for _ in range(3)]
        self.assertEqual(statuses, [200, 200, 429])

    def test_no_decision(self):
        errors = []
        for closed, status in (False, 200), (True, 503):
            self.configure(
                MIDDLEWARE,
                URL="redis://127.0.0.1:1",
                RULES=[("per-ip", None)],
                FAIL_CLOSED=closed,
                ON_ERROR=errors.append,
            )
            reply = Client().get("/")
            self.assertEqual((reply.status_code, reply.get("Retry-After")), (status, "1" if closed else None))
        self.assertEqual(len(errors), 2)

    def test_wrong_settings(self):
        for values, message in [
            ({"RULE": "api"}, "RATELIMIT has no RULE. It has URL, RULES"),
            ({"URL": "", "RULES": [("api", None)]}, "RATELIMIT needs a URL"),
            ({}, "RATELIMIT needs RULES"),
        ]:
            self.configure(**values)
            with self.assertRaisesRegex(ImproperlyConfigured, message):
                RateLimitMiddleware(page)
        rules = r'RATELIMIT\["RULES"\]: '
        for values, message in [
            ({"RULES": [("api", "header:")]}, rules + "header: needs a name"),
            ({"RULES": [("api", "hdr:X")]}, rules + "hdr:X is no word of a key"),
            ({"RULES": "per-ip"}, rules + "the rules are pairs of a name and a key, .* not 'per-ip'"),
            ({"RULES": ["per-ip"]}, rules + "the rules are pairs of a name and a key"),
            ({"RULES": [("per-ip",)]}, rules + "the rules are pairs of a name and a key"),
            ({"RULES": [("per-ip", "no.such")]}, rules + "No module named 'no'"),
            ({"COST": "no.such"}, r'RATELIMIT\["COST"\]: No module named'),
            ({"SKIP": 7}, r'RATELIMIT\["SKIP"\]: this is a function or its dotted path, not 7'),
            ({"PROXIES": "zz"}, "RATELIMIT: proxies is a number from 0 to 16, or networks .* not 'zz'"),
            ({"SECRET": None}, "RATELIMIT: secret is a text"),
            ({"TIMEOUT": "1"}, "RATELIMIT: timeout is a number of seconds above 0"),
            ({"FAIL_CLOSED": "no"}, "RATELIMIT: fail_closed is True or False, not 'no'"),
        ]:
            self.configure(**{"RULES": [("api", None)], **values})
            with self.assertRaisesRegex(ImproperlyConfigured, message):
                RateLimitMiddleware(page)
        with self.assertRaisesRegex(TypeError, 'write @ratelimit\\("login"\\)'):
            ratelimit(page)


class TestFlask(Frameworks):
    def app(self, limiter=None, **options):
        app = flask.Flask(__name__)
        limiter = limiter or Limiter(self.url, timeout=60)
        self.addCleanup(limiter.client.close)
        limit = RateLimit(limiter, app if options else None, **options)
        app.get("/")(lambda: "page")
        return app, limit

    def test_extension(self):
        app, _ = self.app(rules=[("per-ip", None)], skip=lambda request: request.path == "/health")
        app.get("/health", endpoint="health")(lambda: "page")
        replies = [app.test_client().get("/") for _ in range(4)]
        self.assertEqual([reply.status_code for reply in replies], [200, 200, 200, 429])
        self.assertEqual(
            [reply.headers["RateLimit"] for reply in replies],
            [f'"per-ip";r={left};t=60' for left in (2, 1, 0, 0)],
        )
        self.assertEqual(
            (replies[3].headers["Retry-After"], replies[3].content_type), ("60", "application/problem+json")
        )
        self.assertEqual(replies[3].get_json(force=True)["violated-policies"], ["per-ip"])
        self.assertEqual(app.test_client().get("/health").status_code, 200)
        self.assertEqual(self.do("EXISTS", "per-ip:{127.0.0.1}:window"), 1)

    def test_views(self):
        app, limit = self.app()

        @app.get("/login")
        @limit("login", user)
        def login():
            return "page"

        @app.get("/async")
        @limit("login", user)
        async def async_login():
            return "page"

        @app.get("/both")
        @limit("login", user, ("per-ip", "plain-header:X-Ip"), cost=two)
        def both():
            return "page", 201

        client = app.test_client()
        statuses = [
            client.get("/login", headers={"X-User": name}).status_code
            for name in ("ann", "ann", "ann", "bob")
        ]
        self.assertEqual(statuses, [200, 200, 429, 200])
        self.assertEqual(
            [client.get("/async", headers={"X-User": "eve"}).status_code for _ in range(3)], [200, 200, 429]
        )
        reply = client.get("/both", headers={"X-User": "carl", "X-Ip": "1"})
        self.assertEqual(
            (reply.status_code, reply.headers["RateLimit"]), (201, '"login";r=0;t=60, "per-ip";r=1;t=60')
        )
        self.assertEqual(client.get("/").headers.get("RateLimit"), None)
        self.assertEqual((login.__name__, async_login.__name__), ("login", "async_login"))

    def test_extension_and_view(self):
        """Both limits are in the headers."""
        app, limit = self.app(rules=[("per-ip", "ip")], keys=Keys(proxies="1"), cost=two)
        app.get("/login", endpoint="login")(limit("login")(lambda: "page"))
        reply = app.test_client().get("/login", headers={"X-Forwarded-For": "6.6.6.6"})
        self.assertEqual(reply.headers.getlist("RateLimit"), ['"per-ip";r=1;t=60, "login";r=1;t=60'])
        self.assertEqual(self.do("EXISTS", "per-ip:{6.6.6.6}:window"), 1)

    def test_no_decision(self):
        for closed, status in (False, 200), (True, 503):
            limiter = Limiter("redis://127.0.0.1:1", fail_closed=closed, on_error=lambda error: None)
            app, _ = self.app(limiter, rules=[("per-ip", None)])
            reply = app.test_client().get("/")
            self.assertEqual(
                (reply.status_code, reply.headers.get("Retry-After")), (status, "1" if closed else None)
            )

    def test_wrong_arguments(self):
        app, limit = self.app()
        with self.assertRaisesRegex(ValueError, "the rules are pairs of a name and a key"):
            limit.init_app(app)
        for rules in "per-ip", ["per-ip"], [("per-ip",)], [("", None)], [("per-ip", 7)], None:
            with self.assertRaisesRegex(ValueError, "the rules are pairs of a name and a key"):
                RateLimit(self.url, flask.Flask(__name__), rules=rules)
        with self.assertRaisesRegex(ValueError, "the server is a URL .*not None"):
            RateLimit(None, flask.Flask(__name__), rules=[("per-ip", None)])
        with self.assertRaisesRegex(ValueError, "skip is a function of the request, not '/health'"):
            RateLimit(self.url, skip="/health")
        with self.assertRaisesRegex(TypeError, 'write @limit\\("login"\\)'):
            limit(lambda: "page")
        with self.assertRaisesRegex(ValueError, "header: needs a name"):
            limit("login", "header:")


class TestFastAPI(Frameworks):
    def test_middleware(self):
        async def visit():
            app = fastapi.FastAPI()
            app.get("/")(lambda: "page")
            limiter = AsyncLimiter(self.url, timeout=60)
            app.add_middleware(ASGIMiddleware, limiter=limiter, rules=[("per-ip", None)])
            replies = [await send(app) for _ in range(4)]
            await limiter.client.aclose()
            return replies

        replies = asyncio.run(visit())
        self.assertEqual([status for status, _, _ in replies], [200, 200, 200, 429])
        self.assertEqual(replies[3][1]["retry-after"], "60")
