"""Skills that a server publishes, and the verification of their files against the published entries.

An entry is a complete manifest: every file with its size and digest. Content that differs from its entry must not be
used, so a mismatch is always reported, with both values. A match proves only that the server is consistent.

Source: extension io.modelcontextprotocol/skills (stable), Skill Entries; Integrity and Verification; Limits.
"""

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import msgspec

from inspector.protocol import peek
from inspector.text import cut

_Node = Any
"""A node composed by PyYAML, which is imported on first use."""
MOST_FRONT_MATTER_BYTES = 32 * 1024
"""Maximum size of front matter to parse, in bytes: YAML parsing is slow."""
_MOST_STEPS = 10_000
_MAX_DEPTH = 60
_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PLAIN_12 = re.compile(
    r"(?P<null>null|Null|NULL|~|)|(?P<true>true|True|TRUE)|(?P<false>false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]{1,300})|0o(?P<octal>[0-7]{1,300})|0x(?P<hex>[0-9a-fA-F]{1,300})"
    r"|(?P<float>[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,3})?)"
)
"""The core schema of YAML 1.2."""
_TAG = "tag:yaml.org,2002:"
_KINDS = {"mapping": "map", "sequence": "seq"}
LIST, GET, READ = "skills/list", "skills/get", "resources/read"
MANIFEST = "SKILL.md"
MOST_FILES = 512

MOST_BYTES = 16 * 1024 * 1024
"""Limits that every host must support. A host may reject more."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Difference(msgspec.Struct, frozen=True):
    """The first difference, formatted for the user. Both sides are server text."""

    claimed: str
    found: str


class SkillFile(msgspec.Struct, frozen=True):
    """A file of a skill, as listed in the skill's entry."""

    raw: Any
    root: str
    """URI of the skill's directory, without a trailing slash."""

    @property
    def uri(self) -> str:
        """URI of the file; "" if missing."""
        return peek.text(self.raw, "uri") or ""

    @property
    def digest(self) -> str:
        """Digest in the entry, "sha256:…"; "" if missing."""
        return peek.text(self.raw, "digest") or ""

    @property
    def size(self) -> int | None:
        """Size in the entry, in bytes; None if missing."""
        return peek.integer(self.raw, "size")

    @property
    def path(self) -> str:
        """Path within the skill; the whole URI of a file outside of it."""
        return self.uri.removeprefix(f"{self.root}/") if self.uri.startswith(f"{self.root}/") else self.uri

    @property
    def is_manifest(self) -> bool:
        """Whether it is the skill's SKILL.md."""
        return self.uri == f"{self.root}/{MANIFEST}"

    @property
    def flaw(self) -> str:
        """Why it must not be read as a file of this skill, or can't be verified; "" if it can."""
        if not self.uri:
            return "it has no uri"
        if not self.uri.startswith(f"{self.root}/") or _leaves(self.path):
            return "it is not within the skill's directory"
        if not _DIGEST.fullmatch(self.digest):
            return "its digest is not sha256: and 64 hexadecimal digits"
        return "" if self.size is not None and self.size >= 0 else "its size is missing"


