from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import Usage


@pytest.mark.parametrize(("created", "read", "left"), [(0, 0, 10), (3, 4, 3), (10, 0, 0), (8, 8, 0)])
def test_uncached_tokens_are_the_input_less_both_cache_fields(created: int, read: int, left: int) -> None:
    usage = Usage(10, cache_creation_input_tokens=created, cache_read_input_tokens=read)

    assert usage.uncached_input_tokens == left


@given(st.from_type(Usage))
def test_uncached_tokens_are_never_negative(usage: Usage) -> None:
    assert 0 <= usage.uncached_input_tokens <= usage.input_tokens
