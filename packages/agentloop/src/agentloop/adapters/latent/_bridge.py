"""Histories and runs as transcripts, and back."""

from __future__ import annotations

from collections.abc import Iterable

from agentloop.adapters.latent._held import held_error, held_rows, held_step, hold_rows, hold_step
from agentloop.adapters.latent._read import read_group, read_step
from agentloop.adapters.latent._write import write_rows, write_step
from agentloop.transcript import Message, ToolCallPart, ToolResultPart, Transcript
from latent.protocol import InvokeResult, Step
from latent.protocol import Message as Row

__all__ = ["from_latent", "to_invoke_result", "to_latent"]


def from_latent(source: InvokeResult | Iterable[Row]) -> Transcript:
    """Return the transcript of a run, or of the rows of a history.

    Neighbouring tool rows become one user message. Reasoning becomes thinking that goes back to no model. Rows that
    pair up give a transcript that passes `check_invariants`; other rows are kept as they are, not repaired. Arguments
    are parsed; their text is kept where it is not the JSON form of what it says.

    Raises `ValueError` with the number of the row, counted from 0, for a row that no message can hold: a tool row or
    a call without an id, a role that is not system, developer, user, assistant or tool, or text that UTF-8 cannot
    carry; and where there are system rows only.
    """
    if isinstance(source, InvokeResult):
        return _from_result(source)
    transcript = Transcript()
    calls: dict[str, str] = {}
    for first, group in _groups(list(source)):
        try:
            message = read_group(group, calls)
            if write_rows(message) != group:
                message = hold_rows(message, group)
        except ValueError as error:
            raise ValueError(f"row {first}: {error}") from error
        transcript.messages.append(message)
    return transcript


def to_latent(transcript: Transcript) -> list[Row]:
    """Return the rows of a transcript, without checking it.

    Rows that came from `from_latent` come back equal. Of other messages, thinking, hosted tools and citations are
    lost, and an error result begins with `Error: `, because a row has no place for them.
    """
    rows: list[Row] = []
    step = 0
    for message in transcript.messages:
        held = held_rows(message)
        if held is not None:
            rows += held
        elif (kept := held_step(message)) is not None:
            rows += Step(step=step, text=kept.text, tool_calls=kept.tool_calls).to_messages()
        else:
            rows += write_rows(message)
    return rows


def to_invoke_result(transcript: Transcript) -> InvokeResult:
    """Return the run that a transcript tells of: one step for each assistant message, with the results after it.

    Steps are numbered from 0, unless they came from `from_latent` with other numbers. User messages without results
    are no part of a run and are left out.
    """
    steps: list[Step] = []
    error: str | None = None
    for message in transcript.messages:
        if message.role == "assistant":
            steps.append(held_step(message) or write_step(message, len(steps)))
            told = held_error(message)
            error = error if told is None else told
        elif steps and any(isinstance(part, ToolResultPart) for part in message.content):
            steps[-1].tool_messages += [
                row for row in (held_rows(message) or write_rows(message)) if row.role == "tool"
            ]
    return InvokeResult(text=steps[-1].text if steps else "", steps=steps, error=error)


def _from_result(result: InvokeResult) -> Transcript:
    transcript = Transcript()
    for index, step in enumerate(result.steps):
        error = result.error if index == len(result.steps) - 1 else None
        try:
            transcript.messages += _step_messages(step, index, error)
        except ValueError as problem:
            raise ValueError(f"step {index}: {problem}") from problem
    return transcript


def _step_messages(step: Step, index: int, error: str | None) -> list[Message]:
    said = Step(step=step.step, reasoning=step.reasoning, text=step.text, tool_calls=step.tool_calls)
    message = read_step(said)
    is_told = write_step(message, index) == said and write_rows(message) == said.to_messages()
    if not is_told or error is not None:
        message = hold_step(message, said, error)
    if not step.tool_messages:
        return [message]
    names = {part.call_id: part.tool_name for part in message.content if isinstance(part, ToolCallPart)}
    answer = read_group(step.tool_messages, names)
    if write_rows(answer) != step.tool_messages:
        answer = hold_rows(answer, step.tool_messages)
    return [message, answer]


def _groups(rows: list[Row]) -> list[tuple[int, list[Row]]]:
    """Return the rows that make one message each, with the number of the first row.

    Rows for the system belong to no message of their own: they go with the row that follows, or else the last.
    """
    groups: list[tuple[int, list[Row]]] = []
    open_group: list[Row] = []
    for number, row in enumerate(rows):
        if not isinstance(row, Row):
            raise TypeError(f"row {number}: Expected a latent.protocol Message, got {type(row).__name__}")
        if row.role in ("system", "developer"):
            open_group.append(row)
        elif row.role == "tool" and groups and not open_group and groups[-1][1][-1].role == "tool":
            groups[-1][1].append(row)
        else:
            groups.append((number - len(open_group), [*open_group, row]))
            open_group = []
    if open_group:
        if not groups:
            raise ValueError("Expected a user, assistant or tool row, got system rows only")
        groups[-1][1].extend(open_group)
    return groups
