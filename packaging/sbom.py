#!/usr/bin/env python3
"""What is in a Debian package of dpmix, and what it was built with, as a CycloneDX 1.5 document.

    packaging/sbom.py DEB BUILDINFO          prints it; of the .buildinfo that dpkg-buildpackage wrote
    packaging/sbom.py --check FILE...        by CycloneDX's own schema: pip install "cyclonedx-python-lib[json-validation]"

A component is `required` if the package needs it at run time or has parts of it compiled in (headers), and `excluded`
if it was only there when the package was built. The same package makes the same document.
"""
import hashlib
import json
import re
import subprocess
import sys
import uuid
from email.utils import parsedate_to_datetime

# Headers whose code is in the library: templates and inline functions.
COMPILED_IN = re.compile(r"libeigen3-dev|libboost[\d.]*-dev|libstdc\+\+-\d+-dev|postgresql-server-dev-\d+")


def field(control, name):
    """A field of a control file, its continued lines in one."""
    found = re.search(rf"^{name}:(.*(?:\n .*)*)", control, re.M)
    return " ".join(found.group(1).split()) if found else ""


def versions(relations):
    """Of `name (op version), name | name, ...`: name -> version, or None where it says none."""
    for relation in filter(None, re.split(r"\s*,\s*", relations)):
        name, version = re.match(r"([^\s(:|]+)\S*\s*(?:\([<>=]*\s*([^)]*)\))?", relation).groups()
        yield name, version


def component(name, version, scope, properties=(), **more):
    made = {"type": "library", "bom-ref": name, "name": name}
    if version:
        made |= {"version": version, "purl": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B')}"}
    if scope:
        made["scope"] = scope
    if properties:
        made["properties"] = [{"name": f"dpmix:{key}", "value": value} for key, value in properties]
    return made | more


def document(deb, buildinfo):
    control = subprocess.run(["dpkg-deb", "--field", deb], check=True, capture_output=True, text=True).stdout
    with open(buildinfo, encoding="utf-8") as file:
        built = file.read()
    with open(deb, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    there = dict(versions(field(built, "Installed-Build-Depends")))
    needed = dict(versions(field(control, "Depends")))
    components = [component(name, there.get(name) or version, "required",
                            [("role", "needed at run time")] + [("at least", version)] * bool(version))
                  for name, version in sorted(needed.items())]
    for name, version in sorted(there.items()):
        if name not in needed:
            inside = COMPILED_IN.fullmatch(name)
            components.append(component(name, version, "required" if inside else "excluded",
                                        [("role", "compiled in" if inside else "build")]))
    package = component(field(control, "Package"), field(control, "Version"), None,
                        hashes=[{"alg": "SHA-256", "content": digest}],
                        licenses=[{"license": {"id": "PostgreSQL"}}])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": parsedate_to_datetime(field(built, "Build-Date")).isoformat(),
            "component": package,
        },
        "components": components,
        "dependencies": [{
            "ref": package["bom-ref"],
            "dependsOn": [each["bom-ref"] for each in components if each["scope"] == "required"],
        }],
    }


def check(paths):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    for path in paths:
        with open(path, encoding="utf-8") as file:
            wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(file.read())
        if wrong:
            sys.exit(f"sbom: {path}: {wrong}")
        print(f"{path} is valid")


if len(sys.argv) > 2 and sys.argv[1] == "--check":
    check(sys.argv[2:])
elif len(sys.argv) == 3:
    print(json.dumps(document(*sys.argv[1:]), indent=2))
else:
    sys.exit(__doc__)
