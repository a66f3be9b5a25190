"""Whether a record is one that the registry of deployments takes: facts of its schema
(opendp/deployments-registry-data, schemas/deployments-schema.yaml), written down by hand.

python3 registry.py yaml|json [say] < record: prints what is wrong, nothing else; with "say" also the record. YAML takes PyYAML."""
import datetime
import json
import sys

TEXT, NUMBER = (str,), (int, float)
SCHEMA = {
    "url_slug": TEXT, "status": {"Draft"}, "tier": {1, 2, 3},
    "deployment": {
        "basic": {"name": TEXT, "data_curators": [TEXT], "description": TEXT, "intended_use": TEXT,
                  "data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
                                        "Interactive API", "SQL queries"},
                  "data_product_region": TEXT, "publication_date": TEXT,
                  "data_product_sector": {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"}},
        "dp_variant": {"variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
                       "data_domain": TEXT, "unprotected_quantities": TEXT},
        "privacy_loss": {"privacy_unit": TEXT, "privacy_unit_details": TEXT,
                         "privacy_parameters": {"epsilon": NUMBER, "delta": NUMBER + TEXT, "rho": NUMBER},
                         "privacy_parameters_details": TEXT},
        "deployment_model": {"model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
                             "model_name_details": TEXT, "actors": TEXT,
                             "release_type": {"One release", "Many releases"}, "release_type_details": TEXT,
                             "data_source_type": {"Static", "Dynamic"}, "data_source_type_details": TEXT,
                             "access_type": {"Interactive", "Non-interactive"}, "access_type_details": TEXT},
        "accounting": {"post_processing": TEXT, "composition": TEXT},
        "implementation": {"preprocessing_and_hyperparameter_tuning": TEXT, "mechanisms": TEXT, "justification": TEXT},
        "administrative": {"sources": TEXT, "notes": TEXT, "registry_authors": [TEXT]},
    },
}
REQUIRED = ["url_slug", "status", "tier", "deployment", "deployment/administrative/registry_authors"] + [
    "deployment/basic/" + key for key in ("name", "data_curators", "intended_use", "data_product_type",
                                          "data_product_region", "description", "publication_date")]


def faults(value, schema, path):
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            yield f"{path} has no parts"
            return
        for key, part in value.items():
            if key in schema:
                yield from faults(part, schema[key], f"{path}/{key}")
            else:
                yield f"{path} has a part {key}"
    elif isinstance(schema, list):
        if not isinstance(value, list) or not value:
            yield f"{path} is no list"
            return
        for part in value:
            yield from faults(part, schema[0], path)
    elif isinstance(schema, set):
        if value not in schema:
            yield f"{path} is {value!r}"
    elif not isinstance(value, schema) or isinstance(value, bool) or value == "":
        yield f"{path} is {value!r}"


def all_faults(record):
    yield from faults(record, SCHEMA, "")
    for path in REQUIRED:
        part = record
        for key in path.split("/"):
            part = part.get(key) if isinstance(part, dict) else None
        if part is None:
            yield f"{path} is missing"
    try:
        datetime.date.fromisoformat(record["deployment"]["basic"]["publication_date"])
    except (KeyError, TypeError, ValueError) as error:
        yield f"publication_date: {error}"


if __name__ == "__main__":
    if sys.argv[1] == "yaml":
        import yaml
        record = yaml.safe_load(sys.stdin)
    else:
        record = json.load(sys.stdin)
    if sys.argv[2:]:
        print(json.dumps(record, sort_keys=True))
    print("\n".join(all_faults(record)), end="")
