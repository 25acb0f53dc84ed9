"""Skills as a server publishes them, and whether what it serves is what it published.

An entry is a complete manifest: every file with its size and digest. Content that differs from its entry must not be
used, so a mismatch is a verdict with both values and never a shrug. A match proves only that server and server agree.

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
from inspector.protocol.front_matter import compare

LIST, GET, READ = "skills/list", "skills/get", "resources/read"
MANIFEST = "SKILL.md"
MOST_FILES = 512
MOST_BYTES = 16 * 1024 * 1024
"""What every host must support; more is not guaranteed to be taken by any."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class SkillFile(msgspec.Struct, frozen=True):
    """A file of a skill as its entry lists it."""

    raw: Any
    root: str
    """The URI of the skill's directory, without a slash behind it."""

    @property
    def uri(self) -> str:
        """Empty if there is none."""
        return peek.text(self.raw, "uri") or ""

    @property
    def digest(self) -> str:
        """As claimed, "sha256:…"; "" if it was not said."""
        return peek.text(self.raw, "digest") or ""

    @property
    def size(self) -> int | None:
        """Bytes, as claimed; None if it was not said."""
        return peek.integer(self.raw, "size")

    @property
    def path(self) -> str:
        """Within the skill; the whole URI of a file that is not within it."""
        return self.uri.removeprefix(f"{self.root}/") if self.uri.startswith(f"{self.root}/") else self.uri

    @property
    def is_manifest(self) -> bool:
        """Whether it is the skill's own SKILL.md."""
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


def _leaves(path: str) -> bool:
    """Whether a path has a segment that leads elsewhere, also where that is hidden by percent signs."""
    return any(segment in ("", ".", "..") or "/" in segment for segment in map(unquote, path.split("/")))


class Skill(msgspec.Struct, frozen=True):
    """An entry of skills/list or skills/get. Lenient: what is wrong with it stands in `flaws`."""

    raw: Any

    @property
    def uri(self) -> str:
        """Of its SKILL.md; "" if there is none."""
        return peek.text(self.raw, "uri") or ""

    @property
    def root(self) -> str:
        """The URI of its directory."""
        return self.uri.removesuffix(f"/{MANIFEST}")

    @property
    def frontmatter(self) -> dict[str, Any]:
        """Of its SKILL.md, as the server says that it is."""
        return peek.mapping(self.raw, "frontmatter")

    @property
    def name(self) -> str:
        """A label, not unique; the last word of its path where the front matter has none."""
        return peek.text(self.frontmatter, "name") or self.root.rpartition("/")[2]

    @property
    def description(self) -> str:
        """The server's own words."""
        return peek.text(self.frontmatter, "description") or ""

    @property
    def is_dynamic(self) -> bool:
        """Whether it has no stable content: nothing but its front matter can be verified."""
        return peek.text(self.raw, "resources") == "dynamic"

    @property
    def files(self) -> tuple[SkillFile, ...]:
        """As listed; of a dynamic skill its SKILL.md alone, without a digest."""
        if self.is_dynamic:
            return (SkillFile({"uri": self.uri}, self.root),)
        return tuple(SkillFile(raw, self.root) for raw in peek.items(self.raw, "resources"))

    @property
    def size(self) -> int:
        """Bytes of all files, as claimed."""
        return sum(max(file.size or 0, 0) for file in self.files)

    @property
    def flaws(self) -> tuple[str, ...]:
        """What an entry must not be, half a sentence each; () for a good one."""
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


def _flaws(skill: Skill) -> list[str]:
    found = [skill.flaw] if skill.flaw else []
    lacking = (member for member in ("name", "description") if not peek.text(skill.frontmatter, member))
    found += [f"its front matter has no {member}" for member in lacking]
    name = peek.text(skill.frontmatter, "name")
    if name and name != skill.root.rpartition("/")[2]:
        found.append(f"its path does not end in its name, {name[:100]}")
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
    """Names that more than one skill has: a name is a label, and none may stand for the other."""
    counted = Counter(skill.name for skill in skills)
    return frozenset(name for name, count in counted.items() if count > 1)


class Check(msgspec.Struct, frozen=True):
    """One thing that was compared."""

    name: str
    """One of "size", "sha256", "front matter"."""
    claimed: str
    """By the entry; foreign."""
    found: str
    """In the content; foreign."""
    ok: bool


class Verified(msgspec.Struct, frozen=True):
    """What a read brought, held against its entry."""

    file: SkillFile
    data: bytes
    """Empty if there was none."""
    mime_type: str
    checks: tuple[Check, ...]
    problem: str = ""
    """Why there is nothing to compare; "" if there is."""

    @property
    def ok(self) -> bool:
        """Whether all that could be compared is the same. Of a dynamic skill's files that is not much."""
        return not self.problem and all(check.ok for check in self.checks)

    @property
    def mismatch(self) -> Check | None:
        """The first thing that differs."""
        return next((check for check in self.checks if not check.ok), None)


def verify(skill: Skill, file: SkillFile, result: Any) -> Verified:
    """Hold the result of resources/read against the entry."""
    content, problem = _content(file.uri, result)
    if problem:
        return Verified(file, b"", "", (), problem)
    data, problem = _bytes(content)
    mime_type = peek.text(content, "mimeType") or ""
    if problem:
        return Verified(file, b"", mime_type, (), problem)
    checks: list[Check] = []
    if not skill.is_dynamic:
        checks.append(Check("size", f"{file.size} bytes", f"{len(data)} bytes", file.size == len(data)))
        found = f"sha256:{hashlib.sha256(data).hexdigest()}"
        checks.append(Check("sha256", file.digest, found, file.digest == found))
    if file.is_manifest:
        difference = compare(data, skill.frontmatter)
        if difference is None:
            checks.append(Check("front matter", "as in the file", "as in the entry", True))
        else:
            checks.append(Check("front matter", difference.claimed, difference.found, False))
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
    """The raw bytes of a content: UTF-8 of a text, or a blob's."""
    if (text := peek.text(content, "text")) is not None:
        return text.encode("utf-8", "surrogatepass"), ""
    blob = peek.text(content, "blob")
    if blob is None:
        return b"", "the content has neither text nor blob"
    try:
        return base64.b64decode(blob, validate=True), ""
    except (binascii.Error, ValueError):
        return b"", "the blob is no base64"
