from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from cases.loopback import HttpModel
from httpx2 import Client

from latent.conformance.harness import (
    Conversation,
    Deed,
    Fail,
    Gate,
    Harness,
    Hold,
    ModelError,
    Raised,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
    asks,
    planned,
    says,
)
from latent.protocol import Message, PhaseStarted, ToolCall

TALK = Script(
    "talk",
    (
        asks(planned("t1"), planned("t2", "inspect"), texts=("Look: ",), reasoning=("Hm. ",)),
        says("All of § ", "is done.", tokens=Tokens(30, 7, 5)),
    ),
)


def rows(*messages: Message) -> list[dict[str, Any]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main)


async def chunks(model: Any, messages: list[Message]) -> list[dict[str, Any]]:
    return [chunk async for chunk in model.stream(rows(*messages))]


def test_a_script_is_the_same_in_process_and_over_loopback() -> None:
    async def both(harness: Harness) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        conversation = harness.play(TALK)
        here = await chunks(harness.model, conversation.messages)
        conversation.rewind()
        there = await chunks(HttpModel(harness), conversation.messages)
        return here, there

    with Harness() as harness:
        here, there = run(both(harness))

    assert here == there
    assert here[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [chunk["choices"][0]["finish_reason"] for chunk in here if chunk["choices"]][-1] == "tool_calls"


def test_an_answer_at_once_is_one_chunk_in_process_and_over_loopback() -> None:
    calling = asks(planned("t1"), planned("t2"), texts=("Let ", "me. "), reasoning=("Hm.",), tokens=Tokens(4, 2))

    async def both(harness: Harness) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        conversation = harness.play(Script("at once", (replace(calling, at_once=True),)))
        here = await chunks(harness.model, conversation.messages)
        conversation.rewind()
        return here, await chunks(HttpModel(harness), conversation.messages)

    with Harness() as harness:
        here, there = run(both(harness))

    assert here == there
    opening, whole, usage = here
    (choice,) = whole["choices"]
    arguments = [f'{{"ticket": "cv0001x-t{at}"}}' for at in (1, 2)]
    assert choice["delta"] == {
        "role": "assistant",
        "content": "Let me. ",
        "reasoning_content": "Hm.",
        "tool_calls": [
            {
                "index": at,
                "id": f"call_cv0001x_t{at + 1}",
                "type": "function",
                "function": {"name": "lookup", "arguments": arguments[at]},
            }
            for at in (0, 1)
        ],
    }
    assert choice["finish_reason"] == "tool_calls"
    assert (opening["choices"][0]["delta"]["content"], usage["choices"]) == ("", [])


def test_fragments_stay_inside_the_vendors_wire() -> None:
    with Harness() as harness:
        sent = run(chunks(harness.model, harness.play(TALK).messages))

    fragments = [
        part for chunk in sent for choice in chunk["choices"] for part in choice["delta"].get("tool_calls", ())
    ]
    first = {part["index"]: part for part in reversed(fragments)}
    assert [part["index"] for part in fragments] == [0, 1, 0, 1, 0, 1]
    assert {(part["id"], part["function"]["name"]) for part in first.values()} == {
        ("call_cv0001x_t1", "lookup"),
        ("call_cv0001x_t2", "inspect"),
    }
    assert all(part.keys() == {"index", "function"} for part in fragments if part not in first.values())


def test_usage_goes_over_the_wire_when_it_is_asked_for() -> None:
    def body(**more: Any) -> dict[str, Any]:
        return {"model": "m", "messages": rows(*harness.play(Script("s", (says("Hi"),))).messages), **more}

    with Harness() as harness, Client(trust_env=False) as client:
        url = f"{harness.base_url}/chat/completions"
        silent = client.post(url, json=body(stream=True)).text
        asked = client.post(url, json=body(stream=True, stream_options={"include_usage": True})).text
        whole = client.post(url, json=body()).json()

    assert ('"usage"' in silent, '"usage"' in asked) == (False, True)
    assert silent.endswith("data: [DONE]\n\n")
    assert whole["usage"]["total_tokens"] == 40


@pytest.mark.parametrize(("odd_wire", "separators"), [(False, r"\u2028\u2029\u0085"), (True, "\u2028\u2029\x85")])
def test_characters_go_over_the_wire_as_they_are_but_for_separators(odd_wire: bool, separators: str) -> None:
    script = Script("s", (says("é\u2028\u2029\x85\ufeff\0", "\ud83d"),))
    with Harness(odd_wire=odd_wire) as harness, Client(trust_env=False) as client:
        asked = {"model": "m", "messages": rows(*harness.play(script).messages), "stream": True}
        sent = client.post(f"{harness.base_url}/chat/completions", json=asked).content

    assert f'"é{separators}\ufeff\\u0000"'.encode() in sent
    assert b'"\\ud83d"' in sent


def sent(harness: Harness, script: Script) -> list[bytes]:
    """What a client reads at once, write by write."""
    asked = {"model": "m", "messages": rows(*harness.play(script).messages), "stream": True}
    url = f"{harness.base_url}/chat/completions"
    with Client(trust_env=False) as client, client.stream("POST", url, json=asked) as response:
        return [*response.iter_raw()]


def test_one_write_may_hold_two_events_and_one_event_take_two_writes() -> None:
    with Harness() as harness:
        first, begun, ended, third, last = sent(harness, Script("s", (says("One", "twé", "three"),)))

    assert [write.count(b"data: ") for write in (first, begun, ended, third, last)] == [2, 1, 0, 1, 2]
    assert begun.endswith(b"tw" + "é".encode()[:1])
    assert "twé" in (begun + ended).decode()


def test_a_server_may_say_in_the_stream_that_it_fails() -> None:
    with Harness() as harness:
        *_, last = sent(harness, Script("s", (Turn((Text("So "), Fail("too busy", told=True))),)))

    assert json.loads(last.removeprefix(b"data: "))["error"]["message"] == "too busy"


@pytest.mark.parametrize("message", ["too busy", ""])
def test_a_model_in_process_raises_what_the_script_says(message: str) -> None:
    with Harness() as harness, pytest.raises(TimeoutError) as raised:
        run(chunks(harness.model, harness.play(Script("s", (Turn((Fail(message, "TimeoutError"),)),))).messages))

    assert str(raised.value) == message


def test_tokens_of_reasoning_are_told_beside_the_output() -> None:
    with Harness() as harness:
        sent = run(chunks(harness.model, harness.play(Script("s", (says("Hi", reasoning=("Hm",)),))).messages))

    assert sent[-1]["usage"]["completion_tokens_details"] == {"reasoning_tokens": 7}
    assert sent[-1]["usage"]["completion_tokens"] == 15


def test_a_client_that_does_not_stream_gets_the_whole_answer() -> None:
    with Harness() as harness, Client(trust_env=False) as client:
        request = {"model": "m", "messages": rows(*harness.play(TALK).messages)}
        choice = client.post(f"{harness.base_url}/chat/completions", json=request).json()["choices"][0]

    assert (choice["message"]["content"], choice["message"]["reasoning_content"]) == ("Look: ", "Hm. ")
    assert choice["finish_reason"] == "tool_calls"
    assert [json.loads(call["function"]["arguments"]) for call in choice["message"]["tool_calls"]] == [
        {"ticket": "cv0001x-t1"},
        {"ticket": "cv0001x-t2"},
    ]


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "reason"),
    [
        ("GET", "/chat/completions", b"", 405, "POST /v1/chat/completions"),
        ("POST", "/embeddings", b"{}", 404, "this server has POST /v1/chat/completions"),
        ("POST", "/chat/completions", b"no json", 400, "Expected a JSON body"),
        ("POST", "/chat/completions", b"[]", 400, "`messages` as a list"),
        ("POST", "/chat/completions", b'{"messages": ["hi"]}', 400, "each of `messages` as an object"),
        ("POST", "/chat/completions", b'{"messages": []}', 500, "no conversation to play"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused_clearly(
    method: str, path: str, content: bytes, status: int, reason: str
) -> None:
    with Harness() as harness, Client(trust_env=False) as client:
        answer = client.request(method, harness.base_url + path, content=content)

    assert answer.status_code == status
    assert answer.headers["connection"] == "close"
    assert reason in answer.json()["error"]["message"]


def test_the_models_can_be_listed() -> None:
    with Harness() as harness, Client(trust_env=False) as client:
        listed = client.get(f"{harness.base_url}/models").json()

    assert [model["id"] for model in listed["data"]] == [harness.model_id, harness.aux_model_id]


def test_a_failing_turn_fails_each_time_unless_it_fails_once() -> None:
    async def attempts(script: Script) -> list[str]:
        outcomes = []
        with Harness() as harness:
            conversation = harness.play(script)
            for _ in range(3):
                try:
                    sent = await chunks(harness.model, conversation.messages)
                except ModelError as failure:
                    outcomes.append(str(failure))
                else:
                    outcomes.append("".join(c["choices"][0]["delta"].get("content", "") for c in sent if c["choices"]))
            outcomes.append(f"overrun {conversation.overrun}")
        return outcomes

    sticky = Script("sticky", (Turn((Text("a"), Fail("broken §"))), says("Fine")))
    once = Script("once", (Turn((Fail("broken §"),), fails_once=True), says("Fine")))

    assert run(attempts(sticky)) == ["broken cv0001x"] * 3 + ["overrun 0"]
    assert run(attempts(once)) == ["broken cv0001x", "Fine", "the script 'once' has no more turns", "overrun 1"]


@pytest.mark.parametrize("http", [False, True])
def test_a_failure_is_seen_by_the_client_wherever_it_comes(http: bool) -> None:
    async def fail(*pieces: Any) -> str:
        with Harness() as harness:
            model = HttpModel(harness) if http else harness.model
            conversation = harness.play(Script("fails", (Turn(pieces),)))
            with pytest.raises(Exception) as raised:  # noqa: PT011 - each client has its own
                await chunks(model, conversation.messages)
            assert [entry.outcome for entry in conversation.journal] == ["begun", "failed"]
        return str(raised.value)

    assert run(fail(Fail("at once"))) == "at once"
    assert run(fail(Text("a"), Reasoning("b"), Fail("midway"))) == ("midway" if not http else run(fail_text()))


async def fail_text() -> str:
    """What this client says of a connection that breaks off."""
    with Harness() as harness:
        conversation = harness.play(Script("fails", (Turn((Text("a"), Fail())),)))
        try:
            await chunks(HttpModel(harness), conversation.messages)
        except Exception as raised:
            return str(raised)
    return "nothing"


def test_requests_are_told_apart_by_the_token_in_them() -> None:
    async def ask() -> None:
        one, two = harness.play(Script("s", (says("One §"),))), harness.play(Script("s", (says("Two §"),)))
        await chunks(harness.model, two.messages)
        await chunks(harness.model, [*two.messages, *one.messages])
        with pytest.raises(ModelError, match="the user's message is not in the request"):
            await chunks(harness.model, [Message("user", "Hello")])
        assert [request.stray_tokens for request in (*one.requests, *two.requests)] == [{two.token}, set()]

    with Harness() as harness:
        run(ask())
        assert len(harness.playback.lost) == 1


def test_a_tool_does_what_the_script_says_for_its_ticket() -> None:
    deeds = {"t1": Deed(value={"of": ["§"]}), "t2": Deed(error=Raised("KeyError", "gone"))}
    script = Script("tools", (asks(planned("t1"), planned("t2"), planned("t3")),), deeds)

    async def use() -> None:
        lookup, inspect, submit = harness.tools
        assert await lookup(f"{conversation.token}-t1") == {"of": [conversation.token]}
        with pytest.raises(KeyError, match="gone"):
            await inspect(f"{conversation.token}-t2")
        assert await submit(f"{conversation.token}-t3") == "submit of t3"
        with pytest.raises(LookupError, match="no ticket"):
            await lookup("made up")

    with Harness() as harness:
        conversation = harness.play(script)
        run(use())
        assert conversation.runs == {"t1": 1, "t2": 1, "t3": 1}
        assert harness.playback.strays == [("lookup", "made up")]


def test_a_tool_waits_until_its_call_was_seen() -> None:
    script = Script("announced", (asks(planned("t1")),), {"t1": Deed(value=1, announced=True)})

    async def use(seen: bool) -> list[str]:
        with Harness(grace=0.05 if not seen else 5) as harness:
            conversation = harness.play(script)
            pending = asyncio.ensure_future(harness.tools[0](f"{conversation.token}-t1"))
            await asyncio.sleep(0)
            assert not pending.done()
            if seen:
                call = ToolCall.from_arguments("c1", "lookup", {"ticket": f"{conversation.token}-t1"})
                harness.playback.saw(call)
            assert await pending == 1
            return conversation.unannounced

    assert run(use(seen=True)) == []
    assert run(use(seen=False)) == ["t1"]


def test_a_held_model_goes_on_when_its_gate_is_opened() -> None:
    script = Script("held", (Turn((Text("a"), Hold("model"), Text("b"))),))

    async def ask() -> None:
        conversation = harness.play(script)
        pending = asyncio.ensure_future(chunks(harness.model, conversation.messages))
        assert await conversation.gate("model reached").wait(5)
        assert conversation.open_models == 1
        conversation.gate("model").open()
        assert len(await pending) == 3
        assert conversation.open_models == 0

    with Harness() as harness:
        run(ask())


def test_a_closed_model_is_cut_off() -> None:
    async def ask() -> None:
        conversation = harness.play(Script("s", (says("a", "b"),)))
        stream = harness.model.stream(rows(*conversation.messages))
        await anext(stream)
        await stream.aclose()
        assert [entry.outcome for entry in conversation.journal] == ["begun", "cut off"]

    with Harness() as harness:
        run(ask())


def test_a_gate_opens_for_all_when_the_last_party_has_come() -> None:
    async def meet() -> list[bool]:
        gate = Gate(3)
        return await asyncio.gather(*(gate.wait(5) for _ in range(3)))

    assert run(meet()) == [True, True, True]


def test_a_gate_holds_nobody_for_ever() -> None:
    assert run(Gate().wait(0.01)) is False
    assert run(Gate(2, patience=0.01).wait(60)) is False


def test_a_gate_opens_from_another_thread() -> None:
    async def wait() -> bool:
        gate = Gate()
        pending = asyncio.ensure_future(gate.wait(5))
        await asyncio.sleep(0)
        await asyncio.to_thread(gate.open)
        return await pending

    assert run(wait()) is True


def test_the_messages_are_built_afresh_at_each_look() -> None:
    with Harness() as harness:
        earlier = (Message("user", "Before §"), Message("assistant", [{"type": "text", "text": "parts"}]))
        conversation = harness.play(Script("s", ()), earlier=earlier)
        conversation.messages[0].content = "changed"

        assert [row.content for row in conversation.messages] == [
            "Before cv0001x",
            [{"type": "text", "text": "parts"}],
            "Please work on case cv0001x.",
        ]


def test_the_server_is_started_at_the_first_look_and_ended_with_the_harness() -> None:
    import threading

    def running() -> bool:
        return any(thread.name == "latent-conformance-loopback" for thread in threading.enumerate())

    with Harness() as harness:
        assert not running()
        assert harness.base_url == harness.base_url
        assert running()
    assert not running()


def test_the_auxiliary_model_says_one_thing_and_takes_no_turn() -> None:
    async def ask(harness: Harness) -> str:
        chunks = [chunk async for chunk in harness.aux_model.stream([{"role": "user", "content": "Is it?"}])]
        return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])

    with Harness() as harness:
        conversation = harness.play(Script("answer", (says("Hello."),)))
        assert asyncio.run(ask(harness)) == "yes"
        harness.aux_answer = "no"
        assert asyncio.run(ask(harness)) == "no"
        assert conversation.requests == []
        assert harness.playback.lost == []


