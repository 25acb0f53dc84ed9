"""Rules of a tap: parsed from YAML or set over the control socket, and matched against messages.

The condition of a rule is a filter on fields that are known when a message passes. `judging.py` applies rules.
"""

import logging
import random
import re
import time
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Literal, get_args

import msgspec

from inspector.documents import UnreadableDocument, prepared_type, read_yaml
from inspector.errors import FilterError
from inspector.filters.engine.message import KNOWN, Condition, MessageView, condition
from inspector.filters.language.fields import refs
from inspector.filters.language.parser import parse
from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode

Action = Literal["hold", "log", "edit", "answer", "drop", "delay", "fault", "hide", "override"]
Side = Literal["request", "response", "notification", "either"]
Fault = Literal["error", "cut", "malformed", "duplicate", "banner", "kill", "status"]
MOST_RULES = 1000
LONGEST_FILE = 300_000
"""Maximum characters of a rules file. YAML is read slowly: more would take seconds."""
logger = logging.getLogger(__name__)
_SLOW_S = 0.05
"""Maximum CPU time per message, above which a rule is switched off."""
LISTS = {
    "tools/list": ("tools", "name"),
    "prompts/list": ("prompts", "name"),
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
}

_FIELDS = {
    "hold": {"only_this", "fallback", "keep_on_cancel"},
    "log": {"text"},
    "edit": {"patch", "merge"},
    "answer": {"result", "error"},
    "drop": set(),
    "delay": {"delay"},
    "fault": {"fault", "error", "status"},
    "hide": {"names"},
    "override": {"names", "patch", "merge"},
}
_OF_ALL = {"name", "action", "when", "side", "hit", "once", "enabled", "probability", "seed"}
_NEEDED = {
    "edit": ("patch", "merge"),
    "answer": ("result", "error"),
    "delay": ("delay",),
    "fault": ("fault",),
    "hide": ("names",),
    "override": ("names",),
}
_HIT = re.compile(r"(?:(\d{1,9})|>=\s*(\d{1,9})|every\s+(\d{1,9}))$")
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)$")
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kM]?B)/s$")
_SIZES = {"B": 1, "kB": 1000, "MB": 1_000_000}
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


