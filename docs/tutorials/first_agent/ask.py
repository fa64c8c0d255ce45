import asyncio
from contextlib import aclosing

from my_agent import make_agent

from latent.conformance import Harness
from latent.conformance.harness import Deed, Script, asks, planned, says
from latent.protocol import TextDelta, ToolCall, ToolResult

SCRIPT = Script(
    "a question",
    (asks(planned("t1"), texts=("Let me look.",)), says("It is ", "open.")),
    {"t1": Deed(value={"status": "open"})},
)


async def main(harness):
    agent = make_agent(harness)
    async with aclosing(agent.stream(harness.play(SCRIPT).messages)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    print(text, end="", flush=True)
                case ToolCall(_, function):
                    print(f"\n  calls {function.name}")
                case ToolResult(_, output, error):
                    print(f"  gets {error or output}")
    result = await agent.invoke(harness.play(SCRIPT).messages)
    print(f"\n\nThe answer: {result.text}")
    print(f"The rows to keep: {[row.role for row in result.to_messages()]}")


with Harness() as harness:
    asyncio.run(main(harness))
