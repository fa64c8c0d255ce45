"""The reference agent, as the conformance kit judges it.

    cd examples && pytest --latent-conformance --latent-agent=react_agent:make_agent

Needs latent-agents and latent-conformance.
"""

from latent.agents import ReActAgent
from latent.conformance import Harness


def make_agent(harness: Harness) -> ReActAgent:
    return ReActAgent(
        name="react",
        model=harness.model,
        tools=harness.tools,
        max_iterations=harness.max_iterations,
    )


# What the agent can do; the kit holds it to every word.
make_agent.capabilities = {"tools", "parallel_tools", "reasoning", "usage", "odd_wire", "think_tags", "virtual_time"}
