"""The pages of the rules, from the catalogue and from the cases that prove the kit.

The cases are data in `packages/latent-conformance/tests/cases`, which no distribution ships: `fresh` starts this
with that folder on the path, in a process of its own because it drives agents that are broken on purpose.
"""

from __future__ import annotations

import shutil
from itertools import groupby
from pathlib import Path

from latent.conformance import RULES, Door, Rule

DOCS = Path(__file__).parents[1]

__all__ = ["link", "write"]

_FAMILIES = {
    "PROTO": "Agents", "STEP": "Steps", "TEXT": "Text", "TOOL": "Tools", "CALL": "Model calls", "USAGE": "Usage",
    "RETR": "Retrieval", "PHASE": "Pipelines", "GUIDE": "Guided agents", "META": "Metadata", "ERR": "Failure",
    "STATE": "State", "LIFE": "Lifecycle", "MSG": "Messages", "WRAP": "Stream wrappers", "SINK": "Sinks",
    "ADAPT": "Adapters",
}  # fmt: skip
_SHOWN_BY = {
    Door.RECORDING: "every recording shows it",
    Door.BLACK_BOX: "every live agent shows it",
    Door.HARNESS: "every agent on the harness shows it",
    Door.CHANCE: "it is judged where it happens to come",
}

_INDEX = """# The rules

What the kit judges, from its own catalogue. A MUST that is broken fails an agent; a SHOULD is reported. Each rule links
to a case that keeps it and one that breaks it: the cases that the kit's own tests are made of.
"""


def link(rule: str, *, within: str = "rules/") -> str:
    """A rule as a link, for pages of the folder in which `within` is the folder of the rules."""
    return f"[{rule}]({within}{_page(rule)}.md#{rule.lower()})"


def write() -> None:
    """Write `rules.md` and a page for each family."""
    from sitegen.examples import example  # imports the cases of the kit's tests

    folder = DOCS / "rules"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    families = [(name, list(rules)) for name, rules in groupby(RULES.values(), lambda rule: rule.id.partition("-")[0])]
    (DOCS / "rules.md").write_text(_index(families), encoding="utf-8")
    for name, rules in families:
        sections = [_section(rule, example(rule)) for rule in rules]
        page = "\n".join([f"# {_FAMILIES[name]}: {name}", "", _STYLE, *sections])
        (folder / f"{name.lower()}.md").write_text(page, encoding="utf-8")


_STYLE = "```{generated} timeline style\n```\n"


def _page(rule: str) -> str:
    return rule.partition("-")[0].lower()


def _index(families: list[tuple[str, list[Rule]]]) -> str:
    lines = [_INDEX]
    for name, rules in families:
        lines += [f"## {_FAMILIES[name]}", "", "| rule | level | promise |", "|---|---|---|"]
        for rule in rules:
            lines.append(f"| {link(rule.id)} | {rule.level} | {rule.sentence} |")
        lines.append("")
    pages = [f"rules/{name.lower()}" for name, _ in families]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *pages, "```", ""])


def _section(rule: Rule, shown: str) -> str:
    lines = [f"## {rule.id}", "", f"**{rule.level}.** {rule.sentence}", "", f"*How to mend it:* {rule.remedy}", ""]
    clause = f'<a href="../specification.html#{rule.clause}">clause {rule.clause}</a>'
    shown_by = f"; {_SHOWN_BY[rule.shown_by]}" if rule.about == "agent" else ""
    told = [f"Said in {clause} of the specification.", f"Seen in {rule.how.seen_in}{shown_by}."]
    if rule.needs:
        told.append(f"Needs {', '.join(f'`{need}`' for need in sorted(rule.needs))}.")
    if rule.yields_to:
        told.append(f"Silent where {', '.join(link(other, within='') for other in rule.yields_to)} names the cause.")
    if rule.presumes:
        told.append(f"Presumes {', '.join(link(other, within='') for other in rule.presumes)}.")
    if rule.about == "library":
        told.append("About a library's helper, never in an agent's verdict.")
    return "\n".join([*lines, " ".join(told), "", shown, ""])


if __name__ == "__main__":
    write()
