"""Rules about helpers of libraries: never in an agent's verdict, and each judged by a function of its own."""

from __future__ import annotations

from functools import partial

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

_row = partial(row, how=How.CALL, shown_by=Door.RECORDING, about="library")

ROWS: tuple[Rule, ...] = (
    _row(
        "PROTO-10",
        "What consumes events accepts subclasses of AgentEvent that it does not know.",
        "Let events of unknown classes pass: end the dispatch with a branch that does nothing.",
    ),
    _row(
        "CALL-7",
        "Metrics pair starts and ends by run_id, sum overlapping calls, ignore unpaired ones, and are never negative.",
        "Keep the open starts in a dict by run_id, and add max(0, end - start) where both timestamps are known.",
    ),
    _row(
        "USAGE-2",
        "uncached_input_tokens is the input less what was written to and read from the cache, and never negative.",
        "Compute max(0, input_tokens - cache_creation_input_tokens - cache_read_input_tokens).",
    ),
    _row(
        "USAGE-6",
        "total_tokens is the input and the output: cached tokens and reasoning are parts of them.",
        "Add input_tokens and output_tokens, and nothing else.",
    ),
    _row(
        "USAGE-10",
        "Metrics read tokens from LLMCallEnd alone, so that Usage events change nothing.",
        "Sum the tokens of LLMCallEnd, and skip Usage, which repeats them.",
    ),
    _row(
        "RETR-2",
        "A retriever that raises closes its pair, without documents, and the exception goes on.",
        "Yield the end in the handler of the failure, with an empty list, and raise again.",
        level=Level.SHOULD,
    ),
    _row(
        "RETR-6",
        "Parallel queries and concurrent runs keep their pairs apart, and each event reaches its own run's stream.",
        "Hold the run's collector in a ContextVar that each run sets for itself, and a query's run_id in a local name.",
    ),
    _row(
        "RETR-7",
        "A decorated retriever works outside of any run, and emits nothing there.",
        "Where no run is under way, call the function and report nothing: neither raise nor keep events for later.",
        level=Level.SHOULD,
    ),
    _row(
        "GUIDE-3",
        "conversation_id is that of config, where there is one.",
        "Copy config['conversation_id'] into each event of a journey, and keep it nowhere else.",
        level=Level.SHOULD,
    ),
    _row(
        "META-1",
        "Metadata holds str, bool, finite float and 64-bit int in an immutable copy; its target is 'turn' or 'step'.",
        "Check and copy the mapping when the object is built, and refuse everything else with the name of the key.",
    ),
    _row(
        "MSG-8",
        "What trims a history never parts a call from its results.",
        "Cut before a user's row, or take the row of the calls out together with the rows that answer it.",
        level=Level.SHOULD,
    ),
    _row(
        "SINK-1",
        "The middleware hands on the same event objects in the same order.",
        "Yield each event as it came; copy it only for what a sink wants to change.",
    ),
    _row(
        "SINK-2",
        "Each sink gets every event once, in order, Error included.",
        "Await emit of every sink for every event, before the event is handed on.",
    ),
    _row(
        "SINK-3",
        "A sink that raises is logged: the stream, the other sinks and its own later events are not touched.",
        "Guard each emit by itself with `except Exception`, log it, and go on.",
    ),
    _row(
        "SINK-4",
        "The guard around sinks does not swallow the cancellation of the run.",
        "Catch Exception and not BaseException, so that CancelledError leaves.",
    ),
    _row(
        "SINK-5",
        "The wrapped agent is one too: invoke mirrors events, passes config and stream_wrapper, gives an equal result.",
        "Call the agent's invoke with a wrapper that mirrors the events and then applies the caller's own.",
    ),
    _row(
        "SINK-6",
        "A slow sink neither reorders events nor lets memory grow without bound.",
        "Await each emit before the next event is asked for, or put a bounded queue between; never a task per event.",
        level=Level.SHOULD,
    ),
    _row(
        "SINK-7",
        "A sink for OpenTelemetry does nothing without its API or a recording span, writes primitives, leaves context.",
        "Look for the API and a recording span first; write str, bool, int and float, leave None out, attach nothing.",
    ),
    _row(
        "SINK-8",
        "max_text_chars shortens the copy that is logged and nothing else.",
        "Cut the text on its way into the record; leave the event and what it holds alone.",
    ),
    _row(
        "SINK-9",
        "A sink gets an event before the consumer does.",
        "Emit before the yield, so that an early exit has been recorded.",
        level=Level.SHOULD,
    ),
    _row(
        "SINK-10",
        "Closing the wrapped stream closes the agent's stream.",
        "Iterate over the agent's stream within contextlib.aclosing.",
    ),
    _row(
        "ADAPT-1",
        "Open frames of text and reasoning are closed before a tool's, a step's end, an error and the run's end.",
        "Keep the open frame, close it before anything else is written, and give the next one another id.",
        level=Level.SHOULD,
    ),
)
