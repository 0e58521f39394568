"""Stands before a language model with the API of OpenAI. It holds budgets of organisations, teams and users. Copy it.

The program asks cellserver over HTTP: /reserve before each call of the model, and /settle after it. The environment has
LISTEN, LIMITS, MODEL, MODEL_KEY and KEYS, as proxy/doc.go explains.
"""
import http.client
import json
import os
import secrets
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = json.loads(os.environ["KEYS"])
LONGEST = 600  # seconds of a call, and the ttl of its reservation
FAILURES = (OSError, http.client.HTTPException)  # of a connection


def post(url, fields, timeout, **headers):
    """Sends JSON. Returns the answer, also one with an error status."""
    request = urllib.request.Request(url, json.dumps(fields).encode(), {"Content-Type": "application/json", **headers})
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as answer:
        return answer


def ask(path, fields):
    """Sends a request to cellserver until there is an answer, at most three times. The id makes that safe."""
    failure = None
    for _ in range(3):
        try:
            with post(os.environ["LIMITS"] + path, fields, 2) as answer:
                if answer.status in (200, 429):
                    return answer
                failure = OSError(f"cellserver: {answer.status}")
        except FAILURES as error:
            failure = error
    raise failure


def usage_of(line):
    """Returns the tokens that a line of an answer reports, None if it reports none."""
    try:
        return json.loads(line.removeprefix(b"data: "))["usage"]["total_tokens"]
    except (ValueError, KeyError, TypeError):
        return None


class Proxy(BaseHTTPRequestHandler):
    def do_POST(self):
        """Reserves an estimate, calls the model, and settles what the model says it has used."""
        keys = KEYS.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if keys is None:
            return self.refuse(401, "invalid_api_key", "this API key is unknown")
        try:
            body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
            call = json.loads(body)
            most = call.get("max_tokens")
        except (ValueError, AttributeError):
            return self.refuse(400, "invalid_request", "the body is not JSON, or too large")
        if not isinstance(most, int) or not 1 <= most <= 1e6:
            most = 1000
        call["max_tokens"] = most
        if call.get("stream") is True:
            call["stream_options"] = {"include_usage": True}
        # The id is never that of the client: a second call with the same id would cost nothing.
        about = {"rule": "llm", "keys": keys, "id": secrets.token_hex(16)}
        estimate = len(body) // 4 + most  # a token of a prompt has about four bytes
        try:
            limits = ask("/reserve", {**about, "quantity": estimate, "ttl": LONGEST})
        except FAILURES as error:
            self.log_error("no decision: %s", error)
            return self.refuse(503, "unavailable", "the budgets cannot be asked now", [("Retry-After", "1")])
        headers = [(name, limits.headers[name]) for name in ("RateLimit", "RateLimit-Policy", "Retry-After") if limits.headers[name]]
        if limits.status != 200:
            return self.too_many(limits.headers["Retry-After"], headers)
        used = self.forward(call, headers)
        if used is not None:
            try:
                ask("/settle", {**about, "quantity": used})
            except FAILURES as error:
                self.log_error("the estimate of a call stays counted: %s", error)

    def forward(self, call, headers):
        """Calls the model, and passes its answer on line by line. Returns the tokens that the model has used, None if the model
        does not say. If the client hangs up, it still reads the answer to its end, because the model counts on."""
        try:
            answer = post(os.environ["MODEL"] + self.path, call, LONGEST, Authorization="Bearer " + os.environ.get("MODEL_KEY", ""))
        except FAILURES:
            self.refuse(502, "model_unavailable", "the model does not answer", headers)
            return None  # it may have counted
        used = None if answer.status == 200 else 0  # a call that failed costs nothing
        self.begin(answer.status, [("Content-Type", answer.headers["Content-Type"]), *headers])
        try:
            for line in answer:
                self.send(line)
                tokens = usage_of(line)
                used = used if tokens is None else tokens
        except FAILURES:
            pass  # the model broke off: the estimate stays
        return used

    def send(self, data):
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            pass  # the client has hung up

    def begin(self, status, headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        try:
            self.end_headers()
        except OSError:
            pass  # the client has hung up

    def too_many(self, wait, headers):
        if wait is None:
            return self.refuse(429, "request_too_large", "this request is larger than a whole budget: lower max_tokens", headers)
        self.refuse(429, "rate_limit_exceeded", f"a budget is used up: try again after {wait} seconds", headers)

    def refuse(self, status, code, message, headers=()):
        """Answers with an error in the form of the API."""
        self.begin(status, [("Content-Type", "application/json"), *headers])
        self.send(json.dumps({"error": {"message": message, "type": code, "code": code}}).encode())


if __name__ == "__main__":
    host, port = os.environ["LISTEN"].rsplit(":", 1)
    ThreadingHTTPServer((host, int(port)), Proxy).serve_forever()
