"""From a factory to a report."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Unpack

from latent.conformance._catalogue._named import agent_rule
from latent.conformance._driving._driver import refuse_running_loop
from latent.conformance._driving._factory import AgentFactory
from latent.conformance._driving._set_aside import set_aside
from latent.conformance._judging._carried import carried_by_factory
from latent.conformance._judging._judgement import Judgement
from latent.conformance._staging._stage import Limits
from latent.conformance._verdict._declarations import DeclarationOptions, Declarations, refuse_unknown
from latent.conformance._verdict._report import Report
from latent.conformance.harness import Harness, Script

__all__ = ["PROMPTS", "acheck_agent", "check_agent"]

PROMPTS = ("Say hello in one short sentence.",)
"""What an agent with its own model is asked where its author gives nothing."""


def check_agent(
    factory: AgentFactory,
    *,
    rule: str | None = None,
    prompts: Sequence[str] | None = None,
    timeout: float | None = None,
    examples: int | None = None,
    script: Script | None = None,
    **declarations: Unpack[DeclarationOptions],
) -> Report:
    """Drive a live agent through the kit's scripts, and judge what comes of it.

    `factory(harness)` builds an agent on the harness's model and tools; `factory()` builds one that
    has its own model and is asked the `prompts`. It is called again for each scenario. With `rule`,
    only that rule is judged. `timeout` is how many seconds a run may take, 10 by default.

    After the fixed scripts come generated ones: `examples` of them, by default 100 in process and 25 over HTTP,
    always the same; 0 for none. What breaks a rule is cut down to the shortest conversation that does.
    With `script`, that one alone is played, and the report is about what it shows.

    What is not given here, but `rule` and `script`, is looked for on the factory: `make_agent.capabilities = {...}`.

    Raises `FactoryError` where the factory gives no agent, `RuntimeError` inside a running loop, `ValueError` and
    `TypeError` for wrong options and declarations.
    """
    refuse_running_loop("check_agent", "await acheck_agent(...)")
    carried = carried_by_factory(factory)
    prompts = carried.get("prompts", PROMPTS) if prompts is None else prompts
    timeout = carried.get("timeout", 10.0) if timeout is None else timeout
    examples = carried.get("examples", None) if examples is None else examples
    rule = None if rule is None else agent_rule(rule).id
    _check_options(prompts, timeout, examples, script)
    refuse_unknown(declarations, "rule", "prompts", "timeout", "examples", "script")
    known = DeclarationOptions.__annotations__.keys()
    declared = Declarations.of(**{**{name: carried[name] for name in known & carried.keys()}, **declarations})
    limits = Limits(timeout=timeout, grace=min(timeout / 2, 2.0))
    odd_wire = "odd_wire" in (declared.capabilities or ())
    with set_aside(), Harness(patience=timeout * 2, grace=limits.grace, odd_wire=odd_wire) as harness:
        judgement = Judgement(factory, harness, declared, limits)
        if script is not None:
            judgement.replay(script)
        elif judgement.takes_harness:
            judgement.play_all(rule)
            judgement.explore(rule, examples)
        else:
            judgement.ask(prompts)
        return judgement.report(rule)


def _check_options(prompts: object, timeout: object, examples: object, script: object) -> None:
    texts = list(prompts) if isinstance(prompts, Sequence) and not isinstance(prompts, (str, bytes)) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"Expected prompts as a sequence of at least one text, got {prompts!r}")
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not 0 < timeout < float("inf"):
        raise ValueError(f"Expected a timeout of more than 0 seconds, got {timeout!r}")
    if examples is not None and (isinstance(examples, bool) or not isinstance(examples, int) or examples < 0):
        raise ValueError(f"Expected examples as a number from 0 on, got {examples!r}")
    if script is not None and not isinstance(script, Script):
        raise TypeError(f"Expected a Script, got {script!r}")


async def acheck_agent(
    factory: AgentFactory,
    *,
    rule: str | None = None,
    prompts: Sequence[str] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - it bounds each run of the agent, not this call
    examples: int | None = None,
    script: Script | None = None,
    **declarations: Unpack[DeclarationOptions],
) -> Report:
    """`check_agent` for use inside a running loop; the agent is driven in a thread, on loops of its own."""
    check = partial(check_agent, factory, rule=rule, prompts=prompts, timeout=timeout, examples=examples, script=script)
    return await asyncio.to_thread(partial(check, **declarations))
