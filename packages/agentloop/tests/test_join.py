import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.transcript import (
    Citation,
    ContentPart,
    Message,
    TextPart,
    ToolCallPart,
    Transcript,
    final_text,
    join_text,
)

from .strategies import content_parts, text_parts

CITED = (Citation(url="u"),)
CALL = ToolCallPart(call_id="c", tool_name="t")


def _parts(*pieces: str) -> list[ContentPart]:
    """`|` stands for a tool call, a leading `^` for a citation."""
    return [
        CALL if piece == "|" else TextPart(text=piece.removeprefix("^"), citations=CITED if piece[:1] == "^" else ())
        for piece in pieces
    ]


@pytest.mark.parametrize(
    ("pieces", "joined"),
    [
        (["I will search.", "|", "Based on it"], "I will search. Based on it"),
        (["you!", "|", "Now"], "you! Now"),
        (["Hello", "world"], "Hello world"),
        (["Done", "|", "🎉"], "Done 🎉"),
        (["안녕", "세상"], "안녕 세상"),
        (["**Note**", "text"], "**Note** text"),
        (["end", "**Note**"], "end **Note**"),
        (['He said "yes"', "and left"], 'He said "yes" and left'),
        # beside whitespace, and empty texts
        (["a ", "b"], "a b"),
        (["a", "\nb"], "a\nb"),
        (["a", " ", "b"], "a b"),
        (["a", "", "b"], "a b"),
        (["", ""], ""),
        ([], ""),
        (["|"], ""),
        # punctuation
        (["10:00 PM", "."], "10:00 PM."),
        (["a", ", b"], "a, b"),
        (["it", "'s"], "it's"),
        (["cost $", "3"], "cost $3"),
        (["see (", "this", ")"], "see (this)"),
        (['say "', "yes", '"'], 'say "yes"'),
        (["say **", "bold", "**"], "say **bold**"),
        (["well-", "known"], "well-known"),
        # sentences split for a citation
        (["Released in ", "^1991", "."], "Released in 1991."),
        (["in 19", "^91"], "in 1991"),
        (["^one", "^two"], "onetwo"),
        (["^one", "", "^two"], "onetwo"),
        (["^one", "|", "^two"], "one two"),
        (["^One.", "^Two."], "One. Two."),
        (['^He said "no."', "^She left"], 'He said "no." She left'),
        (["^Node.", "^js"], "Node.js"),
        (["^One.", "^“Two"], "One. “Two"),
        (["cost $", "^3.5"], "cost $3.5"),
        # scripts written without spaces, marks
        (["価格は", "^100円", "です。"], "価格は100円です。"),
        (["你好", "世界"], "你好世界"),
        (["สวัสดี", "ครับ"], "สวัสดีครับ"),
        (["e", "\u0301"], "e\u0301"),
        (["👩\u200d", "💻"], "👩\u200d💻"),
        (["❤", "\ufe0f"], "❤\ufe0f"),
    ],
)
def test_texts_join_as_one_reads_them(pieces: list[str], joined: str) -> None:
    assert join_text(_parts(*pieces)) == joined


@given(st.lists(content_parts, max_size=6))
def test_every_text_is_kept_with_at_most_one_space_between(parts: list[ContentPart]) -> None:
    rest = join_text(iter(parts))
    texts = [part.text for part in parts if isinstance(part, TextPart) and part.text]

    for number, text in enumerate(texts):
        if number and not rest.startswith(text):
            assert rest[0] == " "
            rest = rest[1:]
        assert rest.startswith(text)
        rest = rest[len(text) :]
    assert rest == ""


@given(st.lists(text_parts, max_size=6))
def test_no_space_is_added_beside_whitespace(parts: list[TextPart]) -> None:
    spaced = [part.model_copy(update={"text": part.text + "\n"}) for part in parts]

    assert join_text(spaced) == "".join(part.text for part in spaced)


def test_final_text_is_that_of_the_last_assistant_message() -> None:
    transcript = Transcript()
    assert final_text(transcript) == ""
    transcript.add_user_message("question")
    assert final_text(transcript) == ""
    transcript.add_assistant_message(_parts("One.", "Two."))
    transcript.add_user_message("more")
    assert final_text(transcript) == "One. Two."
    transcript.messages.append(Message(role="assistant", content=(CALL,)))
    assert final_text(transcript) == ""
