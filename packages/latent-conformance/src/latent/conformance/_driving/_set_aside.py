"""What was there before a judgement, kept out of the collections of garbage that belong to it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["set_aside"]

_FROM_THE_START = 1000
"""More than a Python sets aside itself when it starts."""


@contextmanager
def set_aside() -> Iterator[None]:
    """Within the block, garbage is looked for among what came since alone: the modules around an agent are far more.

    Nothing is done where somebody has set objects aside before, for those would come back with ours.
    """
    if gc.get_freeze_count() > _FROM_THE_START:
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
