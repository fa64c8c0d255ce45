"""What the check of a release's files finds."""

import io
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / ".ci" / "artifacts.py"
artifacts = runpy.run_path(str(PROGRAM))

SDIST = {
    "CHANGELOG.md": "",
    "LICENSE": "",
    "PKG-INFO": "",
    "README.md": "",
    "pyproject.toml": "",
    "src/a/__init__.py": "",
    "tests/test_a.py": "",
}
WHEEL = {"latent/a/__init__.py": "", "a-1.0.dist-info/licenses/LICENSE": "", "a-1.0.dist-info/RECORD": ""}


def write_sdist(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"a-1.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def write_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return path


def test_a_whole_sdist_and_a_whole_wheel_have_no_fault(tmp_path: Path) -> None:
    sdist, wheel = (
        write_sdist(tmp_path / "a-1.0.tar.gz", SDIST),
        write_wheel(tmp_path / "a-1.0-py3-none-any.whl", WHEEL),
    )

    assert [*artifacts["faults"](sdist, ["/home/me"]), *artifacts["faults"](wheel, ["/home/me"])] == []


@pytest.mark.parametrize("missing", sorted(SDIST))
def test_what_an_sdist_lacks_is_told(tmp_path: Path, missing: str) -> None:
    files = {name: text for name, text in SDIST.items() if name != missing}
    wanted = f"{missing.partition('/')[0]}/" if "/" in missing else missing

    found = [*artifacts["faults"](write_sdist(tmp_path / "a-1.0.tar.gz", files), [])]

    assert found == [f"a-1.0.tar.gz: holds no {wanted}"]


def test_a_wheel_without_a_licence_or_with_the_namespace_filled_is_told(tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path / "a-1.0-py3-none-any.whl", {"latent/__init__.py": ""})

    assert [*artifacts["faults"](wheel, [])] == [
        "a-1.0-py3-none-any.whl: holds no licence",
        "a-1.0-py3-none-any.whl: fills the namespace",
    ]


def test_a_path_of_the_machine_is_told_with_its_file(tmp_path: Path) -> None:
    sdist = write_sdist(tmp_path / "a-1.0.tar.gz", {**SDIST, "tests/test_a.py": "open('/home/me/a')"})

    assert [*artifacts["faults"](sdist, ["/home/me"])] == ["a-1.0.tar.gz: tests/test_a.py holds the path /home/me"]


def test_builds_that_differ_or_lack_a_file_are_told(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, text in ((first, "one"), (second, "two")):
        folder.mkdir()
        write_wheel(folder / "a-1.0-py3-none-any.whl", WHEEL)
        write_sdist(folder / "a-1.0.tar.gz", {**SDIST, "README.md": text})
    write_wheel(first / "b-1.0-py3-none-any.whl", WHEEL)

    assert [*artifacts["differences"](first, second)] == [
        f"a-1.0.tar.gz: differs between {first} and {second}",
        f"b-1.0-py3-none-any.whl: missing in {second}",
    ]
    assert [*artifacts["differences"](first, first)] == []


def test_pins_have_the_version_and_the_hash_of_each_wheel(tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path / "latent_agents-1.0.0-py3-none-any.whl", WHEEL)
    write_sdist(tmp_path / "latent_agents-1.0.0.tar.gz", SDIST)

    assert artifacts["pinned"]([tmp_path]) == f"latent-agents==1.0.0 --hash=sha256:{artifacts['digest'](wheel)}\n"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_sums_are_written_only_where_nothing_is_wrong(tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path / "a-1.0-py3-none-any.whl", {**WHEEL, "latent/a/b.py": "/home/me"})
    refused = run("check", tmp_path, tmp_path, "--trace", "/home/me")
    assert (refused.returncode, (tmp_path / "SHA256SUMS").exists()) == (1, False)
    accepted = run("check", tmp_path, tmp_path)

    assert refused.stderr == "a-1.0-py3-none-any.whl: latent/a/b.py holds the path /home/me\n"
    assert accepted.returncode == 0
    assert (tmp_path / "SHA256SUMS").read_text() == f"{artifacts['digest'](wheel)}  {wheel.name}\n"
