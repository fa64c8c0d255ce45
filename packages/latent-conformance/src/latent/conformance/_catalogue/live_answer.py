"""Rows of what a played conversation shows: text, tools, model calls, usage."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

_TOOLS = ("tools",)
_PARALLEL = ("tools", "parallel_tools")

_NESTED = (
    row(
        "STEP-10",
        "The events of an agent that runs inside a tool stay there: they are no part of the outer stream.",
        "Collect events in the run itself; where a ContextVar carries them, set it anew for each run.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=_TOOLS,
    ),
    row(
        "USAGE-9",
        "The tokens of an agent inside another are counted once, in its own stream.",
        "Report the tokens of the run's own calls alone; whoever sums up a tree of runs adds the inner ones.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=("tools", "usage"),
        yields_to=("STEP-10",),
    ),
)

_TEXT = (
    row(
        "TEXT-6",
        "TextDelta carries customer-facing text only: no tool arguments, tool output or call markup.",
        "Turn only the content of the model's message into TextDelta; calls go into ToolCall, outputs into ToolResult.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("STEP-4", "PROTO-5"),
    ),
    row(
        "TEXT-7",
        "Reasoning is in ReasoningDelta only.",
        "Keep the model's reasoning apart from its content, and yield it as ReasoningDelta.",
        how=How.SCRIPT,
        needs=("reasoning",),
        presumes=("STEP-1", "STEP-9"),
    ),
    row(
        "TEXT-11",
        "A retried model call leaves no text of the failed attempt before the new text.",
        "Retry only while nothing of the attempt was yielded; after the first delta, end in Error.",
        how=How.SCRIPT,
        shown_by=Door.CHANCE,
    ),
    row(
        "TEXT-12",
        "Empty or whitespace text before a tool call neither ends the loop nor becomes the answer.",
        "Decide by the calls of the response whether the loop goes on, never by its text.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("STEP-4", "TOOL-9", "PROTO-4"),
    ),
)

_TOOL = (
    row(
        "TOOL-8",
        "ToolCall is emitted when its arguments are complete, and before the tool runs.",
        "Yield ToolCall first, and start the tool when the consumer asks for the next event.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-3", "PROTO-4"),
        yields_to=("TOOL-6", "TOOL-7", "TOOL-10"),
    ),
    row(
        "TOOL-9",
        "The fragments of a tool call are assembled per call, also where parallel calls are interleaved.",
        "Collect fragments in a slot for each index, and append arguments to the slot that the fragment names.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-3", "TOOL-4", "PROTO-4"),
        yields_to=("TOOL-6", "TOOL-7", "TOOL-10"),
    ),
    row(
        "TOOL-14",
        "A tool that raises gives a ToolResult with an error that is not empty, and the loop goes on.",
        "Catch what the tool raises, a CancelledError of its own included, and give its message or its type as error.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-1", "TOOL-2", "TOOL-3", "TOOL-4", "TOOL-5", "STEP-7", "TOOL-8", "TOOL-9", "PROTO-4"),
    ),
    row(
        "TOOL-15",
        "An output of None, '', [], 0 or False still gives a ToolResult and a tool row.",
        "Yield a ToolResult for each call, whatever the output is; test for errors with `is not None`.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=(
            "TOOL-1",
            "TOOL-2",
            "TOOL-3",
            "TOOL-4",
            "TOOL-5",
            "STEP-7",
            "TOOL-9",
            "TOOL-11",
            "TOOL-12",
            "MSG-2",
            "STEP-6",
            "PROTO-4",
        ),
    ),
    row(
        "TOOL-16",
        "ToolResult.output keeps the value as the tool returned it.",
        "Put the tool's return value into ToolResult.output, and make text of it only in the row for the model.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-1", "TOOL-2", "TOOL-3", "TOOL-5"),
    ),
    row(
        "TOOL-18",
        "A call of an unknown tool gives a ToolResult with an error, and the loop goes on.",
        "Answer a name that you do not know with ToolResult(error=...), so that the model can correct itself.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=(
            "TOOL-1",
            "TOOL-2",
            "TOOL-3",
            "TOOL-4",
            "TOOL-5",
            "STEP-7",
            "TOOL-9",
            "TOOL-10",
            "TOOL-14",
            "PROTO-4",
        ),
    ),
    row(
        "TOOL-19",
        "Arguments that do not parse never run the tool; the model gets an error result, and the text is kept.",
        "Parse before you run; on failure keep the text under a reserved key and answer with ToolResult(error=...).",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=(
            "TOOL-1",
            "TOOL-2",
            "TOOL-3",
            "TOOL-4",
            "TOOL-5",
            "STEP-7",
            "TOOL-6",
            "TOOL-7",
            "TOOL-8",
            "TOOL-14",
            "PROTO-4",
            "TOOL-9",
        ),
    ),
    row(
        "TOOL-20",
        "Calls of a response that the token limit cut off are not executed.",
        'Look at finish_reason: with "length", answer the calls with an error instead of running them.',
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=_TOOLS,
    ),
    row(
        "TOOL-21",
        "Parallel calls of one tool are paired with their results by id.",
        "Carry the call's id to its result; never pair by the tool's name or by the order in which tools finish.",
        how=How.SCRIPT,
        needs=_PARALLEL,
    ),
    row(
        "TOOL-22",
        "One failing call of a batch does not lose the results of the others.",
        "Catch what each tool of the batch raises by itself, and wait for all of them.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=_PARALLEL,
        presumes=("TOOL-1", "TOOL-2", "TOOL-3", "TOOL-4", "TOOL-5", "STEP-7", "TOOL-14", "PROTO-4"),
    ),
    row(
        "TOOL-23",
        "Each call runs its tool at most once.",
        "Run a call in one place only, and never again on a retry of the model or of the step.",
        how=How.SCRIPT,
        needs=_TOOLS,
    ),
)

_MODEL = (
    row(
        "CALL-10",
        "There is one pair of LLMCallStart and LLMCallEnd for each call of the model.",
        "Yield the pair around every request, retries and verification included.",
        how=How.SCRIPT,
    ),
    row(
        "USAGE-5",
        "Of usage that is told several times in one answer, the last figure is reported.",
        "Overwrite the usage with each chunk that has one, and report it once when the answer ends.",
        how=How.SCRIPT,
        needs=("usage", "odd_wire"),
        yields_to=("CALL-3", "CALL-8", "CALL-10", "USAGE-4"),
    ),
    row(
        "USAGE-7",
        "Tokens are reported where the model reports them.",
        "Ask for usage when streaming (stream_options.include_usage), and put it into LLMCallEnd and Usage.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=("usage",),
        yields_to=("CALL-3", "CALL-10", "USAGE-4"),
    ),
    row(
        "USAGE-8",
        "The usage of a finished model call is emitted before the next thing happens.",
        "Yield Usage and LLMCallEnd as soon as the answer ends, so that a later failure does not lose them.",
        level=Level.SHOULD,
        how=How.SCRIPT,
        needs=("usage", "tools"),
        yields_to=("CALL-3", "USAGE-3"),
    ),
)

ROWS: tuple[Rule, ...] = (*_NESTED, *_TEXT, *_TOOL, *_MODEL)
