"""`@retriever`: queries that show in the stream of the run that makes them."""

from latent.retriever._collector import CURRENT_COLLECTOR, Collector, own_collector
from latent.retriever._retriever import retriever
from latent.retriever._stream import with_retrievals

__all__ = ["CURRENT_COLLECTOR", "Collector", "own_collector", "retriever", "with_retrievals"]
