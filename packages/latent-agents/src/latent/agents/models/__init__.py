"""Models behind the port: scripted ones that need nothing, and the doors to real ones."""

from latent.agents.models._echo import EchoModel
from latent.agents.models._errors import ModelError
from latent.agents.models._function import FunctionModel, ModelFunction
from latent.agents.models._litellm import LiteLLMModel
from latent.agents.models._openai import OpenAICompatibleModel
from latent.agents.models._port import Model
from latent.agents.models._resolve import check_available, resolve_model
from latent.agents.models._scripted import ScriptedModel
from latent.agents.models._turn import ScriptedTurn, TurnLike

__all__ = [
    "EchoModel",
    "FunctionModel",
    "LiteLLMModel",
    "Model",
    "ModelError",
    "ModelFunction",
    "OpenAICompatibleModel",
    "ScriptedModel",
    "ScriptedTurn",
    "TurnLike",
    "check_available",
    "resolve_model",
]
