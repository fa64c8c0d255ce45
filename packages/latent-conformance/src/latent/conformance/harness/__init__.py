"""The harness: what the kit owns while it judges an agent.

`Harness` is what an author's factory gets. A `Script` says what the model and the tools do in one
conversation; it is data, and the same script is played in process and over loopback.
"""

from latent.conformance.harness._conversation import CALLER, Conversation, Entry, Request
from latent.conformance.harness._gate import Gate
from latent.conformance.harness._harness import Harness
from latent.conformance.harness._model import HarnessModel
from latent.conformance.harness._playback import ModelError, Playback
from latent.conformance.harness._script import (
    TOKEN,
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Pause,
    Piece,
    PlannedCall,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
)
from latent.conformance.harness._tools import HarnessTool
from latent.conformance.harness._turns import asks, call_id, planned, says

__all__ = [
    "CALLER",
    "TOKEN",
    "Conversation",
    "Deed",
    "Entry",
    "Fail",
    "Finish",
    "Fragment",
    "Gate",
    "Harness",
    "HarnessModel",
    "HarnessTool",
    "Hold",
    "ModelError",
    "Pause",
    "Piece",
    "PlannedCall",
    "Playback",
    "Reasoning",
    "Request",
    "Script",
    "Text",
    "Tokens",
    "Turn",
    "asks",
    "call_id",
    "planned",
    "says",
]
