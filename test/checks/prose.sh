#!/usr/bin/env bash
# Prose fits 120 columns: lines of pages (tables, code and links alone aside) and comments of code.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 - <<'P'
import pathlib
import re

MAX = 120
COMMENT = {".cpp": "//", ".hpp": "//", ".sql": "--", ".sh": "#", ".py": "#", ".mk": "#"}
pages = [*pathlib.Path().glob("*.md"), *pathlib.Path("docs").rglob("*.md"), *pathlib.Path("bench").rglob("*.md"),
         *pathlib.Path("clients").rglob("*.md")]
code = [path for room in ("src", "test", "sql", "bench", "demo", "packaging", "docs", "clients") for path in pathlib.Path(room).rglob("*")
        if path.suffix in COMMENT]
wide = []
for path in [*pages, *code]:
    if path.parts[:2] == ("docs", "reference") or path.name == "reference.md" or "released" in path.parts:
        continue
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if path.suffix == ".md":
            is_code ^= line.startswith("```")
            prose = not is_code and not line.startswith(("|", "    ")) and not re.fullmatch(r"\s*\S*\]\(\S*", line)
        else:
            prose = re.match(rf"\s*{COMMENT[path.suffix]} ", line)
        if prose and len(line) > MAX:
            wide.append(f"{path}:{number}: {len(line)} columns")
print("\n".join(wide) or "prose fits")
raise SystemExit(bool(wide))
P
