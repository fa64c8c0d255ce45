"""A chat at the terminal, on the conversation that an agent keeps for `ask`.

    python examples/chat.py
    API_KEY=... python examples/chat.py --base-url https://api.openai.com/v1 --model gpt-4o
    python examples/chat.py --model anthropic/claude-sonnet-4-5

Without a model it talks to an echo, which needs no key and no network. `--base-url` is any server of the
chat-completions wire and needs the extra `openai`; a model alone is one of LiteLLM and needs the extra `litellm`.
`/reset` begins anew, `/quit` or the end of the input ends the chat. Ctrl-C gives up the answer that is under way: the
chat goes on, and the conversation is as it was before the question. `ask` gives whole answers; for text as it comes
read `stream`.
"""

import argparse
import asyncio
import os
import sys
from datetime import UTC, datetime

from latent.agents import EchoModel, Model, OpenAICompatibleModel, ReActAgent
from latent.protocol import AgentError, InvokeResult


def clock() -> str:
    """The date and the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def chat(agent: ReActAgent) -> None:
    """Ask and answer until the input ends."""
    with asyncio.Runner() as runner:  # one loop for the whole chat; Ctrl-C cancels what it runs, and no more
        while True:
            try:
                text = input("> ").strip()
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print()
                continue
            match text:
                case "":
                    continue
                case "/quit":
                    return
                case "/reset":
                    agent.reset()
                    print("(a new conversation)")
                case _ if text.startswith("/"):
                    print("(there are /reset and /quit)")
                case _:
                    answer(runner, agent, text)


def answer(runner: asyncio.Runner, agent: ReActAgent, text: str) -> None:
    try:
        show(runner.run(agent.ask(text)))
    except KeyboardInterrupt:
        print("(given up)")
    except AgentError as failure:
        show(failure.result)
        print(f"(failed: {failure})")


def show(result: InvokeResult) -> None:
    """The tools that were called, and the answer."""
    for step in result.steps:
        for call in step.tool_calls:
            print(f"[{call.function.name} {call.function.arguments}]")
    if result.text:
        print(result.text)


def chosen(model: str | None, base_url: str | None) -> Model | str:
    if base_url:
        return OpenAICompatibleModel(base_url, model or "default", os.environ.get("API_KEY"))
    return model or EchoModel()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    options = parser.parse_args()
    try:
        agent = ReActAgent(name="chat", model=chosen(options.model, options.base_url), tools=[clock])
    except ValueError as error:
        parser.error(str(error))
    chat(agent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
