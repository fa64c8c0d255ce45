"""Rows of what driving an agent shows: its shape, its failures, its state, its wrapper, its messages."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

_TOOLS = ("tools",)

_SHAPE = (
    row(
        "PROTO-1",
        "isinstance(agent, AgentProtocol) holds.",
        "Give the agent both methods, stream and invoke.",
        how=How.SHAPE,
    ),
    row(
        "PROTO-2",
        "agent.stream(messages), without await, gives an object that `async for` takes.",
        "Write stream as an async generator, or as a plain method that returns one; never `async def` with a return.",
        how=How.SCRIPT,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "PROTO-3",
        "invoke is a coroutine that returns InvokeResult, and takes config and stream_wrapper as optional keywords.",
        "Write `async def invoke(self, messages, *, stream_wrapper=None, config=None)`, and ignore unknown keys.",
        how=How.SCRIPT,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "PROTO-7",
        "Nothing is done before the first event is asked for.",
        "Start the model inside the generator, not when stream() is called.",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
    ),
    row(
        "PROTO-8",
        "reset, where there is one, is sync, returns None and does not change what stream and invoke yield.",
        "Have reset clear the convenience buffer only, and let stream and invoke never read that.",
        how=How.SCRIPT,
        shown_by=Door.CHANCE,
    ),
)

_FAILURE = (
    row(
        "ERR-3",
        "A run that failed is visible: Error comes last, or an exception leaves the iterator.",
        "Let no `except` end the run quietly: yield Error(message) and return, or raise.",
        how=How.SCRIPT,
        presumes=("PROTO-4",),
    ),
    row(
        "ERR-4",
        "Running out of iterations gives Error.",
        "After the loop's limit yield Error; never return as if the last step were the answer.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-4", "TOOL-9", "PROTO-4", "ERR-3"),
    ),
    row(
        "ERR-5",
        "Everything that happened before a failure is delivered before Error.",
        "Yield the ToolResult of each tool that ran, and what else happened, before Error: at the loop's limit too.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("TOOL-1", "TOOL-2", "TOOL-3", "TOOL-4", "TOOL-5", "STEP-7", "PROTO-4"),
    ),
    row(
        "ERR-6",
        "invoke of a run that failed cannot be mistaken for a success.",
        "Raise AgentError, or return a result whose error holds the message.",
        how=How.SCRIPT,
    ),
    row(
        "ERR-8",
        "The first cause of a failure is reported.",
        "Put the message of what failed first into Error, not a general one nor that of a later failure.",
        level=Level.SHOULD,
        how=How.SCRIPT,
    ),
    row(
        "ERR-9",
        "Cancellation is neither a success nor an Error.",
        "Catch Exception, not BaseException, around the run, and let CancelledError pass.",
        how=How.LIFECYCLE,
    ),
    row(
        "ERR-11",
        "Limits at the edge, such as no messages or no iterations, give Error or a clear ValueError.",
        "Check the messages before you use the last one, and let a limit of no iterations end in Error.",
        how=How.SCRIPT,
        presumes=("LIFE-2", "ERR-3", "ERR-4"),
    ),
)

_STATE = (
    row(
        "STATE-1",
        "Runs that overlap on one instance each equal their run alone.",
        "Keep everything of a run in local variables, nothing on the instance.",
        how=How.SCRIPT,
    ),
    row(
        "STATE-2",
        "The same input twice gives the same events and the same model input.",
        "Keep no conversation on the instance: build the model's input from the messages alone.",
        how=How.SCRIPT,
        presumes=("PROTO-4",),
    ),
    row(
        "STATE-3",
        "messages, its Message objects and config are not changed, also when the run fails.",
        "Work on a copy: `conversation = list(messages)`, and build new rows instead of changing given ones.",
        how=How.SCRIPT,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "STATE-4",
        "A failed or cancelled run leaves nothing behind.",
        "Keep what a run needs in local variables; what runs share, a lock, a place in a pool or a mark that a "
        "conversation is busy, is given back in a finally.",
        how=How.SCRIPT,
    ),
    row(
        "STATE-5",
        "stream and invoke see the same run: the same events and the same model input.",
        "Have invoke consume stream, and give it no loop of its own.",
        how=How.PAIR,
        shown_by=Door.HARNESS,
        presumes=("WRAP-5", "PROTO-3", "WRAP-1"),
    ),
    row(
        "STATE-6",
        "What config and the user say in one run never appears in another.",
        "Read config and messages where the run needs them, and store nothing of them on the instance.",
        how=How.SCRIPT,
    ),
    row(
        "STATE-7",
        "Results do not alias the agent's state: changing one does not change a later run.",
        "Build each result from fresh lists, and keep none of it on the instance.",
        level=Level.SHOULD,
        how=How.SCRIPT,
    ),
    row(
        "STATE-8",
        "The model sees every given message once, in order, in each request.",
        "Send the whole history, as it was given, after your own system text.",
        how=How.SCRIPT,
        presumes=("STATE-3",),
    ),
    row(
        "STATE-9",
        "reset, where there is one, does not disturb a run that is under way.",
        "Keep what a run needs in local variables, where reset cannot reach it.",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
        shown_by=Door.CHANCE,
    ),
    row(
        "MSG-4",
        "A history made from the agent's own steps is accepted, and sent to the model unchanged.",
        "Send calls and results back with their ids and texts as they are in the history.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("STATE-3", "STATE-8", "MSG-5"),
    ),
    row(
        "MSG-5",
        "What is sent to the model in a later step is safe: each call as it was made, answered once, right after it.",
        "Append the assistant's row with all its calls, then one row for each result, before the next request.",
        how=How.SCRIPT,
        needs=_TOOLS,
        presumes=("STATE-3", "STATE-8"),
    ),
)

_WRAPPER = (
    row(
        "WRAP-2",
        "The wrapper sees what stream yields: the same events in the same order.",
        "Hand self.stream(...) itself to the wrapper, with nothing filtered or added.",
        how=How.PAIR,
        shown_by=Door.HARNESS,
    ),
    row(
        "WRAP-4",
        "A wrapper that changes nothing changes nothing: the result equals that without one.",
        "Build the result in one place, whether there is a wrapper or not.",
        how=How.PAIR,
        shown_by=Door.HARNESS,
    ),
    row(
        "WRAP-5",
        "On success the wrapper is driven to its end.",
        "Iterate over the wrapper until it ends, and do not stop at what looks like the last event.",
        how=How.LIFECYCLE,
    ),
    row(
        "WRAP-6",
        "An exception of the wrapper propagates.",
        "Let what the wrapper raises leave invoke; do not turn it into a result.",
        how=How.LIFECYCLE,
    ),
    row(
        "WRAP-7",
        "When invoke is cancelled, the wrapper has been closed.",
        "Close the wrapper's iterator in a finally, in the task that runs invoke.",
        how=How.LIFECYCLE,
        yields_to=("LIFE-2",),
    ),
    row(
        "WRAP-9",
        "The wrapper of one call is not used by another call, nor by stream.",
        "Pass stream_wrapper on as an argument; never store it on the instance.",
        how=How.SCRIPT,
    ),
)

ROWS: tuple[Rule, ...] = (*_SHAPE, *_FAILURE, *_STATE, *_WRAPPER)
