"""What holds between releases: one number everywhere, and fragments that the changelogs can be made of."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
TYPES = tomllib.loads((ROOT / ".ci" / "towncrier.toml").read_text())["tool"]["towncrier"]["type"]
KINDS = [kind["directory"] for kind in TYPES]
FRAGMENTS = sorted(path for package in PACKAGES for path in (package / "changes").iterdir() if path.name != ".gitkeep")

every_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)


def version_of(package: Path) -> str:
    return str(tomllib.loads((package / "pyproject.toml").read_text())["project"]["version"])


def fault_of(name: str, text: str) -> str | None:
    """What is wrong with a fragment."""
    if not re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(KINDS)})\.md", name):
        return f"expected +what-it-is-about.{'|'.join(KINDS)}.md, got {name}"
    if not re.fullmatch(r"[A-Z`].*\.\n?", text):
        return f"expected one line, a sentence with a full stop, got {text!r}"
    return None


def test_all_distributions_have_one_version() -> None:
    assert len({version_of(package) for package in PACKAGES}) == 1


@every_package
def test_the_changelog_begins_with_the_version(package: Path) -> None:
    changelog = (package / "CHANGELOG.md").read_text(encoding="utf-8")
    begun, told = changelog.split("\n<!-- releases -->\n\n")

    assert begun.startswith("# ")
    assert told.splitlines()[0] == f"## {version_of(package)}"
    assert re.findall(r"^## (.*)$", told, re.MULTILINE)[-1] == "1.0.0"


@every_package
def test_no_module_repeats_the_version(package: Path) -> None:
    repeating = [path for path in package.glob("src/**/*.py") if "__version__" in path.read_text(encoding="utf-8")]

    assert repeating == []


@every_package
def test_a_distribution_cannot_be_uploaded_by_accident(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]

    assert "Private :: Do Not Upload" in project["classifiers"]


@every_package
def test_a_distribution_has_a_folder_for_fragments(package: Path) -> None:
    assert (package / "changes" / ".gitkeep").is_file()


def test_every_waiting_fragment_has_the_form() -> None:
    faults = {path.name: fault_of(path.name, path.read_text(encoding="utf-8")) for path in FRAGMENTS}

    assert {name: fault for name, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(
    ("name", "text", "is_sound"),
    [
        ("+tool-names.added.md", "`tool` takes a name.\n", True),
        ("+tool-names.fixed.md", "A tool without a name is refused.", True),
        ("tool-names.added.md", "`tool` takes a name.\n", False),
        ("+tool names.added.md", "`tool` takes a name.\n", False),
        ("+tool-names.feature.md", "`tool` takes a name.\n", False),
        ("+tool-names.added.txt", "`tool` takes a name.\n", False),
        ("+tool-names.added.md", "", False),
        ("+tool-names.added.md", "tool takes a name", False),
        ("+tool-names.added.md", "One.\n\nTwo.\n", False),
    ],
)
def test_what_the_form_is(name: str, text: str, is_sound: bool) -> None:
    assert (fault_of(name, text) is None) is is_sound