async def phased(harness: Harness, *, seen: bool = True) -> Conversation:
    """A conversation of one answer that was given, in an agent that may have phases."""
    conversation = harness.play(Script("answer", (says("Case § is fine."),)))
    if seen:
        conversation.saw(PhaseStarted("draft"))
    await chunks(harness.model, conversation.messages)
    return conversation


def texts_of(answer: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content", "") for chunk in answer for choice in chunk["choices"])


def test_a_phase_that_starts_behind_the_last_turn_gets_a_turn_of_its_own() -> None:
    async def main(harness: Harness) -> list[tuple[int, bool]]:
        conversation = await phased(harness)
        for number in (1, 2):
            conversation.saw(PhaseStarted("polish"))
            said = texts_of(await chunks(harness.model, conversation.messages))
            assert said == f"Further on, part {number}: case {conversation.token} is settled."
        return [(request.turn, request.further) for request in conversation.requests]

    with Harness() as harness:
        assert run(main(harness)) == [(0, False), (1, True), (2, True)]


def test_a_phase_that_may_be_sent_the_former_ones_text_alone_is_known_without_a_token() -> None:
    async def main(harness: Harness) -> str:
        conversation = await phased(harness)
        conversation.saw(PhaseStarted("polish"))
        return texts_of(await chunks(harness.model, [Message("user", "Polish this: fine.")]))

    with Harness() as harness:
        assert run(main(harness)).startswith("Further on, part 1")
        assert harness.playback.lost == []


@pytest.mark.parametrize("declared", [True, False])
def test_a_request_too_many_within_a_phase_fails(declared: bool) -> None:
    async def main(harness: Harness) -> int:
        conversation = await phased(harness)
        harness.playback.phased = declared
        if not declared:
            conversation.saw(PhaseStarted("polish"))
        with pytest.raises(ModelError, match="no more turns"):
            await chunks(harness.model, conversation.messages)
        return conversation.overrun

    with Harness(grace=0) as harness:
        assert run(main(harness)) == 1


def test_a_run_that_nobody_watches_gets_as_many_turns_as_one_that_was_watched() -> None:
    async def main(harness: Harness) -> list[int]:
        watched = await phased(harness)
        watched.saw(PhaseStarted("polish"))
        await chunks(harness.model, watched.messages)
        alone = await phased(harness, seen=False)
        await chunks(harness.model, alone.messages)
        with pytest.raises(ModelError, match="no more turns"):
            await chunks(harness.model, alone.messages)
        return [watched.further, alone.further]

    with Harness() as harness:
        assert run(main(harness)) == [1, 1]


def test_a_phase_that_offers_no_tools_gets_a_plain_answer_before_the_calls() -> None:
    async def main(harness: Harness) -> list[int]:
        conversation = harness.play(TALK)
        conversation.saw(PhaseStarted("draft"))
        for _ in TALK.turns:
            await chunks(harness.model, conversation.messages)
        return [len(turn.calls) for turn in conversation.turns]

    with Harness() as harness:
        assert run(main(harness)) == [0, 2, 0]
