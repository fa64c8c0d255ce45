"""A model that judges the answers of another."""

import pytest

from latent.agents import FunctionModel, ModelVerifier, ReActAgent, ScriptedModel, ScriptedTurn
from latent.conformance import assert_conforms
from latent.protocol import Error, LLMCallEnd, LLMCallStart, Message, StepBoundary, TextDelta, Usage, VerificationResult

HI = [Message("user", "hi")]


def judge(messages, tools):
    return ScriptedTurn("accept" if messages[-1]["content"].endswith("Answer:\nb") else "Say b.", input_tokens=3)


async def events_of(verifier):
    return [event async for event in ReActAgent("a", ScriptedModel(["a", "b"]), verifier=verifier).stream(HI)]


@pytest.mark.asyncio
async def test_its_calls_show_in_the_step_that_they_serve():
    events = await events_of(ModelVerifier(FunctionModel(judge, model_id="judge"), criteria="It is b."))

    assert_conforms(events)
    assert [type(event) for event in events[1:]] == [
        LLMCallStart,
        TextDelta,
        LLMCallEnd,
        LLMCallStart,
        Usage,
        LLMCallEnd,
        VerificationResult,
        StepBoundary,
        LLMCallStart,
        TextDelta,
        LLMCallEnd,
        LLMCallStart,
        Usage,
        LLMCallEnd,
        VerificationResult,
    ]
    assert [event for event in events if isinstance(event, VerificationResult)] == [
        VerificationResult(False, "Say b."),
        VerificationResult(True),
    ]


@pytest.mark.asyncio
async def test_the_judge_is_told_the_criteria_the_conversation_and_the_answer():
    asked = []

    def record(messages, tools):
        asked.append(messages)
        return "ACCEPT"

    await events_of(ModelVerifier(FunctionModel(record), criteria="It is b."))

    ((system, question),) = asked
    assert system["content"].endswith("It is b.")
    assert question["content"] == "Conversation:\nuser: hi\n\nAnswer:\na"


@pytest.mark.asyncio
async def test_a_judge_that_fails_fails_the_run_with_its_call_closed():
    def fail(messages, tools):
        raise ConnectionError("gone")

    events = await events_of(ModelVerifier(FunctionModel(fail)))

    assert [type(event) for event in events[-3:]] == [LLMCallStart, LLMCallEnd, Error]


@pytest.mark.asyncio
async def test_outside_a_run_it_is_a_function():
    verifier = ModelVerifier(ScriptedModel([""]))

    assert await verifier(HI, "text") == VerificationResult(False, None)
