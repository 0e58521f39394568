"""WSGI middleware that asks a rule of cellserver. Copy it into a service."""
import redis


class RateLimit:
    """Passes a request to app if the rule allows its key, and otherwise answers 429 Too Many Requests.

    client is a redis.Redis or RedisCluster, key a function of the WSGI environment. X-RateLimit-Limit, -Remaining and -Reset
    describe the limit. Retry-After is the number of seconds to wait; the header is missing if no wait helps.
    If the limiter does not answer, requests pass, so that it cannot stop the service.
    """

    def __init__(self, app, client, rule, key=lambda environ: environ["REMOTE_ADDR"]):
        self.app, self.client, self.rule, self.key = app, client, rule, key

    def __call__(self, environ, start_response):
        try:
            limited, limit, remaining, retry_after, reset_after = self.client.execute_command(
                "CL.CHECK", self.rule, self.key(environ))[:5]
        except redis.RedisError:
            return self.app(environ, start_response)
        headers = [("X-RateLimit-Limit", str(limit)), ("X-RateLimit-Remaining", str(remaining)), ("X-RateLimit-Reset", str(reset_after))]
        if limited:
            if retry_after >= 0:
                headers.append(("Retry-After", str(retry_after)))
            start_response("429 Too Many Requests", [("Content-Type", "text/plain"), *headers])
            return [b"Too Many Requests\n"]
        return self.app(environ, lambda status, own, *rest: start_response(status, own + headers, *rest))
