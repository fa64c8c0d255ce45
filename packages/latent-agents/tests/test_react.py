"""The loop: what it yields, what it sends, and how it ends."""

import asyncio
from copy import deepcopy

import pytest

from latent.agents import FunctionModel, ReActAgent, ScriptedModel, ScriptedTurn
from latent.protocol import (
    AgentError,
    Error,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    ReasoningDelta,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
)

HI = [Message("user", "hi")]
LOOK = ToolCall.from_arguments("1", "look", {"q": "x"})


def look(q: str) -> str:
    """Look it up."""
    return q.upper()


class Recording:
    """A scripted model that keeps what it is sent."""

    def __init__(self, turns, model_id="recording"):
        self.model_id = model_id
        self.requests = []
        self._model = ScriptedModel(turns, model_id=model_id)

    async def stream(self, messages, *, tools=(), **options):
        self.requests.append(deepcopy(messages))
        async for chunk in self._model.stream(messages, tools=tools, **options):
            yield chunk


async def events_of(agent, history=HI, config=None):
    return [event async for event in agent.stream(history, config=config)]


def without_times(events):
    """The events with run ids and timestamps left out, and previews of the model calls kept."""
    plain = []
    for event in events:
        match event:
            case LLMCallStart():
                plain.append(LLMCallStart("", event.input_preview, event.model_id))
            case LLMCallEnd():
                plain.append(
                    LLMCallEnd("", event.output_preview, event.input_tokens, event.output_tokens, event.model_id)
                )
            case _:
                plain.append(event)
    return plain


@pytest.mark.asyncio
async def test_a_run_with_a_tool_from_beginning_to_end():
    turns = [ScriptedTurn("Look: ", reasoning="hm", tool_calls=[LOOK], input_tokens=5, output_tokens=2), ["X", "!"]]
    agent = ReActAgent("a", ScriptedModel(turns), tools=[look])

    assert without_times(await events_of(agent)) == [
        StepBoundary(0),
        LLMCallStart("", "hi", "scripted"),
        ReasoningDelta("hm"),
        TextDelta("Look: "),
        Usage(5, 2, "scripted"),
        LLMCallEnd("", "Look: ", 5, 2, "scripted"),
        LOOK,
        ToolResult("1", "X"),
        StepBoundary(1),
        LLMCallStart("", "X", "scripted"),
        TextDelta("X"),
        TextDelta("!"),
        LLMCallEnd("", "X!", 0, 0, "scripted"),
    ]
    assert await agent.invoke(HI) == InvokeResult(
        "X!", [Step(0, "hm", "Look: ", [LOOK], [Message("tool", "X", tool_call_id="1")]), Step(1, text="X!")]
    )


@pytest.mark.asyncio
async def test_the_model_sees_the_history_its_calls_and_their_results():
    parts = [{"type": "text", "text": "see"}]
    history = [Message("user", parts, id="m1"), Message("assistant", "ok", tool_calls=[]), Message("user", "hi")]
    model = Recording([None, ScriptedTurn(tool_calls=[LOOK]), "X"])

    await ReActAgent("a", model, tools=[look], instructions="Be brief.").invoke(history)

    first = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "hi"},
    ]
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"q":"x"}'}}
    assert model.requests == [
        first,
        [
            *first,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "X", "tool_call_id": "1"},
        ],
    ]


@pytest.mark.asyncio
async def test_a_run_continues_from_the_rows_of_the_run_before():
    model = Recording([ScriptedTurn("a", tool_calls=[LOOK]), "X", "again"])
    agent = ReActAgent("a", model, tools=[look])
    result = await agent.invoke(HI)

    again = await agent.invoke([*HI, *result.to_messages(), Message("user", "more")])

    assert again.text == "again"
    assert model.requests[2][: len(model.requests[1])] == model.requests[1]


@pytest.mark.asyncio
async def test_a_model_that_changes_its_rows_changes_nothing_else():
    def vandal(messages, tools):
        for row in messages:
            if isinstance(row["content"], list):
                row["content"].clear()
            row.clear()
        messages.clear()
        seen.append(deepcopy(tools))
        for definition in tools:
            definition.clear()
        return "ok"

    seen = []
    history = [Message("user", [{"type": "text", "text": "see"}]), *HI]
    kept = deepcopy(history)
    agent = ReActAgent("a", FunctionModel(vandal), tools=[look])

    await agent.invoke(history)
    await agent.invoke(history)

    assert history == kept
    assert seen[0] == seen[1] != [{}]


