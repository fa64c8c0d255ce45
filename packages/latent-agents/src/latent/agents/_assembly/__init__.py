"""From chat-completion chunks to events: the one place where a provider's habits are smoothed out."""

from latent.agents._assembly._assembler import Assembler
from latent.agents._assembly._response import Response

__all__ = ["Assembler", "Response"]