class Skill(msgspec.Struct, frozen=True):
    """An entry of skills/list or skills/get. Parsed leniently: defects are in `flaws`."""

    raw: Any

    @property
    def uri(self) -> str:
        """URI of its SKILL.md; "" if missing."""
        return peek.text(self.raw, "uri") or ""

    @property
    def root(self) -> str:
        """URI of its directory."""
        return self.uri.removesuffix(f"/{MANIFEST}")

    @property
    def frontmatter(self) -> dict[str, Any]:
        """Front matter of its SKILL.md, according to the entry."""
        return peek.mapping(self.raw, "frontmatter")

    @property
    def name(self) -> str:
        """Name in the front matter, not necessarily unique; otherwise the last part of its path."""
        return peek.text(self.frontmatter, "name") or self.root.rpartition("/")[2]

    @property
    def description(self) -> str:
        """The server's description."""
        return peek.text(self.frontmatter, "description") or ""

    @property
    def is_dynamic(self) -> bool:
        """Whether its content is not stable, so that only its front matter can be verified."""
        return peek.text(self.raw, "resources") == "dynamic"

    @property
    def files(self) -> tuple[SkillFile, ...]:
        """The listed files; of a dynamic skill only SKILL.md, without a digest."""
        if self.is_dynamic:
            return (SkillFile({"uri": self.uri}, self.root),)
        return tuple(SkillFile(raw, self.root) for raw in peek.items(self.raw, "resources"))

    @property
    def size(self) -> int:
        """Size of all files according to the entry, in bytes."""
        return sum(max(file.size or 0, 0) for file in self.files)

    @property
    def flaws(self) -> tuple[str, ...]:
        """Defects of the entry, as short phrases."""
        return tuple(_flaws(self))

    @property
    def flaw(self) -> str:
        """Why a host must not load it at all; "" if it may."""
        if not self.uri.endswith(f"/{MANIFEST}"):
            return f"its uri does not end in /{MANIFEST}" if self.uri else "it has no uri"
        resources = peek.at(self.raw, "resources")
        if not isinstance(resources, list) and resources != "dynamic":
            return 'its resources are neither an array nor "dynamic"'
        return ""


class SkillComparison(msgspec.Struct, frozen=True):
    """The comparison of one property."""

    name: str
    """One of "size", "sha256", "front matter"."""
    claimed: str
    """Value in the entry; server text."""
    found: str
    """Value of the content; server text."""
    ok: bool


class Verified(msgspec.Struct, frozen=True):
    """The result of a read, verified against the entry."""

    file: SkillFile
    data: bytes
    """The content; empty if there is none."""
    mime_type: str
    checks: tuple[SkillComparison, ...]
    problem: str = ""
    """Why there is nothing to compare; "" if there is something."""

    @property
    def ok(self) -> bool:
        """Whether all comparisons match. Few are possible for a dynamic skill."""
        return not self.problem and all(check.ok for check in self.checks)

    @property
    def mismatch(self) -> SkillComparison | None:
        """The first comparison that does not match."""
        return next((check for check in self.checks if not check.ok), None)


def _differ(path: str, claimed: str, found: str) -> Difference:
    where = path[-200:] or "front matter"
    return Difference(f"{where}: {claimed}", f"{where}: {found}")


def front_matter(text: str) -> str | None:
    """Return the YAML between the fences at the very beginning; None if there are none."""
    opening = _FENCE.match(text)
    if opening is None:
        return None
    end = _END.search(text, opening.end())
    return None if end is None else text[opening.end() : end.start()]


def compare(data: bytes, claimed: Any) -> Difference | None:
    """Return the first difference of a file's front matter from its entry, or why it is unknown; None if equal."""
    found = front_matter(data[: MOST_FRONT_MATTER_BYTES + 16].decode("utf-8", "replace"))
    if found is None:
        long = len(data) > MOST_FRONT_MATTER_BYTES and data.startswith(b"---")
        return Difference(
            _shown(claimed), f"front matter of more than {MOST_FRONT_MATTER_BYTES:,} bytes" if long else "none"
        )
    import yaml

    try:
        node = yaml.compose(found, Loader=yaml.SafeLoader)
        return _Walk().compare(node, claimed, "", 0)
    except yaml.YAMLError as error:
        return Difference(_shown(claimed), f"no YAML: {_problem_text(error)}")
    except (RecursionError, ValueError) as error:
        return Difference(_shown(claimed), f"YAML that can't be read: {type(error).__name__}")


def _problem_text(error: Exception) -> str:
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    return f"{problem or 'it is malformed'}" + (f" in line {mark.line + 1}" if mark else "")


