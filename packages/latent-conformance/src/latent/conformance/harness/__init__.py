"""The harness: what the kit owns while it judges an agent.

`Harness` is what an author's factory gets. A `Script` says what the model and the tools do in one
conversation; it is data, and the same script is played in process and over loopback.
"""

from latent.conformance.harness._chunks import Spoken
from latent.conformance.harness._conversation import CALLER, Conversation, Entry, Outcome, Request, Way
from latent.conformance.harness._gate import Gate
from latent.conformance.harness._harness import Harness
from latent.conformance.harness._model import AuxiliaryModel, HarnessModel
from latent.conformance.harness._playback import ModelError, Playback
from latent.conformance.harness._raised import Raised
from latent.conformance.harness._saved import (
    SCRIPT_VERSION,
    ScriptError,
    decode_script,
    encode_script,
    load_script,
    save_script,
)
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
from latent.conformance.harness._told import told
from latent.conformance.harness._tools import HarnessTool
from latent.conformance.harness._turns import asks, call_id, planned, says

__all__ = [
    "CALLER",
    "SCRIPT_VERSION",
    "TOKEN",
    "AuxiliaryModel",
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
    "Outcome",
    "Pause",
    "Piece",
    "PlannedCall",
    "Playback",
    "Raised",
    "Reasoning",
    "Request",
    "Script",
    "ScriptError",
    "Spoken",
    "Text",
    "Tokens",
    "Turn",
    "Way",
    "asks",
    "call_id",
    "decode_script",
    "encode_script",
    "load_script",
    "planned",
    "save_script",
    "says",
    "told",
]
