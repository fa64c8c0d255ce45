"""Reference agents over one model port, their tools, and what observes them."""

from latent.agents._base import BaseAgent
from latent.agents._guided import GuidedAgent
from latent.agents._guideline import Guideline, Predicate
from latent.agents._journey import Journey, JourneyStep
from latent.agents._metrics import CallMetrics, collect_call_metrics
from latent.agents._model_verifier import ModelVerifier
from latent.agents._phase import END, Phase, Route
from latent.agents._pipeline import PipelineAgent
from latent.agents._react import ReActAgent, ReActOptions
from latent.agents._verification import Verifier
from latent.agents.models import (
    EchoModel,
    FunctionModel,
    LiteLLMModel,
    Model,
    ModelError,
    ModelFunction,
    OpenAICompatibleModel,
    ScriptedModel,
    ScriptedTurn,
)
from latent.agents.tools import Tool, ToolRetry, tool

__all__ = [
    "END",
    "BaseAgent",
    "CallMetrics",
    "EchoModel",
    "FunctionModel",
    "GuidedAgent",
    "Guideline",
    "Journey",
    "JourneyStep",
    "LiteLLMModel",
    "Model",
    "ModelError",
    "ModelFunction",
    "ModelVerifier",
    "OpenAICompatibleModel",
    "Phase",
    "PipelineAgent",
    "Predicate",
    "ReActAgent",
    "ReActOptions",
    "Route",
    "ScriptedModel",
    "ScriptedTurn",
    "Tool",
    "ToolRetry",
    "Verifier",
    "collect_call_metrics",
    "tool",
]
