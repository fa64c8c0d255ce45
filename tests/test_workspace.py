"""What holds for the workspace as a whole."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
LEAVES = sorted(
    path
    for src in ROOT.glob("packages/*/src")
    for path in [*src.glob("latent/*"), *src.glob("agentloop")]
    if path.is_dir() and path.name != "__pycache__"
)


def test_there_are_four_distributions() -> None:
    assert [path.name for path in PACKAGES] == ["agentloop", "latent-agents", "latent-conformance", "latent-protocol"]


def test_no_distribution_fills_the_namespace() -> None:
    assert [*ROOT.glob("packages/*/src/latent/__init__.py"), *ROOT.glob("packages/*/src/latent/py.typed")] == []


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda path: path.name)
def test_every_importable_package_is_typed(leaf: Path) -> None:
    assert (leaf / "__init__.py").is_file()
    assert (leaf / "py.typed").is_file()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_distribution_accepts_no_sibling_below_version_one(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    optional = project.get("optional-dependencies", {}).values()
    required = [*project["dependencies"], *(each for extra in optional for each in extra)]
    siblings = [each for each in required if re.match(r"latent-|agentloop", each)]

    assert project["version"].split(".")[0] == "1"
    assert [each for each in siblings if not each.endswith(">=1.0,<2")] == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_distribution_has_its_own_licence_readme_and_changelog(package: Path) -> None:
    assert (package / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert (package / "README.md").read_text().startswith(f"# {package.name}")
    assert (package / "CHANGELOG.md").is_file()


def test_a_module_can_be_read_in_one_sitting() -> None:
    modules = [*ROOT.glob("packages/*/src/**/*.py"), *ROOT.glob("docs/sitegen/*.py")]
    sizes = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in modules}

    assert sizes
    assert {path: size for path, size in sizes.items() if size > 300} == {}


def test_the_picture_of_the_architecture_agrees_with_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    picture = importlib.import_module("sitegen.architecture")

    kept = picture.PICTURE.read_text(encoding="utf-8")
    assert kept == picture.architecture(), "draw it again: `python -m sitegen.architecture` in docs"


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_has_pip_fetch_a_name_that_others_hold(page: Path) -> None:
    commands = re.findall(r"pip install (.*)", page.read_text(encoding="utf-8"))
    taken = {"latent", "latent-protocol", "latent-agents", "latent-conformance", "agentloop"}

    assert [line for line in commands if taken & {re.split(r"[\[=<>`'\"]", word)[0] for word in line.split()}] == []
