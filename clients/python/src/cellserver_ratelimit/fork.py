"""State that a process does not share with its parent."""

import os
import weakref
from collections.abc import Callable
from typing import Any

_begins: set[weakref.WeakMethod[Any]] = set()  # those of objects that are alive


def begin_in_each_process(begin: Callable[[], None]) -> None:
    """Calls a method now, and again in each child process. A child has no threads of its parent to free their locks."""
    begin()
    _begins.add(weakref.WeakMethod(begin, _begins.discard))


def _begin_all() -> None:
    for method in _begins.copy():
        if again := method():
            again()


if hasattr(os, "register_at_fork"):  # once: a process never forgets what is registered
    os.register_at_fork(after_in_child=_begin_all)
