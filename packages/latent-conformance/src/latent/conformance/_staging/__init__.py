"""Where a scenario is played: it drives the agent, and has what was seen judged."""
