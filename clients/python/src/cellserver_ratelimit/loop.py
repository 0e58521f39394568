"""Serves several event loops."""

import asyncio
from collections.abc import Callable
from typing import Any


class ClientOfLoop:
    """A client for each event loop, because a connection of redis.asyncio belongs to the loop that opened it."""

    def __init__(self, connect: Callable[[], Any]):
        self._connect, self._clients = connect, dict[asyncio.AbstractEventLoop, Any]()

    def of_loop(self) -> Any:
        """Returns the client of the running loop. A new loop drops the clients of closed loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for ended in [one for one in list(self._clients) if one.is_closed()]:
                self._clients.pop(ended, None)
            self._clients[loop] = self._connect()
        return self._clients[loop]

    async def execute_command(self, *words: Any) -> Any:
        return await self.of_loop().execute_command(*words)

    def pipeline(self, **options: Any) -> Any:
        return self.of_loop().pipeline(**options)

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        await self.of_loop().aclose()
