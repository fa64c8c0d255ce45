"""What `latent-protocol` costs, beside its peers and beside the limit.

    python benchmarks/protocol.py [--rounds 11] [--quick]

The limit is plain msgspec: the same events as Structs of one tagged union, without an envelope and without any
check of what is written. The peers are `ag-ui-protocol` and `pydantic-ai-slim`, their nearest event for each of
ours. All run on one mixed stream, in one process, in shuffled rounds; ratios are medians over the rounds.
Nothing here passes or fails. Takes about a minute.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from operator import methodcaller, or_
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import msgspec
from _compare import Rounds, paired
from _figure import Figure, against, beside
from _script import run
from ag_ui import core as ag
from pydantic import TypeAdapter
from pydantic_ai import messages as pai

import latent.protocol as lp

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "rain", "falls"]
HITS = {"hits": [{"title": f"Result {at}", "score": 0.5 + at, "url": f"https://example.org/{at}"} for at in range(3)]}
OUTPUTS = {"objects": HITS, "text": "Three results were found on example.org"}
STRUCTS = 25  # as many as latent.protocol offers


# --- One mixed stream, by four vocabularies


def mixed(make: Any, count: int, output: object) -> list[Any]:
    """Steps of 23 text deltas of 2 to 6 words and one each of the six other events of a tool step."""
    events: list[Any] = []
    while len(events) < count:
        step = len(events) // 29
        texts = [" ".join(WORDS[at % 9 : at % 9 + 2 + at % 5]) + " " for at in range(23)]
        events += [make.boundary(step), make.start(f"run-{step}"), *map(make.text, texts), make.end(f"run-{step}")]
        events += [make.usage(), make.call(f"call-{step}"), make.result(f"call-{step}", output)]
    return events[:count]


def of_structs(types: Any) -> SimpleNamespace:
    """The vocabulary of ours, and of the plain tagged Structs, which have the same fields."""
    return SimpleNamespace(
        boundary=types.StepBoundary,
        start=lambda run: types.LLMCallStart(run, "Find the fox", "model-1", 1764460800.25),
        text=types.TextDelta,
        end=lambda run: types.LLMCallEnd(run, "The quick", 1200, 80, "model-1", 1764460801.5),
        usage=lambda: types.Usage(1200, 80, "model-1"),
        call=lambda call: types.ToolCall(call, types.FunctionCall("search", '{"query":"fox","limit":3}')),
        result=types.ToolResult,
    )


def tagged_structs() -> SimpleNamespace:
    """Our event types again, as one plain union with the tag in the Struct."""
    made: dict[str, Any] = {"FunctionCall": msgspec.defstruct("FunctionCall", [("name", str), ("arguments", str)])}
    for name in ("TextDelta", "StepBoundary", "LLMCallStart", "LLMCallEnd", "Usage", "ToolCall", "ToolResult"):
        infos = msgspec.structs.fields(getattr(lp, name))
        described = [
            (info.name, made.get(getattr(info.type, "__name__", ""), info.type))
            if info.required
            else (info.name, info.type, info.default)
            for info in infos
        ]
        made[name] = msgspec.defstruct(
            name, described, frozen=True, gc=name == "ToolResult", tag=True, tag_field="event"
        )
    return SimpleNamespace(**made)


AG_UI = SimpleNamespace(
    boundary=lambda step: ag.StepStartedEvent(step_name=str(step)),
    start=lambda run: ag.CustomEvent(name="llm_call_start", value={"run_id": run, "input_preview": "Find the fox"}),
    text=lambda text: ag.TextMessageContentEvent(message_id="message-1", delta=text),
    end=lambda run: ag.CustomEvent(name="llm_call_end", value={"run_id": run, "input_tokens": 1200}),
    usage=lambda: ag.CustomEvent(name="usage", value={"input_tokens": 1200, "output_tokens": 80}),
    call=lambda call: ag.ToolCallChunkEvent(
        tool_call_id=call, tool_call_name="search", delta='{"query":"fox","limit":3}'
    ),
    result=lambda call, output: ag.ToolCallResultEvent(
        message_id="message-1", tool_call_id=call, content=msgspec.json.encode(output).decode()
    ),
)
PYDANTIC_AI = SimpleNamespace(
    boundary=lambda step: pai.PartStartEvent(index=step, part=pai.TextPart("")),
    start=lambda run: pai.PartStartEvent(index=0, part=pai.TextPart("Find the fox")),
    text=lambda text: pai.PartDeltaEvent(index=0, delta=pai.TextPartDelta(text)),
    end=lambda run: pai.PartEndEvent(index=0, part=pai.TextPart("The quick")),
    usage=lambda: pai.FinalResultEvent(tool_name=None, tool_call_id=None),
    call=lambda call: pai.FunctionToolCallEvent(pai.ToolCallPart("search", '{"query":"fox","limit":3}', call)),
    result=lambda call, output: pai.FunctionToolResultEvent(pai.ToolReturnPart("search", output, call)),
)


# --- Contenders


def each(function: Callable[[Any], object], items: Sequence[Any]) -> Callable[[], None]:
    def run() -> None:
        for item in items:
            function(item)

    return run


def codecs(count: int, output: object) -> dict[str, dict[str, Callable[[], object]]]:
    """For every way of working, what each library does with the same stream."""
    types = tagged_structs()
    plain, ours = mixed(of_structs(types), count, output), mixed(of_structs(lp), count, output)
    encoder = msgspec.json.Encoder()
    decoder: Any = msgspec.json.Decoder(
        reduce(or_, (kind for name, kind in vars(types).items() if name != "FunctionCall"))
    )
    plain_lines, our_lines = [encoder.encode(event) for event in plain], [lp.encode_event(event) for event in ours]
    plain_text, our_text = encoder.encode_lines(plain), lp.encode_events(ours)
    assert decoder.decode_lines(plain_text) == plain
    assert lp.decode_events(our_text) == ours
    ways: dict[str, dict[str, Callable[[], object]]] = {
        "encode one by one": {"limit": each(encoder.encode, plain), "latent": each(lp.encode_event, ours)},
        "decode one by one": {"limit": each(decoder.decode, plain_lines), "latent": each(lp.decode_event, our_lines)},
        "encode in bulk": {"limit": lambda: encoder.encode_lines(plain), "latent": lambda: lp.encode_events(ours)},
        "decode in bulk": {
            "limit": lambda: decoder.decode_lines(plain_text),
            "latent": lambda: lp.decode_events(our_text),
        },
    }
    for name, kind, words in (("ag-ui", ag.Event, AG_UI), ("pydantic-ai", pai.AgentStreamEvent, PYDANTIC_AI)):
        add_peer(ways, name, kind, mixed(words, count, output))
    return ways


def add_peer(ways: dict[str, dict[str, Callable[[], object]]], name: str, kind: Any, events: list[Any]) -> None:
    """What a peer does with its events, all by its own pydantic models: AG-UI as its encoder does, without None."""
    single, many = TypeAdapter(kind), TypeAdapter(list[kind])
    options: Any = {"by_alias": True, "exclude_none": True} if name == "ag-ui" else {}
    encode = methodcaller("model_dump_json", **options) if name == "ag-ui" else single.dump_json
    bulk = partial(many.dump_json, events, **options)
    text = bulk()
    ways["encode one by one"][name] = each(encode, events)
    ways["decode one by one"][name] = each(single.validate_json, [encode(event) for event in events])
    ways["encode in bulk"][name] = bulk
    ways["decode in bulk"][name] = lambda: many.validate_json(text)


def tightest(events: Sequence[lp.AgentEvent]) -> lp.InvokeResult:
    """Segmentation by hand, as fast as it gets: exact types, text first, joined at the end, nothing checked."""
    steps: list[lp.Step] = []
    number, text, reasoning, calls, rows = 0, *no_parts()
    for event in events:
        kind = type(event)
        if kind is lp.TextDelta:
            text.append(event.text)
        elif kind is lp.StepBoundary:
            steps.append(lp.Step(number, "".join(reasoning), "".join(text), calls, rows))
            number, text, reasoning, calls, rows = event.step, *no_parts()
        elif kind is lp.ReasoningDelta:
            reasoning.append(event.text)
        elif kind is lp.ToolCall:
            calls.append(event)
        elif kind is lp.ToolResult:
            content = str(event.output if event.error is None else event.error)
            rows.append(lp.Message("tool", content, tool_call_id=event.tool_call_id))
    steps.append(lp.Step(number, "".join(reasoning), "".join(text), calls, rows))
    return lp.InvokeResult(steps[-1].text, steps[1:])


def no_parts() -> tuple[list[str], list[str], list[lp.ToolCall], list[lp.Message]]:
    return [], [], [], []


def segmented(events: Sequence[lp.AgentEvent]) -> lp.InvokeResult:
    segmenter = lp.Segmenter()
    for event in events:
        segmenter.feed(event)
    return segmenter.finish()


# --- Figures


def codec_figures(name: str, output: object, count: int, rounds: int) -> Iterator[Figure]:
    goals = {
        "encode one by one": (3.0, 10.0),
        "decode one by one": (1.6, 5.0),
        "encode in bulk": (3.0, None),
        "decode in bulk": (3.0, None),
    }
    unit = ("ns/event", 1e9 / count)
    for way, contenders in codecs(count, output).items():
        times = paired(contenders, rounds=rounds, repeat=10)
        at_most, at_least = goals[way]
        yield against(times, f"{way}, tools give {name}", limit="limit", unit=unit, at_most=at_most)
        better, worse = sorted(("ag-ui", "pydantic-ai"), key=times.median)
        yield beside(times, f"{way}, tools give {name}", peer=better, unit=unit, at_least=at_least)
        yield beside(times, f"{way}, tools give {name}", peer=worse, unit=unit)


def segmenter_figures(count: int, rounds: int) -> Iterator[Figure]:
    for name, output in OUTPUTS.items():
        events = mixed(of_structs(lp), count, output)
        assert segmented(events) == tightest(events)
        times = paired({"by hand": partial(tightest, events), "latent": partial(segmented, events)}, rounds=rounds)
        unit = ("ns/event", 1e9 / count)
        yield against(times, f"segmentation, tools give {name}", limit="by hand", unit=unit, at_most=2)


def growth_figures(most: int, rounds: int) -> Iterator[Figure]:
    """The cost of one delta, by how many there are in the step, and the memory for one."""
    sizes = (most // 100, most)
    steps = {size: [lp.StepBoundary(0), *(lp.TextDelta(f"word {at} ") for at in range(size))] for size in sizes}
    texts = {size: lp.encode_events(steps[size]) for size in sizes}
    work: dict[str, Callable[[int], object]] = {
        "encode_events": lambda size: lp.encode_events(steps[size]),
        "decode_events": lambda size: lp.decode_events(texts[size]),
        "Segmenter": lambda size: segmented(steps[size]),
    }
    for name, function in work.items():
        few, many = (
            [
                seconds / size
                for seconds in paired({"run": partial(function, size)}, rounds=rounds, repeat=most // size).seconds[
                    "run"
                ]
            ]
            for size in sizes
        )
        times = Rounds({"latent": many, f"{sizes[0]:,} deltas": few})
        title = f"{name}, a delta of {most:,} in a step"
        yield against(times, title, limit=f"{sizes[0]:,} deltas", unit=("ns", 1e9), at_most=1.5)
        peaks = [peak(partial(function, size)) / size for size in sizes]
        yield Figure(name=title, unit="bytes", ours=peaks[1], peer=f"{sizes[0]:,} deltas", theirs=peaks[0])


def peak(run: Callable[[], object]) -> int:
    tracemalloc.start()
    kept = run()
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return highest


def import_figures(rounds: int) -> Iterator[Figure]:
    """CPU time of an interpreter of its own for each, less that of an empty one.

    msgspec imports `typing_extensions` where it finds it, and here it does, because the peers need it. The figures
    `of its own` hide it from ours and from the limit, which is what an environment of their own looks like.
    """
    bare = "from msgspec import Struct\n" + "".join(
        f"class S{at}(Struct, frozen=True, gc=False):\n    id: str\n    text: str | None = None\n    count: int = 0\n"
        for at in range(STRUCTS)
    )
    peers = {"nothing": "pass", "ag-ui": "import ag_ui.core", "pydantic-ai": "import pydantic_ai.messages"}
    hide = "import sys; sys.modules['typing_extensions'] = None; "
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bare_structs.py").write_text(bare)
        ours = {"limit": "import bare_structs", "latent": "import latent.protocol"}
        alone = {f"{name} alone": hide + code for name, code in ours.items()}
        net = start_up(peers | ours | alone, folder, rounds)
    for where, suffix in (("all in one environment", ""), ("in one of its own", " alone")):
        limit, latent = net[f"limit{suffix}"], net[f"latent{suffix}"]
        of_ours: dict[str, Any] = {"name": f"import, {where}", "unit": "ms", "ours": latent * 1e3}
        yield Figure(**of_ours, peer="limit", theirs=limit * 1e3, ratio=latent / limit, at_most=1.5)
        for peer, at_least in (("ag-ui", 5), ("pydantic-ai", None)):
            yield Figure(**of_ours, peer=peer, theirs=net[peer] * 1e3, ratio=net[peer] / latent, at_least=at_least)


def start_up(codes: dict[str, str], folder: str, rounds: int) -> dict[str, float]:
    """The median seconds that each code takes, less those of nothing."""
    seconds: dict[str, list[float]] = {name: [] for name in codes}
    for at in range(rounds + 1):
        for name, code in codes.items():
            spent = interpreter(code, folder)
            seconds[name] += [spent] if at else []  # the first round compiles
    return {name: median(took) - median(seconds["nothing"]) for name, took in seconds.items()}


def interpreter(code: str, folder: str) -> float:
    """Seconds of CPU time that a new interpreter takes for `code`."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PYTHONPATH": folder}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(rounds: int, quick: bool) -> Iterator[Figure]:
    for name, output in OUTPUTS.items():
        yield from codec_figures(name, output, 100 if quick else 2_000, rounds)
    yield from segmenter_figures(1_000 if quick else 100_000, rounds // 2 + 1)
    yield from growth_figures(1_000 if quick else 30_000, rounds)
    yield from import_figures(rounds)


if __name__ == "__main__":
    held = ("latent-protocol", "msgspec", "ag-ui-protocol", "pydantic-ai-slim", "pydantic")
    run(measure, __doc__, rounds=11, distributions=held)