class _Walk:
    """A parallel traversal of YAML nodes and JSON, up to the first difference."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def compare(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        """Compare the values at one path."""
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            return _differ(path, _shown(claimed), "YAML that expands without limit")
        if node is None:
            return None if claimed in (None, {}) else _differ(path, _shown(claimed), "nothing")
        if not node.tag.startswith(_TAG) or (node.id != "scalar" and node.tag != _TAG + _KINDS[node.id]):
            return _differ(path, _shown(claimed), f"a value with the tag {cut(node.tag, 80)}")
        if node.id == "mapping":
            return self._mapping(node, claimed, path, depth)
        if node.id == "sequence":
            return self._sequence(node, claimed, path, depth)
        return _scalar(node, claimed, path)

    def _mapping(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        if not isinstance(claimed, dict):
            return _differ(path, _shown(claimed), "an object")
        seen: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key.value, str) else "?"
            here = f"{path}.{name}" if path else name
            if name in seen:
                return _differ(here, _shown(claimed.get(name)), "the key is repeated")
            if name not in claimed:
                return _differ(here, "not there", _of(value))
            seen.add(name)
            if (difference := self.compare(value, claimed[name], here, depth + 1)) is not None:
                return difference
        more = next((name for name in claimed if name not in seen), None)
        if more is None:
            return None
        return _differ(f"{path}.{more}" if path else more, _shown(claimed[more]), "not there")

    def _sequence(self, node: _Node, claimed: Any, path: str, depth: int) -> Difference | None:
        if not isinstance(claimed, list) or len(claimed) != len(node.value):
            return _differ(path, _shown(claimed), f"an array of {len(node.value)}")
        pairs = enumerate(zip(node.value, claimed, strict=True))
        found = (self.compare(value, item, f"{path}[{place}]", depth + 1) for place, (value, item) in pairs)
        return next((difference for difference in found if difference is not None), None)


def _scalar(node: _Node, claimed: Any, path: str) -> Difference | None:
    if any(_same(value, claimed) for value in _meanings(node)) or _same_date(node, claimed):
        return None
    shown, found = _shown(claimed), _of(node)
    if shown == found:
        shown, found = (
            f"{each}, a {peek.type_name(value)}" for each, value in ((shown, claimed), (found, _meanings(node)[0]))
        )
    return _differ(path, shown, found)


def _meanings(node: _Node) -> list[Any]:
    """Return the possible values of a scalar."""
    text: str = node.value
    if node.style is not None:
        return [text]
    return [_by_core_schema(text), _by_older_schema(node)]


def _by_core_schema(text: str) -> Any:
    found = _PLAIN_12.fullmatch(text)
    match found.lastgroup if found else None:
        case "null":
            return None
        case "true":
            return True
        case "false":
            return False
        case "int":
            return int(text)
        case "octal":
            return int(text[2:], 8)
        case "hex":
            return int(text[2:], 16)
        case "float":
            return float(text)
        case _:
            return text


def _by_older_schema(node: _Node) -> Any:
    """Read a plain scalar according to YAML 1.1; its text if the value has no JSON equivalent."""
    from yaml.constructor import SafeConstructor

    kind, make = node.tag.removeprefix(_TAG), SafeConstructor()
    try:
        if kind == "bool":
            return make.construct_yaml_bool(node)
        if kind == "int" and len(node.value) < 300:
            return make.construct_yaml_int(node)
        if kind == "float":
            return make.construct_yaml_float(node)
    except (ValueError, KeyError, OverflowError):
        pass
    return None if kind == "null" else node.value


def _same(value: Any, claimed: Any) -> bool:
    if isinstance(value, bool) or isinstance(claimed, bool):
        return value is claimed
    return bool(value == claimed) and (isinstance(value, str) == isinstance(claimed, str))


def _same_date(node: _Node, claimed: Any) -> bool:
    """Return whether both are the same date. JSON has dates as strings, and parsers format the time differently."""
    dated = node.tag == f"{_TAG}timestamp" and isinstance(claimed, str)
    return dated and claimed[:10] == node.value[:10]


def _of(node: _Node) -> str:
    if node.id == "scalar":
        return str(node.value)[:200]
    return "an object" if node.id == "mapping" else "an array"


def _shown(claimed: Any) -> str:
    if isinstance(claimed, dict | list):
        return f"an {peek.type_name(claimed)}" + (f" of {len(claimed)}" if isinstance(claimed, list) else "")
    return (
        str(claimed)[:200]
        if isinstance(claimed, str | int | float) and not isinstance(claimed, bool)
        else _word(claimed)
    )


def _word(claimed: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(claimed, peek.type_name(claimed))


def _leaves(path: str) -> bool:
    """Return whether a path leaves the directory, also by percent-encoded segments."""
    return any(segment in ("", ".", "..") or "/" in segment for segment in map(unquote, path.split("/")))


def _flaws(skill: Skill) -> list[str]:
    found = [skill.flaw] if skill.flaw else []
    lacking = (member for member in ("name", "description") if not peek.text(skill.frontmatter, member))
    found += [f"its front matter has no {member}" for member in lacking]
    name = peek.text(skill.frontmatter, "name")
    if name and name != skill.root.rpartition("/")[2]:
        found.append(f"its path does not end in its name, {cut(name, 100)}")
    if name and (not _NAME.fullmatch(name) or len(name) > 64):
        found.append("its name is not lower-case letters, digits and single hyphens, 64 at most")
    return found + ([] if skill.is_dynamic or skill.flaw else _flaws_of_files(skill))


def _flaws_of_files(skill: Skill) -> list[str]:
    found: list[str] = []
    files = skill.files
    uris = [file.uri for file in files]
    if not any(file.is_manifest for file in files):
        found.append(f"its files lack {MANIFEST}")
    if len(set(uris)) < len(uris):
        found.append("a file is listed more than once")
    if len(files) > MOST_FILES:
        found.append(f"it has {len(files)} files; hosts must support {MOST_FILES}")
    if skill.size > MOST_BYTES:
        found.append(f"it has {skill.size:,} bytes; hosts must support {MOST_BYTES:,}")
    wrong = [file for file in files if file.flaw]
    return found + [f"{file.path[:200] or 'a file'}: {file.flaw}" for file in wrong[:5]]


def same_names(skills: Iterable[Skill]) -> frozenset[str]:
    """Return the names that several skills share. Such skills must not be confused with each other."""
    counted = Counter(skill.name for skill in skills)
    return frozenset(name for name, count in counted.items() if count > 1)


def verify(skill: Skill, file: SkillFile, result: Any) -> Verified:
    """Verify the result of resources/read against the entry."""
    content, problem = _content(file.uri, result)
    if problem:
        return Verified(file, b"", "", (), problem)
    data, problem = _bytes(content)
    mime_type = peek.text(content, "mimeType") or ""
    if problem:
        return Verified(file, b"", mime_type, (), problem)
    checks: list[SkillComparison] = []
    if not skill.is_dynamic:
        checks.append(SkillComparison("size", f"{file.size} bytes", f"{len(data)} bytes", file.size == len(data)))
        found = f"sha256:{hashlib.sha256(data).hexdigest()}"
        checks.append(SkillComparison("sha256", file.digest, found, file.digest == found))
    if file.is_manifest:
        difference = compare(data, skill.frontmatter)
        if difference is None:
            checks.append(SkillComparison("front matter", "as in the file", "as in the entry", True))
        else:
            checks.append(SkillComparison("front matter", difference.claimed, difference.found, False))
    return Verified(file, data, mime_type, tuple(checks))


def _content(uri: str, result: Any) -> tuple[Any, str]:
    contents = peek.items(result, "contents")
    named = [content for content in contents if peek.text(content, "uri") == uri]
    if len(named) == 1:
        return named[0], ""
    if not contents:
        return None, "the answer has no contents"
    return None, f"the answer has {len(named)} contents of this URI, among {len(contents)}"


def _bytes(content: Any) -> tuple[bytes, str]:
    """Return the content as bytes (text as UTF-8, or a decoded blob), and the problem if it can't be decoded."""
    if (text := peek.text(content, "text")) is not None:
        return text.encode("utf-8", "surrogatepass"), ""
    blob = peek.text(content, "blob")
    if blob is None:
        return b"", "the content has neither text nor blob"
    try:
        return base64.b64decode(blob, validate=True), ""
    except (binascii.Error, ValueError):
        return b"", "the blob is no base64"
