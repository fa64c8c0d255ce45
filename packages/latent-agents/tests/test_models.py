"""Models that need nothing, and what stands for a model."""

import sys

import pytest

from latent.agents import (
    EchoModel,
    FunctionModel,
    GuidedAgent,
    LiteLLMModel,
    Model,
    ModelError,
    ReActAgent,
    ScriptedModel,
    ScriptedTurn,
)
from latent.agents.models import resolve_model
from latent.agents.models._turn import turn_chunks
from latent.protocol import AgentProtocol, Message, ReasoningDelta, TextDelta, ToolCall, Usage

HI = [Message("user", "say it again, Sam")]


async def events_of(model, kinds=(TextDelta, ReasoningDelta, Usage, ToolCall), history=HI):
    return [event async for event in ReActAgent("a", model).stream(history) if isinstance(event, kinds)]


@pytest.mark.asyncio
async def test_echo_repeats_the_last_user_row_word_by_word():
    events = await events_of(EchoModel(), history=[*HI, Message("assistant", "no"), Message("user", " to  you \n")])

    assert events == [TextDelta(" to"), TextDelta("  you \n"), Usage(7, 2, "echo")]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("whole", [TextDelta("whole")]),
        (["in ", "two"], [TextDelta("in "), TextDelta("two")]),
        ([{"choices": [{"delta": {"content": "raw"}}]}], [TextDelta("raw")]),
        (
            ScriptedTurn("text", reasoning=["a", "b"], input_tokens=3),
            [ReasoningDelta("a"), ReasoningDelta("b"), TextDelta("text"), Usage(3, 0, "scripted")],
        ),
        ([], []),
    ],
)
async def test_a_turn_may_be_written_in_every_form(turn, expected):
    assert await events_of(ScriptedModel([turn])) == expected


@pytest.mark.asyncio
async def test_the_turn_played_is_the_number_of_assistant_rows():
    model = ScriptedModel(["one", "two"])

    assert await events_of(model) == await events_of(model) == [TextDelta("one")]
    assert await events_of(model, history=[*HI, Message("assistant", "one"), *HI]) == [TextDelta("two")]


@pytest.mark.asyncio
async def test_a_request_beyond_the_script_is_refused():
    with pytest.raises(ModelError, match="at most 1 turns"):
        async for _ in ScriptedModel(["one"]).stream([{"role": "assistant", "content": ""}]):
            pass


@pytest.mark.asyncio
async def test_a_function_may_be_of_every_kind():
    def plain(messages, tools):
        return messages[-1]["content"]

    async def coroutine(messages, tools):
        return [str(len(messages)), str(len(tools))]

    def pieces(messages, tools):
        yield from "ab"

    async def generator(messages, tools):
        yield "a"
        yield {"choices": [{"delta": {"content": "b"}}]}

    assert await events_of(FunctionModel(plain)) == [TextDelta("say it again, Sam")]
    assert await events_of(FunctionModel(coroutine)) == [TextDelta("1"), TextDelta("0")]
    assert await events_of(FunctionModel(pieces)) == [TextDelta("a"), TextDelta("b")]
    assert await events_of(FunctionModel(generator)) == [TextDelta("a"), TextDelta("b")]


def test_mistakes_in_a_script_are_named():
    with pytest.raises(TypeError, match="sequence of turns"):
        ScriptedModel("text")
    with pytest.raises(TypeError, match="a mixture"):
        list(turn_chunks(["a", {}]))
    with pytest.raises(TypeError, match="Expected a model"):
        resolve_model(object())
    with pytest.raises(ValueError, match="name of a model"):
        resolve_model("")


@pytest.mark.parametrize("model", [EchoModel(), ScriptedModel([]), FunctionModel(lambda m, t: ""), LiteLLMModel("x")])
def test_every_model_has_the_shape_of_the_port(model):
    assert isinstance(model, Model)
    assert resolve_model(model) is model


@pytest.mark.asyncio
async def test_a_plain_string_is_litellms_model_and_needs_nothing_until_it_is_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    agent = ReActAgent(name="qa", model="gpt-4o")
    assert isinstance(agent, AgentProtocol)
    stream = agent.stream(HI)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'latent-agents\[litellm\]'"):
        await anext(stream)
    with pytest.raises(ModuleNotFoundError, match="litellm"):
        await GuidedAgent("g", EchoModel(), matcher="gpt-4o").invoke(HI)
