"""Checks what `rpc.discover` answers, and every example of Docs/Bridge.md against it.

    check_openrpc.py DOCUMENT BRIDGE_MD

Prints what is wrong, a line each, and exits with 1 if anything is.
"""

import json
import re
import sys

from jsonschema import Draft7Validator

document = json.load(open(sys.argv[1], encoding="utf-8"))
text = open(sys.argv[2], encoding="utf-8").read()
faults = []


def need(condition, fault):
    if not condition:
        faults.append(fault)


def resolve(reference):
    """What a reference within the document leads to."""
    value = document
    for part in reference.removeprefix("#/").split("/"):
        value = value[part]
    return value


def validator(schema):
    """A validator that finds the document's components."""
    return Draft7Validator({**schema, "components": document["components"]})


def check(schema, value, where):
    for error in validator(schema).iter_errors(value):
        faults.append(f"{where}: {error.message}")


def check_schema(schema, where):
    Draft7Validator.check_schema(schema)
    for reference in re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema)):
        try:
            resolve(reference)
        except KeyError:
            faults.append(f"{where}: {reference} leads nowhere")


def is_text(value):
    return isinstance(value, str) and value != ""


# OpenRPC 1.3, "OpenRPC Object" and what it holds: what is required, and of which type.
need(re.fullmatch(r"1\.\d+\.\d+", document.get("openrpc", "")), "openrpc is not a version 1.x")
need(is_text(document["info"].get("title")) and is_text(document["info"].get("version")), "info lacks title or version")
need(is_text(document["info"]["license"].get("name")), "the license has no name")
need(isinstance(document["methods"], list) and document["methods"], "there are no methods")
need(re.fullmatch(r"[a-zA-Z0-9._-]+", "".join(document["components"]["schemas"])), "a component has an impossible name")

methods = {method["name"]: method for method in document["methods"]}
need(len(methods) == len(document["methods"]), "two methods have one name")
for name, schema in document["components"]["schemas"].items():
    check_schema(schema, name)
    need(is_text(schema.get("description")), f"{name} is not described")
    need(schema.get("examples"), f"{name} has no example")
    for example in schema.get("examples", []):
        check(schema, example, f"the example of {name}")

for name, method in methods.items():
    need(is_text(method.get("summary")), f"{name} has no summary")
    need(method.get("paramStructure") in ("by-name", "by-position", "either"), f"{name}: paramStructure")
    names = [param["name"] for param in method["params"]]
    need(len(set(names)) == len(names), f"{name}: two params have one name")
    required = [bool(param.get("required")) for param in method["params"]]
    need(required == sorted(required, reverse=True), f"{name}: a required param after an optional one")
    for descriptor in method["params"] + [method["result"]]:
        need(is_text(descriptor.get("name")), f"{name}: a content descriptor has no name")
        check_schema(descriptor["schema"], f"{name}.{descriptor['name']}")
    result = method["result"]["schema"]
    kinds = [resolve(result["$ref"])] if "$ref" in result else [result]
    while any("anyOf" in kind or "$ref" in kind for kind in kinds):
        kinds = [
            resolve(inner["$ref"]) if "$ref" in inner else inner for kind in kinds for inner in kind.get("anyOf", [kind])
        ]
    need(all(kind.get("type") == "object" for kind in kinds), f"{name}: the result is not an object")
    for reference in method["errors"]:
        error = resolve(reference["$ref"])
        need(isinstance(error["code"], int) and is_text(error["message"]), f"{name}: an error lacks code or message")
    need(method.get("examples"), f"{name} has no example")
    for example in method.get("examples", []):
        params = {param["name"]: param for param in method["params"]}
        for value in example["params"]:
            check(params[value["name"]]["schema"], value["value"], f"the example of {name}.{value['name']}")
        missing = [p["name"] for p in method["params"] if p.get("required")][len(example["params"]) :]
        need(not missing, f"the example of {name} lacks {missing}")
        check(result, example["result"]["value"], f"the example of {name}'s result")

# Every message that the documentation shows.
shown = set()
expected = None
for block in re.findall(r"```(?:json)?\n(.*?)```", text, re.S):
    for line in filter(lambda line: line.startswith('{"jsonrpc"'), block.splitlines()):
        message = json.loads(line)
        where = f"Docs/Bridge.md: {line[:80]}"
        if "method" in message and "id" in message:
            expected = methods.get(message["method"])
            need(expected, f"{where}: there is no such method")
            shown.add(message["method"])
            given = message.get("params", [])
            if isinstance(given, list):
                given = dict(zip((param["name"] for param in expected["params"]), given))
            for param in expected["params"]:
                if param["name"] in given:
                    check(param["schema"], given[param["name"]], where)
        elif "method" in message:
            schema = {"log": "LogNotification", "diagnostic": "DiagnosticNotification", "session": "SessionNotification", "credentials": "CredentialsNotification"}[message["method"]]
            check({"$ref": f"#/components/schemas/{schema}"}, message["params"], where)
        elif "result" in message:
            check(expected["result"]["schema"], message["result"], where)
        else:
            need(message["error"]["data"]["code"] in document["components"]["errors"], f"{where}: no such error")
            need(isinstance(message["error"]["data"]["retryable"], bool), f"{where}: retryable")
need(shown == set(methods), f"Docs/Bridge.md shows no call of {set(methods) - shown}")

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
