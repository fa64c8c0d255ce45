"""Tools: functions that a model may call."""

from latent.agents.tools._batch import ToolBatch
from latent.agents.tools._box import ToolBox
from latent.agents.tools._retry import ToolRetry
from latent.agents.tools._tool import Tool, tool

__all__ = ["Tool", "ToolBatch", "ToolBox", "ToolRetry", "tool"]
