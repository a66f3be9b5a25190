#!/usr/bin/env python3
"""META.json as PGXN's Meta Spec v2 (RFC 3) has it, from the v1 file, which is what PGXN takes today.

    packaging/meta_v2.py     prints it; packaging/dist.sh leaves it beside the archives
"""
import json
import re
from pathlib import Path

top = Path(__file__).resolve().parent.parent
meta = json.loads((top / "META.json").read_text())
name, email = re.search(r"^Maintainer: (.*) <(.*)>$", (top / "debian/control").read_text(), re.M).groups()

print(json.dumps({
    "name": meta["name"],
    "abstract": meta["abstract"],
    "description": meta["description"],
    "version": meta["version"],
    "maintainers": [{"name": name, "email": email}],
    "license": "PostgreSQL",
    "contents": {
        "extensions": {
            extension: {
                "abstract": said["abstract"],
                "control": f"{extension}.control",
                "sql": said["file"],
                "doc": said["docfile"],
            } for extension, said in meta["provides"].items()
        },
        "modules": {
            "dpmix": {
                "type": "hook",
                "lib": "dpmix",
                "preload": "server",
                "doc": "docs/operating.md",
                "abstract": "plain SQL over protected tables",
            },
        },
    },
    "dependencies": {
        "platforms": ["linux"],
        "postgres": {"version": "15.0"},
        "pipeline": "pgxs",
        "packages": {
            "build": {
                "requires": {"pkg:generic/eigen": "3.4", "pkg:generic/boost": 0, "pkg:generic/openssl": 0},
            },
            "test": {"requires": {"pkg:postgres/pg_regress": 0}},
            "run": {"requires": {"pkg:generic/openssl": 0, "pkg:postgres/plpgsql": 0}},
        },
    },
    "producer": "dpmix's packaging/meta_v2.py",
    "classifications": {"categories": ["Analytics", "Security"], "tags": meta["tags"]},
    "meta-spec": {"version": "2.0.0", "url": "https://rfcs.pgxn.org/0003-meta-spec-v2.html"},
}, indent=2))
