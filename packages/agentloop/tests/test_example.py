import pytest


def test_a_conversation_is_written_and_restored(capsys: pytest.CaptureFixture[str]) -> None:
    from agentloop import Transcript, final_text
    from agentloop.transcript import TextPart, from_jsonl, to_jsonl

    transcript = Transcript()
    transcript.add_user_message("Hello")
    transcript.add_assistant_message((TextPart(text="Hi!"),))
    transcript.check_invariants()

    jsonl = to_jsonl(transcript.messages)
    restored = from_jsonl(jsonl.splitlines())
    restored.check_invariants()
    print(final_text(restored))
    print(len(restored.messages))
    print(jsonl.count("\n"))

    assert capsys.readouterr().out == "Hi!\n2\n2\n"