@prepared_type
class Rule(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One rule as written in a file."""

    name: str
    action: Action
    when: str = ""
    """Filter; "" for every message of the side."""
    side: Side = "either"
    hit: int | str = ""
    """Which of the matching messages to act on: `3`, `>=3`, `every 2`; "" for each."""
    once: bool = False
    """Whether to switch the rule off after it acted."""
    probability: float = 1.0
    """Fraction of these messages to act on, from 0 to 1."""
    seed: int | None = None
    """Seed of the random numbers for `probability` and `delay`; None to choose one."""
    enabled: bool = True
    text: str = ""
    """log: text to record."""
    patch: list[dict[str, Any]] = []
    """edit, override: a JSON Patch (RFC 6902)."""
    merge: Any = None
    """edit, override: a merge patch (RFC 7396)."""
    result: Any = None
    """answer: the result of the response."""
    error: Any = None
    """answer, fault: the error of the response, with `code` and `message`."""
    delay: str = ""
    """delay: `500ms`, `2s`, a range: `1s..3s`, `2s±500ms`; or a rate, for the bytes of the message: `20kB/s`."""
    fault: Fault | None = None
    status: int = 503
    """fault: HTTP status for the fault `status`."""
    names: list[str] = []
    """hide: names of tools and prompts, URIs of resources, with `*` and `?`; override: the items to change."""
    only_this: bool = False
    """hold: let later messages of the direction pass."""
    keep_on_cancel: bool = False
    """hold: forward the request and its cancellation if the client cancels it; otherwise neither is forwarded."""
    fallback: Literal["release", "drop"] = "release"
    """hold: action at the deadline."""


class RuleProblem(msgspec.Struct, frozen=True):
    """A rule that can't be used."""

    line: int
    """Line in the file, from 1; 0 if it was not read from a file."""
    name: str
    why: str


# Reading


def read_rules(text: str) -> tuple[list["ArmedRule"], list[RuleProblem]]:
    """Parse a YAML file. Return the valid rules, and the problems of the others."""
    if len(text) > LONGEST_FILE:
        why = f"the file has {len(text):,} characters, and a rules file has at most {LONGEST_FILE:,}"
        return [], [RuleProblem(1, "", why)]
    try:
        items = read_yaml(text)
    except UnreadableDocument as error:
        return [], [RuleProblem(error.line, "", str(error))]
    if not isinstance(items, list):
        return [], [RuleProblem(1, "", "a rules file is a list of rules, each with a name and an action")]
    lines = _lines(text)
    rules: list[ArmedRule] = []
    problems: list[RuleProblem] = []
    names = set[str]()
    for number, item in enumerate(items[:MOST_RULES]):
        line, keys = lines[number] if number < len(lines) else (0, {})
        name = peek.text(item, "name") or ""
        try:
            rule = armed(item)
            if rule.rule.name in names:
                raise BadRule(f"a rule named {rule.rule.name!r} is already in this file", "name")
        except BadRule as bad:
            problems.append(RuleProblem(keys.get(bad.field, line), name, str(bad)))
        else:
            names.add(rule.rule.name)
            rules.append(rule)
    if len(items) > MOST_RULES:
        line = lines[MOST_RULES][0] if len(lines) > MOST_RULES else 0
        problems.append(
            RuleProblem(line, "", f"a rules file has at most {MOST_RULES:,} rules; the others are left out")
        )
    return rules, problems


def _lines(text: str) -> list[tuple[int, dict[str, int]]]:
    """Return the line of each item of a YAML list, and the lines of its members."""
    import yaml

    node = yaml.compose(text, Loader=yaml.SafeLoader)
    found: list[tuple[int, dict[str, int]]] = []
    for item in node.value if isinstance(node, yaml.SequenceNode) else ():
        members = item.value if isinstance(item, yaml.MappingNode) else ()
        keys = {str(key.value): key.start_mark.line + 1 for key, _ in members}
        found.append((item.start_mark.line + 1, keys))
    return found


class BadRule(ValueError):
    """Why a rule can't be used."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(why)
        self.field = field


def armed(item: Any) -> "ArmedRule":
    """Convert data to a rule that is ready for use. Raises: BadRule."""
    try:
        rule = msgspec.convert(item, Rule)
    except msgspec.ValidationError as error:
        raise _bad_rule(item, str(error)) from None
    if not rule.name.strip():
        raise BadRule("the name is empty", "name")
    _demand_fields(rule)
    return ArmedRule(rule)


def _bad_rule(item: Any, error: str) -> BadRule:
    """Return the reason for an error of msgspec as a user of rules files understands it."""
    if not isinstance(item, dict):
        return BadRule("a rule is a mapping with a name and an action")
    if missing := re.search(r"missing required field `(\w+)`", error):
        return BadRule(f"`{missing[1]}` is missing")
    known = {field.name: field.type for field in msgspec.structs.fields(Rule)}
    if unknown := next((key for key in item if key not in known), None):
        near = get_close_matches(str(unknown), known, n=1)
        return BadRule(f"unknown field `{unknown}`" + (f"; did you mean `{near[0]}`?" if near else ""), str(unknown))
    found = re.search(r"`\$\.(\w+)", error)
    field = found[1] if found else ""
    choices = [each for part in (known.get(field), *get_args(known.get(field))) for each in get_args(part)]
    if names := sorted({each for each in choices if isinstance(each, str)}):
        return BadRule(f"`{field}` is one of {', '.join(names)}, not {item.get(field)!r:.100}", field)
    return BadRule(f"`{field}`: {error.partition(' - at')[0].lower()}" if field else error, field)


def _demand_fields(rule: Rule) -> None:
    given = set(msgspec.to_builtins(rule)) - _OF_ALL
    if extra := sorted(given - _FIELDS[rule.action]):
        raise BadRule(f"`{extra[0]}` does not belong to the action {rule.action}", extra[0])
    needed = _NEEDED.get(rule.action, ())
    if needed and not given & set(needed):
        raise BadRule(f"the action {rule.action} needs {' or '.join(f'`{each}`' for each in needed)}", "action")
    if not 0 < rule.probability <= 1:
        raise BadRule("`probability` is a number above 0, and 1 at most", "probability")
    if not 400 <= rule.status <= 599:
        raise BadRule("`status` is an HTTP status from 400 to 599", "status")
    if rule.action == "override" and not given & {"patch", "merge"}:
        raise BadRule("the action override needs `patch` or `merge`", "action")
    if rule.action == "answer" and rule.side not in ("request", "either"):
        raise BadRule("only requests can be answered", "side")
    if rule.action in ("hide", "override") and rule.side not in ("response", "either"):
        raise BadRule(f"the action {rule.action} changes responses", "side")


def _hit(written: int | str) -> Callable[[int], bool]:
    text = str(written).strip()
    if not text:
        return lambda hit: True
    found = _HIT.match(text)
    if found is None or int(found[1] or found[3] or 1) == 0:
        raise BadRule(f"`hit` is 3, '>=3' or 'every 2', not {text!r}", "hit")
    if found[1]:
        wanted = int(found[1])
        return lambda hit: hit == wanted
    if found[2]:
        least = int(found[2])
        return lambda hit: hit >= least
    every = int(found[3])
    return lambda hit: hit % every == 0


def _delay(text: str) -> tuple[float, float, float]:
    """Return the minimum and maximum delay in seconds, and the seconds per byte."""
    rate = _RATE.match(text.strip())
    if rate is not None and float(rate[1]) > 0:
        return 0.0, 0.0, 1 / (float(rate[1]) * _SIZES[rate[2]])
    middle, either_way, spread = text.partition("±")
    if either_way:
        least, most = _span(middle) - _span(spread), _span(middle) + _span(spread)
    else:
        first, _, last = text.partition("..")
        least, most = _span(first), _span(last or first)
    return max(0.0, least), most, 0.0


def _span(text: str) -> float:
    found = _SPAN.match(text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else -1.0
    if not 0 <= seconds <= 3600:
        raise BadRule(f"`delay` is 500ms, 2s, 1s..3s, 2s±500ms or 20kB/s, not {text!r}", "delay")
    return seconds


def _compiled(text: str) -> Condition:
    """Compile a filter. Raises: BadRule if it is invalid, or uses fields that are unknown when a message passes."""
    try:
        term = parse(text)
    except FilterError as error:
        raise BadRule(f"`when`, column {error.column + 1}: {error}", "when") from None
    if term is None:
        return lambda view: True
    if unknown := next((ref.name for ref in refs(term) if ref.name not in KNOWN), ""):
        raise BadRule(f"`{unknown}` is not known yet when a message passes", "when")
    return condition(term)


class ArmedRule:
    """A rule in use."""

    def __init__(self, rule: Rule) -> None:
        """Compile the rule. Raises: BadRule."""
        self.rule = rule
        self.enabled = rule.enabled
        self.hits = 0
        """Number of messages that matched."""
        self.by = "file"
        """Origin of the rule: `file` or `user`."""
        self.trouble = ""
        """Why the rule was switched off automatically."""
        self._condition = _compiled(rule.when)
        self._counts = _hit(rule.hit)
        self._delay = _delay(rule.delay) if rule.delay else (0.0, 0.0, 0.0)
        if rule.seed is None and (rule.probability < 1 or self._delay[0] != self._delay[1]):
            self.rule = msgspec.structs.replace(rule, seed=random.getrandbits(32))  # recorded: repeatable
        self._random = random.Random(self.rule.seed)
        for patch in rule.patch:
            _check_operation(patch)

    @property
    def text(self) -> str:
        """The rule as JSON, as it is recorded."""
        return encode(msgspec.to_builtins(self.rule)).decode("utf-8", "replace")

    def wants(self, view: MessageView) -> bool:
        """Return whether the rule acts on a message, and count matches. A rule that takes too long is switched off."""
        if not self.enabled or not view.is_of(self.rule.side):
            return False
        if self.rule.action in ("hide", "override") and (view.method not in LISTS or not view.is_response):
            return False
        began = time.perf_counter()
        try:
            found = self._condition(view)
            is_slow = time.perf_counter() - began > _SLOW_S and self._takes_long(view)
        except Exception as error:  # the boundary: a rule must not stop the traffic
            logger.exception("the rule %s failed", self.rule.name)
            self.switch_off(f"it failed: {error!r:.200}")
            return False
        if is_slow:
            self.switch_off(f"it took more than {_SLOW_S * 1000:.0f} ms for one message")
            return False
        if not found:
            return False
        self.hits += 1
        if not self._counts(self.hits) or self._random.random() >= self.rule.probability:
            return False
        if self.rule.once:
            self.enabled = False
        return True

    def _takes_long(self, view: MessageView) -> bool:
        """Measure the condition again without what other processes took. Asking for CPU time is slow itself."""
        began = time.thread_time()
        self._condition(view)
        return time.thread_time() - began > _SLOW_S

    def switch_off(self, why: str) -> None:
        """Switch the rule off because of a problem."""
        self.enabled, self.trouble = False, why

    def wait_s(self, size: int) -> float:
        """Return the delay in seconds for a message of this size."""
        least, most, of_byte = self._delay
        return self._random.uniform(least, most) + size * of_byte

    def facts(self) -> dict[str, Any]:
        """Return the rule and its state for display."""
        own = {"enabled": self.enabled, "hits": self.hits, "by": self.by, "trouble": self.trouble}
        written: dict[str, Any] = msgspec.to_builtins(self.rule)
        return written | own


def _check_operation(patch: dict[str, Any]) -> None:
    kind, path = patch.get("op"), patch.get("path")
    if kind not in ("add", "remove", "replace", "move", "copy", "test") or not isinstance(path, str):
        raise BadRule("`patch` is a list of operations, each with `op` and `path` (RFC 6902)", "patch")
    if any(
        pointer and not pointer.startswith("/") for pointer in (path, patch.get("from")) if isinstance(pointer, str)
    ):
        raise BadRule(f"{path!r:.100} is not a JSON Pointer: it begins with / (RFC 6901)", "patch")
    if kind in ("add", "replace", "test") and "value" not in patch:
        raise BadRule(f"the operation {kind} needs a value", "patch")
    if kind in ("move", "copy") and not isinstance(patch.get("from"), str):
        raise BadRule(f"the operation {kind} needs `from`", "patch")
