"""What keeps an event on one line, whoever splits the text."""

__all__ = ["one_line"]

# What `str.splitlines` takes for the end of a line, although JSON does not.
_BREAKS = {text.encode(): b"\\u%04x" % ord(text) for text in "\x85\u2028\u2029"}


def one_line(text: bytes) -> bytes:
    """The JSON with the line breaks in its texts escaped (specification, clause 18.6)."""
    if not text.isascii():
        for character, escaped in _BREAKS.items():
            text = text.replace(character, escaped)
    return text
