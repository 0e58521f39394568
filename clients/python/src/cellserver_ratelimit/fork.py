"""State that a process does not share with its parent."""

import os
import weakref
from collections.abc import Callable


def begin_in_each_process(begin: Callable[[], None]) -> None:
    """Calls a method now, and again in each child process. A child has no threads of its parent to free their locks."""
    begin()
    if hasattr(os, "register_at_fork"):
        method = weakref.WeakMethod(begin)
        os.register_at_fork(after_in_child=lambda: (again := method()) and again())
