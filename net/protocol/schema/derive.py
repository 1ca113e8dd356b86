#!/usr/bin/env python3
"""Derives the schema files beside this script from the message schemas inside Kafka's jars: facts only, no prose.

    ./derive.py JARS_DIR

The format is described in README.md. Everything but the facts (comments, descriptions, the JSON itself) is left behind.
"""

import glob
import json
import os
import re
import shutil
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

# The jar a schema comes from says which of the apiKey spaces it belongs to.
FOLDERS = {
    ("request", None): "api",
    ("response", None): "api",
    ("header", None): "api",
    ("data", None): "data",
    ("metadata", "kafka-metadata"): "metadata_log",
    ("metadata", "kafka-storage"): "remote_log",
    ("coordinator-key", "kafka-group-coordinator"): "groups",
    ("coordinator-value", "kafka-group-coordinator"): "groups",
    ("coordinator-key", "kafka-transaction-coordinator"): "transactions",
    ("coordinator-value", "kafka-transaction-coordinator"): "transactions",
    ("coordinator-key", "kafka-share-coordinator"): "shares",
    ("coordinator-value", "kafka-share-coordinator"): "shares",
}


def schemas(jars_dir):
    """Yields (jar name without version, parsed schema) for every message that still has a valid version."""
    for jar in sorted(glob.glob(os.path.join(jars_dir, "kafka*.jar"))):
        name = re.sub(r"-\d[\d.]*\.jar$", "", os.path.basename(jar))
        with zipfile.ZipFile(jar) as archive:
            for entry in sorted(archive.namelist()):
                if entry.endswith(".json"):
                    text = archive.read(entry).decode()
                    schema = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M))
                    if "fields" in schema:
                        yield name, schema


def snake(name):
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name.replace("KRaft", "Kraft"))
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def default_of(field):
    """The default as a word, or None where it is the type's zero (JSON null means "not given", like in Kafka)."""
    value = field.get("default")
    if value is None:
        return None
    if isinstance(value, bool):
        value = str(value).lower()
    value = str(value)
    zero = {"string": "", "bool": "false"}.get(field["type"], "0")
    if value == zero:
        return None
    return str(int(value, 0)) if re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", value) else value


def field_lines(fields, depth):
    for field in fields:
        tagged = field.get("taggedVersions")
        words = [field["name"], field["type"], field.get("versions", tagged)]
        if tagged:
            words.append(f"tag={field['tag']}:{tagged}")
        if "nullableVersions" in field:
            words.append(f"nullable={field['nullableVersions']}")
        if default_of(field) is not None:
            words.append(f"default={default_of(field)}")
        if "flexibleVersions" in field:
            words.append(f"flexible={field['flexibleVersions']}")
        if field.get("ignorable") in (True, "true"):
            words.append("ignorable")
        if field.get("mapKey") in (True, "true"):
            words.append("key")
        yield "  " * depth + " ".join(words)
        yield from field_lines(field.get("fields", []), depth + 1)


def render(schema):
    head = [schema["type"], schema["name"]]
    if "apiKey" in schema:
        head.append(f"key={schema['apiKey']}")
    head += [f"versions={schema['validVersions']}", f"flexible={schema['flexibleVersions']}"]
    if schema.get("latestVersionUnstable"):
        head.append("unstable")
    if "listeners" in schema:
        head.append("listeners=" + ",".join(schema["listeners"]))
    lines = [" ".join(head), *field_lines(schema["fields"], 1)]
    for struct in schema.get("commonStructs", []):
        lines += [f"struct {struct['name']} {struct['versions']}", *field_lines(struct["fields"], 1)]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for folder in set(FOLDERS.values()):
        shutil.rmtree(os.path.join(HERE, folder), ignore_errors=True)
        os.makedirs(os.path.join(HERE, folder))
    count = 0
    for jar, schema in schemas(sys.argv[1]):
        kind = schema["type"]
        folder = FOLDERS.get((kind, None)) or FOLDERS[(kind, jar)]
        with open(os.path.join(HERE, folder, snake(schema["name"]) + ".txt"), "w") as out:
            out.write(render(schema))
        count += 1
    print(f"{count} schemas")


if __name__ == "__main__":
    main()
