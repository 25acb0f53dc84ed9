"""Skills as lines: the list, an entry with its flaws, the result of a read and its verification.

A match is never called safe: it only means that the server agrees with itself.
"""

from collections.abc import Iterable, Sequence

from inspector import text
from inspector.present import spans
from inspector.present.spans import Fact, Line, fact, paragraph, span
from inspector.protocol.flows.skills import SkillRead
from inspector.protocol.jsonrpc import encode
from inspector.protocol.skills import Skill, SkillComparison, SkillFile, Verified, same_names

MOST_OF_FILE = 100_000
"""Maximum characters of a file that are shown."""
_DIGITS = 19
"""Characters of a digest where it is only named: "sha256:" and twelve."""


def skill_lines(skills: Sequence[Skill]) -> list[Line]:
    """Return the list: two lines per skill, and one per flaw. Names that are not unique are shown with their URI."""
    if not skills:
        return [(("skills: none listed", "muted"),), (("A server can have skills that it does not list.", "faint"),)]
    twice = same_names(skills)
    count = text.counted(len(skills), "skill")
    found: list[Line] = [((count, "title"), ("  no files read", "faint"))]
    for skill in skills:
        mark = f"  {spans.WARNING} duplicate name" if skill.name in twice else ""
        found.append((span(skill.name, "method"), ("  ", "text"), span(skill.uri, "target"), (mark, "warning")))
        found.append((("    ", "text"), span(skill.description, "muted", limit=160), (f"  {amount(skill)}", "faint")))
        found += [((f"    {spans.WARNING} {text.visible(flaw)}", "warning"),) for flaw in skill.flaws]
    return found


def amount(skill: Skill) -> str:
    """Return the amount of content: "3 files, 1.2 kB", or that it is unknown."""
    if skill.is_dynamic:
        return "dynamic"
    return f"{text.counted(len(skill.files), 'file')}, {text.human_size(skill.size)}"


def skill_facts(skill: Skill) -> tuple[Fact, ...]:
    """Return the content of a skill's entry other than name and description."""
    facts = [Fact(spans.WARNING, text.visible(flaw, limit=400), "warning") for flaw in skill.flaws]
    facts.append(fact("uri", skill.uri, "target"))
    for key, value in list(skill.frontmatter.items())[:50]:
        if key not in ("name", "description"):
            facts.append(fact(key, value if isinstance(value, str) else text.decode(encode(value)), "claimed"))
    if skill.is_dynamic:
        facts.append(Fact("content", "dynamic: generated for each read, so only the front matter can be verified"))
    else:
        facts.append(Fact("content", amount(skill)))
    return tuple(facts)


def read_lines(skill: Skill, read: SkillRead, *, whole: bool) -> list[Line]:
    """Return the outcome of reading one file; `whole`: with its text, if it matches the entry."""
    found: list[Line] = [_verdict(read)]
    if read.verified is not None:
        found += [_check(check) for check in read.verified.checks]
        if whole and read.ok:
            found += [(), *file_text(read.verified)]
    return found


def _verdict(read: SkillRead) -> Line:
    path = span(read.file.path, "target", limit=300)
    if read.refused:
        return ((f"{spans.ERROR} ", "error"), path, (f"  not read: {text.visible(read.refused)}", "error"))
    if read.verified is None:
        return ((f"{spans.ERROR} ", "error"), path, ("  no response", "error"))
    if read.verified.problem:
        return ((f"{spans.ERROR} ", "error"), path, (f"  {text.visible(read.verified.problem)}", "error"))
    if not read.ok:
        return ((f"{spans.ERROR} ", "error"), path, ("  does not match its entry: must not be used", "error"))
    size = text.human_size(len(read.verified.data))
    compared = "as listed" if len(read.verified.checks) > 1 or not read.file.is_manifest else "front matter as listed"
    return ((f"{spans.OK} ", "ok"), path, (f"  {size}, {compared if read.verified.checks else 'not comparable'}", "ok"))


def _check(check: SkillComparison) -> Line:
    if check.ok:
        return ((f"    {check.name} ", "muted"), span(check.found, "faint", limit=200))
    return (
        (f"    {check.name} differs: listed ", "error"),
        span(check.claimed, "strong", limit=300),
        (", received ", "error"),
        span(check.found, "strong", limit=300),
    )


def check_facts(verified: Verified) -> tuple[Fact, ...]:
    """Return the comparison as facts."""
    return tuple(_as_facts(verified.checks))


def _as_facts(checks: Iterable[SkillComparison]) -> Iterable[Fact]:
    for check in checks:
        if check.ok:
            yield Fact(check.name, f"{spans.OK} {text.visible(check.found, limit=200)}", "ok")
        else:
            yield fact(check.name, f"{spans.ERROR} listed   {check.claimed}", "error")
            yield fact("", f"  received {check.found}", "error")


def file_text(verified: Verified) -> tuple[Line, ...]:
    """Return the text of a file, or a note that it is binary."""
    try:
        decoded = verified.data.decode()
    except UnicodeDecodeError:
        return (((f"{text.human_size(len(verified.data))} of binary data", "muted"),),)
    lines = paragraph(decoded, "foreign", limit=MOST_OF_FILE)
    more = len(decoded) - MOST_OF_FILE
    return lines if more <= 0 else (*lines, ((f"{spans.NOTE} {more:,} more characters", "muted"),))


def file_row(file: SkillFile) -> tuple[str, str]:
    """Return a file as two columns: its path, and its claimed size and digest."""
    size = "" if file.size is None else text.human_size(file.size)
    return text.visible(file.path, limit=300), f"{size}  {text.visible(file.digest[:_DIGITS])}".strip()
