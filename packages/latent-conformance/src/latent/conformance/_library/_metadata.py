"""Values that carry a promise of their own: `Metadata` and `Usage`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._report import Report

__all__ = ["check_metadata", "check_usage"]

_SOUND = {"text": "x", "flag": True, "ratio": 0.5, "count": -(2**63), "empty": ""}
_REFUSED = (None, [1], ("a",), {"a": 1}, b"x", float("nan"), float("inf"), 2**63, object())


def check_metadata(make: Callable[[dict[str, Any], str], Any]) -> Report:
    """Judge what builds metadata, `make(attributes, target)`: META-1. The object has `attributes`."""
    trial = Trial("META-1")
    source = dict(_SOUND)
    made = trial.call("META-1", "primitives", lambda: make(source, "step"))
    if made is not None:
        trial.equal("META-1", "the attributes", _SOUND, dict(made.attributes))
        source["later"] = 1
        trial.hold("META-1", "later" not in made.attributes, "Expected a copy of the mapping, got the mapping itself")
        trial.hold(
            "META-1", _refuses(lambda: made.attributes.update(later=1)), "Expected attributes that do not change"
        )
    for value in _REFUSED:
        refused = _refuses(partial(make, {"key": value}, "turn"))
        trial.hold("META-1", refused, f"Expected {type(value).__name__} {value!r} to be refused, got an object"[:200])
    trial.hold("META-1", _refuses(lambda: make({}, "span")), "Expected target 'span' to be refused, got an object")
    return trial.report()


def check_usage(make: Callable[[int, int, int], Any]) -> Report:
    """Judge what builds a usage, `make(input, created, read)`: USAGE-2. The object has `uncached_input_tokens`."""
    trial = Trial("USAGE-2")
    for given, expected in (((10, 3, 4), 3), ((10, 0, 0), 10), ((10, 10, 0), 0), ((10, 8, 8), 0), ((0, 0, 0), 0)):
        usage = trial.call("USAGE-2", f"a usage of {given}", partial(make, *given))
        if usage is not None:
            trial.equal("USAGE-2", f"of {given} uncached tokens", expected, usage.uncached_input_tokens)
    return trial.report()


def _refuses(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except (TypeError, ValueError, AttributeError):
        return True
    return False
