"""Guidelines and journeys."""

import pytest

from latent.agents import FunctionModel, GuidedAgent, Guideline, Journey, JourneyStep, ScriptedModel, ScriptedTurn
from latent.agents._journey import progress_of
from latent.protocol import (
    Error,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Message,
    StepBoundary,
    TextDelta,
    ToolCall,
    Usage,
)

HI = [Message("user", "I want my money back")]
SORRY = Guideline("sorry", "the user is unhappy", "Apologise.")
REFUND = Guideline("refund", "money is asked for", "Offer a refund.", matches=lambda rows: "money" in rows[-1].content)
NEVER = Guideline("never", "never", "No.", matches=lambda rows: False)


class Recording:
    def __init__(self, *turns, model_id="main"):
        self.model_id = model_id
        self.requests = []
        self._model = ScriptedModel(turns)

    async def stream(self, messages, *, tools=(), **options):
        self.requests.append([(row["role"], row["content"]) for row in messages])
        async for chunk in self._model.stream(messages, tools=tools):
            yield chunk


async def events_of(agent, history=HI, config=None):
    return [event async for event in agent.stream(history, config=config)]


@pytest.mark.asyncio
async def test_guidelines_are_matched_inside_the_first_step_and_told_in_every_call():
    call = ToolCall.from_arguments("1", "look", None)
    model = Recording(ScriptedTurn(tool_calls=[call]), "done")
    matcher = Recording(ScriptedTurn("sorry, nevermore", input_tokens=4), model_id="matcher")
    agent = GuidedAgent(
        "g", model, guidelines=[SORRY, REFUND, NEVER], matcher=matcher, tools=[look], instructions="Be brief."
    )
    events = await events_of(agent)

    assert [type(event) for event in events[:7]] == [
        StepBoundary,
        LLMCallStart,
        Usage,
        LLMCallEnd,
        GuidelineMatched,
        GuidelineMatched,
        LLMCallStart,
    ]
    assert [event.model_id for event in events if isinstance(event, LLMCallStart)] == ["matcher", "main", "main"]
    assert events[4:6] == [
        GuidelineMatched("sorry", "the user is unhappy", "Apologise."),
        GuidelineMatched("refund", "money is asked for", "Offer a refund."),
    ]
    assert sum(isinstance(event, (GuidelineMatched, StepBoundary)) for event in events) == 4
    system = (
        "system",
        "Be brief.\n\nWhen the user is unhappy: Apologise.\n\nWhen money is asked for: Offer a refund.",
    )
    assert [request[0] for request in model.requests] == [system, system]
    assert matcher.requests[0][1] == (
        "user",
        "Conversation:\nuser: I want my money back\n\nConditions:\nsorry: the user is unhappy",
    )


def look() -> None: ...


@pytest.mark.asyncio
async def test_plain_predicates_ask_no_model():
    model = Recording("done")
    events = await events_of(GuidedAgent("g", model, guidelines=[REFUND, NEVER]))

    assert [type(event) for event in events] == [StepBoundary, GuidelineMatched, LLMCallStart, TextDelta, LLMCallEnd]
    assert len(model.requests) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "matched"),
    [("NONE", []), ("", []), ('["a-1"]', ["a-1"]), ("a", ["a"]), ("- a-1\n- a", ["a", "a-1"]), ("aa a-11", [])],
)
async def test_the_matchers_answer_is_read_whatever_its_form(answer, matched):
    guidelines = [Guideline("a", "x", "y"), Guideline("a-1", "x", "y")]
    agent = GuidedAgent("g", Recording("done"), guidelines=guidelines, matcher=ScriptedModel([answer]))

    events = await events_of(agent)

    assert [event.guideline_id for event in events if isinstance(event, GuidelineMatched)] == matched


@pytest.mark.asyncio
async def test_a_failing_matcher_fails_the_run_with_its_call_closed():
    def fail(messages, tools):
        raise ConnectionError("gone")

    events = await events_of(GuidedAgent("g", Recording("x"), guidelines=[SORRY], matcher=FunctionModel(fail)))

    assert [type(event) for event in events] == [StepBoundary, LLMCallStart, LLMCallEnd, Error]


def said(word):
    return lambda rows: any(word in row.content for row in rows if row.role == "user")


ORDER = Journey(
    "order",
    [
        JourneyStep("what", "Ask what.", done=said("pizza")),
        JourneyStep("offer", "Offer a drink."),
        JourneyStep("where", "Ask where.", done=said("street")),
    ],
    starts=said("order"),
)


def turns(*texts):
    rows = []
    for text in texts:
        rows += [Message("user", text), Message("assistant", "ok")]
    return rows[:-1]


@pytest.mark.parametrize(
    ("texts", "before", "at"),
    [
        (["hello"], -1, -1),
        (["hello", "order"], -1, 0),
        (["order pizza"], -1, 1),
        (["order", "well"], 0, 0),
        (["order", "pizza"], 0, 1),
        (["order", "pizza", "no drink"], 1, 2),
        (["order pizza", "street 1"], 1, 3),
        (["order pizza", "street 1", "bye"], 3, 3),
    ],
)
def test_progress_is_worked_out_from_the_turns(texts, before, at):
    progress = progress_of(ORDER, turns(*texts))

    assert (progress.before, progress.at) == (before, at)


@pytest.mark.asyncio
async def test_a_journey_reports_each_step_once_and_its_end_once():
    model = Recording("a", "b", "c", "d")
    agent = GuidedAgent("g", model, journeys=[ORDER])
    config = {"conversation_id": "c1"}
    texts = ["order pizza", "no", "street 1", "bye"]
    reported = []
    for n in range(1, 5):
        events = await events_of(agent, turns(*texts[:n]), config)
        reported.append([e for e in events if isinstance(e, (JourneyStepAdvanced, JourneyCompleted))])

    assert reported == [
        [JourneyStepAdvanced("order", "what", 0, "c1"), JourneyStepAdvanced("order", "offer", 1, "c1")],
        [JourneyStepAdvanced("order", "where", 2, "c1")],
        [JourneyCompleted("order", "c1")],
        [],
    ]
    assert [request[0] for request in model.requests] == [
        ("system", "Journey order, step offer: Offer a drink."),
        ("system", "Journey order, step where: Ask where."),
        ("user", "order pizza"),
        ("user", "order pizza"),
    ]


@pytest.mark.asyncio
async def test_without_a_conversation_id_the_markers_carry_none():
    journey = Journey("j", [JourneyStep("only")])

    events = await events_of(GuidedAgent("g", Recording("a"), journeys=[journey]))

    assert events[1] == JourneyStepAdvanced("j", "only", 0, "")


def test_names_that_are_not_unique_are_refused():
    for more in [
        {"guidelines": [SORRY, SORRY]},
        {"guidelines": [Guideline("", "a", "b")]},
        {"journeys": [ORDER, ORDER]},
        {"journeys": [Journey("j", [])]},
    ]:
        with pytest.raises(ValueError, match="Expected"):
            GuidedAgent("g", Recording(), **more)