@pytest.mark.asyncio
async def test_an_id_that_the_conversation_has_is_replaced():
    history = [*HI, Message("assistant", tool_calls=[LOOK]), Message("tool", "X", tool_call_id="1"), *HI]
    model = Recording([None, ScriptedTurn(tool_calls=[LOOK]), ScriptedTurn(tool_calls=[LOOK]), "done"])

    result = await ReActAgent("a", model, tools=[look]).invoke(history)
    ids = [call.id for step in result.steps for call in step.tool_calls]

    assert len({"1", *ids}) == 3
    assert [row["tool_call_id"] for row in model.requests[-1] if row["role"] == "tool"] == ["1", *ids]


@pytest.mark.asyncio
async def test_malformed_arguments_are_answered_and_never_run():
    ran = []

    def act(x: int = 0) -> None:
        ran.append(x)

    bad = ToolCall("1", FunctionCall("act", '{"x": 1'))
    agent = ReActAgent("a", ScriptedModel([ScriptedTurn(tool_calls=[bad]), "ok"]), tools=[act])
    events = await events_of(agent)

    assert ToolCall("1", FunctionCall("act", '{"raw_arguments":"{\\"x\\": 1"}')) in events
    (result,) = (event for event in events if isinstance(event, ToolResult))
    assert "no valid JSON" in result.error
    assert ran == []


@pytest.mark.asyncio
async def test_calls_of_a_truncated_response_do_not_run_and_the_loop_goes_on():
    ran = []

    def act() -> None:
        ran.append(1)

    cut = ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "act", None)], finish_reason="length")
    events = await events_of(ReActAgent("a", ScriptedModel([cut, "ok"]), tools=[act]))

    assert Metadata({"finish_reason": "length"}, "step") in events
    assert any(isinstance(event, ToolResult) and "cut off" in event.error for event in events)
    assert (ran, events[-2]) == ([], TextDelta("ok"))


@pytest.mark.asyncio
async def test_running_out_of_iterations_delivers_everything_and_then_fails():
    endless = FunctionModel(lambda messages, tools: ScriptedTurn(tool_calls=[LOOK]))
    agent = ReActAgent("a", endless, tools=[look], max_iterations=2)
    events = await events_of(agent)

    assert [event.step for event in events if isinstance(event, StepBoundary)] == [0, 1]
    assert sum(isinstance(event, ToolResult) for event in events) == 2
    assert events[-2:] == [events[-2], Error("No final answer within 2 iterations")]
    with pytest.raises(AgentError, match="within 2 iterations") as raised:
        await agent.invoke(HI)
    assert len(raised.value.result.steps) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["", "so far"])
async def test_a_failing_model_closes_its_call_and_ends_in_error(text):
    failing = ScriptedTurn(text, error=ConnectionError("gone"))
    events = await events_of(ReActAgent("a", ScriptedModel([ScriptedTurn(tool_calls=[LOOK]), failing]), tools=[look]))

    assert [type(event) for event in events[-2:]] == [LLMCallEnd, Error]
    assert events[-1] == Error("ConnectionError: gone")


@pytest.mark.asyncio
async def test_usage_reported_before_a_failure_is_kept():
    async def partial(messages, tools):
        yield {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}
        raise ConnectionError

    events = await events_of(ReActAgent("a", FunctionModel(partial)))

    assert events[2] == Usage(7, 1, "function")
    assert (events[3].input_tokens, events[3].output_tokens) == (7, 1)
    assert events[4:] == [Error("ConnectionError")]


