"""Transports of httpx whose requests begin within an adaptive limit. A call ends with the header of its response."""

import httpx

from .adaptive import AdaptiveLimit, AsyncAdaptiveLimit, outcome_of


class Transport(httpx.BaseTransport):
    """A transport for httpx.Client: Transport(limit, httpx.HTTPTransport())."""

    def __init__(self, limit: AdaptiveLimit, transport: httpx.BaseTransport | None = None):
        self.limit, self.transport = limit, transport or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self.limit.call() as call:
            response = self.transport.handle_request(request)
            call.outcome = outcome_of(response.status_code)
            return response

    def close(self) -> None:
        self.transport.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """A transport for httpx.AsyncClient."""

    def __init__(self, limit: AsyncAdaptiveLimit, transport: httpx.AsyncBaseTransport | None = None):
        self.limit, self.transport = limit, transport or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async with self.limit.call() as call:
            response = await self.transport.handle_async_request(request)
            call.outcome = outcome_of(response.status_code)
            return response

    async def aclose(self) -> None:
        await self.transport.aclose()
