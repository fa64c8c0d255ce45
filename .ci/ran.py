"""Say which Python versions the tests ran on; fail unless that is every version that was found."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from noxfile import FOUND, PYTHONS

ran: dict[str, set[str]] = {}
for entry in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["sessions"]:
    if found := re.fullmatch(r"tests-([\d.]+)\(.*\)", entry["signatures"][0]):
        ran.setdefault(found[1], set()).add(entry["result"])

passed = [version for version in PYTHONS if ran.get(version) == {"success"}]
print(f"Pythons found: {', '.join(FOUND)}; tests ran on: {', '.join(passed)}")
if passed != FOUND:
    sys.exit(f"the tests did not run on {', '.join(sorted(set(FOUND) - set(passed)))}")