@pytest.mark.asyncio
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_rejected_answer_is_followed_by_another_step(is_async):
    seen = []

    def judge(messages, text):
        seen.append((list(messages), text))
        accepted = text == "right"
        return VerificationResult(accepted, None if accepted else "Try again", ["look"])

    async def judge_later(messages, text):
        return judge(messages, text)

    model = Recording(["wrong", "right"])
    agent = ReActAgent("a", model, instructions="I", verifier=judge_later if is_async else judge)
    events = await events_of(agent)

    assert [event for event in events if not isinstance(event, (LLMCallStart, LLMCallEnd))] == [
        StepBoundary(0),
        TextDelta("wrong"),
        VerificationResult(False, "Try again", ["look"]),
        StepBoundary(1),
        TextDelta("right"),
        VerificationResult(True, None, ["look"]),
    ]
    rows = [{"role": "assistant", "content": "wrong"}, {"role": "user", "content": "Try again"}]
    assert model.requests[1][-2:] == rows
    assert seen[0] == (HI, "wrong")
    assert seen[1] == ([*HI, Message("assistant", "wrong"), Message("user", "Try again")], "right")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        (VerificationResult(False), "No final answer within 1 iterations"),
        ("yes", "TypeError: Expected a VerificationResult from the verifier, got `str`"),
        (ValueError("no"), "ValueError: no"),
        (asyncio.CancelledError(), "RuntimeError: what the run waited for was cancelled by itself"),
    ],
)
async def test_an_answer_that_cannot_be_verified_fails_the_run(verdict, message):
    async def judge(messages, text):
        if isinstance(verdict, BaseException):
            raise verdict
        return verdict

    events = await events_of(ReActAgent("a", ScriptedModel(["a", "b"]), max_iterations=1, verifier=judge))

    assert events[-1] == Error(message)


@pytest.mark.asyncio
async def test_an_answer_without_text_has_nothing_to_verify():
    events = await events_of(ReActAgent("a", ScriptedModel([""]), verifier=lambda messages, text: 1 // 0))

    assert [type(event) for event in events] == [StepBoundary, LLMCallStart, LLMCallEnd]


@pytest.mark.asyncio
async def test_ask_keeps_a_conversation_until_it_is_reset():
    model = Recording(["one", "two"])
    agent = ReActAgent("a", model)

    assert [(await agent.ask("a")).text, (await agent.ask("b")).text] == ["one", "two"]
    assert [row["content"] for row in model.requests[1]] == ["a", "one", "b"]

    assert (await agent.invoke(HI)).text == "one"
    agent.reset()
    assert (await agent.ask("c")).text == "one"
    assert [row["content"] for row in model.requests[-1]] == ["c"]


@pytest.mark.asyncio
async def test_a_failed_ask_leaves_the_conversation_as_it_was():
    model = Recording(["one", ScriptedTurn(error=ConnectionError("gone"))])
    agent = ReActAgent("a", model)
    await agent.ask("a")

    for _ in range(2):
        with pytest.raises(AgentError, match="gone"):
            await agent.ask("b")

    assert [row["content"] for row in model.requests[-1]] == ["a", "one", "b"]


@pytest.mark.asyncio
async def test_overlapping_asks_are_refused_and_a_reset_meanwhile_stays():
    gate = asyncio.Event()
    model = FunctionModel(lambda messages, tools: answer(messages))

    async def answer(messages):
        await gate.wait()
        return str(len(messages))

    agent = ReActAgent("a", model)
    first = asyncio.ensure_future(agent.ask("a"))
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="one ask"):
        await agent.ask("b")
    agent.reset()
    gate.set()

    assert (await first).text == "1"
    assert (await agent.ask("c")).text == "1"


def test_arguments_that_cannot_work_are_refused():
    model = ScriptedModel([])
    for count in (0, -1, True, 1.5):
        with pytest.raises(ValueError, match="max_iterations"):
            ReActAgent("a", model, max_iterations=count)
    with pytest.raises(TypeError, match="verifier"):
        ReActAgent("a", model, verifier="yes")
    with pytest.raises(ValueError, match="name"):
        ReActAgent("", model)
    with pytest.raises(TypeError, match="model"):
        ReActAgent("a", None)


@pytest.mark.asyncio
async def test_what_the_assembler_holds_back_comes_out_at_the_end():
    result = await ReActAgent("a", ScriptedModel([["<thi"]])).invoke(HI)

    assert result.text == "<thi"


@pytest.mark.asyncio
async def test_what_the_assembler_holds_back_comes_out_of_a_call_that_fails():
    async def breaks_off(messages, tools):
        yield "<thi"
        raise ConnectionError("gone")

    with pytest.raises(AgentError, match="gone") as raised:
        await ReActAgent("a", FunctionModel(breaks_off)).invoke(HI)

    assert raised.value.result.text == "<thi"


@pytest.mark.asyncio
async def test_a_verifier_that_changes_its_messages_changes_nothing_else():
    def vandal(messages, text):
        messages[0].content = "changed"
        messages.clear()
        return VerificationResult(text == "b", "again")

    history = deepcopy(HI)
    model = Recording(["a", "b"])
    await ReActAgent("a", model, verifier=vandal).invoke(history)

    assert history == HI
    assert model.requests[1][0] == {"role": "user", "content": "hi"}
