"""Scripts in which the model answers at once."""

from __future__ import annotations

from dataclasses import replace

from latent.conformance.harness import Finish, Reasoning, Script, Text, Tokens, Turn, says

__all__ = ["ANSWER", "CHARACTERS", "CUMULATIVE", "LONG", "MARKUP", "SECOND_THOUGHTS", "THINKING", "THINK_TAGS"]

ANSWER = Script("answer", (says("Certainly: case § ", "is in ", "good order."),))
LONG = Script("a long answer", (says(*(f"Line {at:03} of what belongs to case §. " for at in range(120))),))
THINKING = Script("reasoning", (says("Case § ", "is fine.", reasoning=("Weighing §* ", "once more, §*.")),))
SECOND_THOUGHTS = Script(
    "reasoning behind text",
    (
        Turn(
            (
                *(Reasoning("Weighing §*. "), Text("Case § "), Reasoning("Once more, §*. "), Text("is fine.")),
                *(Finish("stop"), Tokens(25, 15)),
            )
        ),
    ),
)
CHARACTERS = Script(
    "characters",
    (
        says(
            *("\ufeffCase 日本", "語 👩", "\u200d💻 e", "\u0301 caf", "é نص § ", "\U0001d518\U0001d52b"),
            *(" **bold** `code`", " <b>R&amp;D</b> $5$\n# 1. ~x~ _y_ \\z"),
            *("\u200bno\u00a0break\u00ad", " \x01\x0b\x0c\x1b[1mbold\x1b[0m\x7f ", "[1]【2†file】 "),
            *(" o\u0302 \ufb01n\r\n", "\tend", " ", "of it,", " at\u2028last\u2029one\x85line", " and\0all\ufeff."),
        ),
    ),
)
MARKUP = Script(
    "text that looks like markup",
    (says("Of case §: ", "`<tool_call>` ", "and <|im_end|>,", "\n```json\n{}\n```\n", "data: [DONE] ", "is text."),),
)
THINK_TAGS = Script(
    "reasoning between tags",
    (replace(says("<thi", "nk>Weighing §*</th", "ink>Case § ", "is fine."), meaning="Case § is fine."),),
)
CUMULATIVE = Script(
    "usage told several times",
    (
        Turn(
            (
                Tokens(25, 1),
                Text("Case § "),
                Tokens(25, 8),
                Text("is fine."),
                Finish("stop"),
                Tokens(25, 15),
            )
        ),
    ),
)
