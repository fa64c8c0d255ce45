"""The version of the contract, apart from the version of this package."""

__all__ = ["PROTOCOL_VERSION"]

PROTOCOL_VERSION = "1.0"
"""Rises with the specification; the JSON Schema's `$id` carries it."""
