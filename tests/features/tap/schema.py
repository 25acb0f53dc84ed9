"""Makes `docs/tap-rules.schema.json` of the rules that the program reads: `python -m tests.features.tap.schema`."""

import json
from pathlib import Path
from typing import Any

import msgspec

from inspector.features.tap.rules import Rule

FILE = Path(__file__).parents[3] / "docs/tap-rules.schema.json"
_HELP = {
    "when": "A filter over fields that are known when a message passes; empty: every message of the side.",
    "side": "Which messages the rule concerns.",
    "hit": "Which of the matching messages: 3, '>=3' or 'every 2'.",
    "once": "Switch the rule off after it acted once.",
    "probability": "Act on this part of these messages, above 0 and up to 1.",
    "seed": "Of the random numbers for probability and delay; one is drawn if it is missing.",
    "text": "log: what is noted.",
    "patch": "edit, override: a JSON Patch (RFC 6902).",
    "merge": "edit, override: a merge patch (RFC 7396).",
    "result": "answer: the result of the response.",
    "error": "answer, fault: the error of the response.",
    "delay": "delay: 500ms, 2s, a range such as 1s..3s or 2s±500ms, or a rate such as 20kB/s.",
    "status": "fault: the HTTP status of the fault status.",
    "fault": "fault: what goes wrong.",
    "names": "hide, override: names or URIs of items, with * and ?.",
    "only_this": "hold: let later messages of the direction pass.",
    "keep_on_cancel": "hold: forward a request and its cancellation although the client cancelled it.",
    "fallback": "hold: what happens at the deadline.",
}


def document() -> str:
    (_,), parts = msgspec.json.schema_components([Rule], ref_template="#/$defs/{name}")
    rule: dict[str, Any] = parts["Rule"]
    rule.pop("title", None)
    for name, said in _HELP.items():
        rule["properties"][name]["description"] = said
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of mcp-inspect tap",
        "type": "array",
        "items": {"$ref": "#/$defs/Rule"},
        "$defs": parts,
    }
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(document())
