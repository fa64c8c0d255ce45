"""Check the files of a release: built twice and alike, whole, without a trace of the machine; and sum and pin them.

    python .ci/artifacts.py check dist again --trace /home/someone
    python .ci/artifacts.py pin dist wheelhouse > requirements.txt

`check` compares the two folders byte by byte, looks into each archive, and writes `SHA256SUMS` into the first one.
`pin` prints a line for each wheel with its version and its hash, as `pip install --require-hashes -r` reads them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SUMS = "SHA256SUMS"
SDIST_HOLDS = ("CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "src/", "tests/")


def archives(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a wheel, or of a source distribution without its top folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                yield name, wheel.read(name)
        return
    with tarfile.open(archive) as sdist:
        for member in sdist.getmembers():
            if member.isfile() and (file := sdist.extractfile(member)):
                yield member.name.partition("/")[2], file.read()


def differences(first: Path, second: Path) -> Iterator[str]:
    """What is not the same in both folders."""
    sums = [{path.name: digest(path) for path in archives(folder)} for folder in (first, second)]
    for name in sorted({*sums[0], *sums[1]}):
        if sums[0].get(name) != sums[1].get(name):
            missing = [str(folder) for folder, held in zip((first, second), sums, strict=True) if name not in held]
            yield f"{name}: missing in {missing[0]}" if missing else f"{name}: differs between {first} and {second}"


def faults(archive: Path, traces: Sequence[str]) -> Iterator[str]:
    """What is wrong with one archive; `traces` are texts that no file may hold."""
    held = dict(members(archive))
    if archive.suffix == ".whl":
        if not any(name.endswith(".dist-info/licenses/LICENSE") for name in held):
            yield f"{archive.name}: holds no licence"
        if "latent/__init__.py" in held:
            yield f"{archive.name}: fills the namespace"
    else:
        for wanted in SDIST_HOLDS:
            if not any(name == wanted or (wanted.endswith("/") and name.startswith(wanted)) for name in held):
                yield f"{archive.name}: holds no {wanted}"
    for name, data in held.items():
        for trace in traces:
            if trace.encode() in data:
                yield f"{archive.name}: {name} holds the path {trace}"


def summed(folder: Path) -> str:
    """The lines of `SHA256SUMS`, as `sha256sum --check` reads them."""
    return "".join(f"{digest(path)}  {path.name}\n" for path in archives(folder))


def pinned(folders: Iterable[Path]) -> str:
    """The lines of a requirements file for all wheels in the folders."""
    lines = []
    for wheel in sorted(path for folder in folders for path in folder.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        lines.append(f"{name.replace('_', '-')}=={version} --hash=sha256:{digest(wheel)}\n")
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check")
    check.add_argument("first", type=Path)
    check.add_argument("second", type=Path)
    check.add_argument("--trace", action="append", default=[])
    pin = commands.add_parser("pin")
    pin.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "pin":
        sys.stdout.write(pinned(options.folders))
        return
    found = [*differences(options.first, options.second)]
    found += [fault for archive in archives(options.first) for fault in faults(archive, options.trace)]
    if found:
        sys.exit("\n".join(found))
    (options.first / SUMS).write_text(summed(options.first), encoding="utf-8")
    sys.stdout.write(summed(options.first))


if __name__ == "__main__":
    main()
