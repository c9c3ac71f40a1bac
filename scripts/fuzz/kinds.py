"""What the property-based tester does not make up: wrong kinds of items in every array,
members and map values of wrong kinds, bodies that are nested deep, and bodies of very
many values. Each is sent to every operation that takes JSON, with its credential and
without; none may be answered with a 500, and none without a credential may get through."""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ["PARLEY_URL"]
KINDS = [None, 7, "x", True, [], {}, [[]], [{}], {"a": []}]
IDS = {"accountid": "ACCOUNT_ID", "orgid": "ORG_ID", "scopeid": "SCOPE_ID", "agentid": "AGENT_ID", "queueid": "QUEUE_ID",
       "campaignid": "SMS_CAMPAIGN_ID", "workflowid": "WORKFLOW_ID", "toolid": "TOOL_ID"}
BOT = os.environ["BOT_ID"]


def known(name):
    return os.environ.get(IDS.get(name.lower(), "BOT_ID"), BOT)


def send(method, path, body, credential):
    headers = {"Content-Type": "application/json", "accountId": os.environ["ACCOUNT_ID"], "iid": BOT} | credential
    request = urllib.request.Request(URL + path, body.encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def nested(levels):
    return '{"metadata":' + "[" * levels + "]" * levels + "}"


# Name, body, and whether it parses.
SIZES = [("64 levels", nested(64), True), ("65 levels", nested(65), True), ("1,000 levels", nested(1_000), True),
         ("10,000 levels", nested(10_000), False), ("20,001 values", '{"metadata":[1' + ",1" * 20_000 + "]}", True),
         ("300,000 lists", '{"metadata":[[]' + ",[]" * 300_000 + "]}", True)]


class Schemas:
    def __init__(self, document):
        self.parts = document["components"]["schemas"]

    def resolved(self, schema):
        while "$ref" in schema:
            schema = self.parts[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def good(self, schema, depth=0):
        schema = self.resolved(schema)
        if schema.get("examples"):
            return schema["examples"][0]
        if schema.get("enum"):
            return schema["enum"][0]
        if depth > 6:
            return {}
        if "properties" in schema:
            return {name: self.good(s, depth + 1) for name, s in schema["properties"].items()}
        kind = schema.get("type")
        if isinstance(kind, list):  # it may be null as well
            kind = kind[0]
        if kind == "array":
            return [self.good(schema.get("items", {}), depth + 1)]
        return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": True, "string": BOT}.get(kind, {})

    def wrong(self, schema, depth=0):
        """Values with one wrong kind in one place."""
        schema = self.resolved(schema)
        if depth > 6:
            return
        for name, member in schema.get("properties", {}).items():
            for value in [*KINDS, *self.wrong(member, depth + 1)]:
                yield self.good(schema, depth) | {name: value}
        if "items" in schema:
            for value in [*KINDS, *self.wrong(schema["items"], depth + 1)]:
                yield [value]
                yield [self.good(schema["items"], depth + 1), value, value]
        if isinstance(schema.get("additionalProperties"), dict):
            for value in KINDS:
                yield {"key": value}


def operations(document):
    for path, methods in document["paths"].items():
        for method, op in methods.items():
            content = op.get("requestBody", {}).get("content", {}) if isinstance(op, dict) else {}
            if "application/json" in content:
                yield method.upper(), path, op, content["application/json"]["schema"]


# Nothing is connected here that has rooms or telephones: 503 is what the document has for that.
UNCONNECTED = {"rtc-token", "voice-token"}
# They read their body themselves, behind the credential.
BY_HAND = {"call-agent"}


def broken(op, status):
    """Whether an answer to something wrong is a fault of the server."""
    return status >= 500 and not (status == 503 and op["operationId"] in UNCONNECTED)


def main():
    with urllib.request.urlopen(URL + "/openapi.json", timeout=20) as answer:
        document = json.load(answer)
    schemas, faults, asked = Schemas(document), [], 0
    for method, template, op, schema in operations(document):
        path = "/".join(known(p[1:-1]) if p.startswith("{") else p for p in template.split("/"))
        takes = [name for way in op.get("security", []) for name in way]
        credential = {"auth": os.environ["PARLEY_TOKEN"]} if "auth" in takes else {"x-api-key": os.environ["PARLEY_API_KEY"]}
        if "auth" not in takes and "apiKey" not in takes:
            credential = {"Authorization": "Bearer " + os.environ["PARLEY_TOKEN"]}
        cases = [("a wrong kind", json.dumps(body), True) for body in schemas.wrong(schema)] + SIZES
        for name, body, parses in cases:
            status, text = send(method, path, body, credential)
            asked += 1
            if broken(op, status) or name in ("65 levels", "1,000 levels", "10,000 levels", "20,001 values", "300,000 lists") and status < 400 and "admin/apply" not in path:
                faults.append(f"{op['operationId']}: {name}: {status} {text[:200]!r} to {body[:200]}")
        for name, body, parses in SIZES:
            status, text = send(method, path, body, {})
            asked += 1
            if status != (401 if parses or op["operationId"] in BY_HAND else 400) and takes:
                faults.append(f"{op['operationId']}: {name} without a credential: {status} {text[:200]!r}")
    print(f"kinds and sizes: {asked} requests, {len(faults)} faults")
    for fault in faults[:40]:
        print("  " + fault)
    sys.exit(1 if faults else 0)


main()
