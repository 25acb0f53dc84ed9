"""What a question of the server's shows: who asks, inside which call, since when, and all that it asks.

The server's words are shown as such, and what is wrong with asking so is said in ours. A question is looked at here
and never answered.
"""

import re
from collections.abc import Iterable
from typing import Any

from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.questions import Kind, Question
from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact, paragraph
from inspector.viewmodels.links import link_section, read_link
from inspector.viewmodels.sampling import last_text, sampling_sections

SECRET_IN_FORM = "a server must not ask for this in a form"
_SECRET = re.compile(
    r"\b(?:passw(?:or)?ds?|passcode|passphrase|secrets?|token|api ?keys?|credentials?|(?:private|access) ?keys?"
    r"|(?:credit ?)?card ?num(?:ber)?s?|credit ?cards?|cvv|cvc|pin|iban|ssn|social ?security|otp|one ?time ?code)\b",
    re.IGNORECASE,
)
"""Whole words: an integer, a secretary and a number of tokens are nothing to hide."""
_WARNED_OF = re.compile(r"\b(?:do not|don['’]?t|never|without|no need)\b[^.;)\n]*", re.IGNORECASE)
"""What a description asks to be left out is not asked for."""
_WORDS = re.compile(r"[_\-.\s]+|(?<=[a-z0-9])(?=[A-Z])")
MOST_MESSAGE = 20_000
_READ = 4000
"""Characters of a message that a row looks at: it is drawn anew while the question waits."""
_GIVEN_UP = (ExchangeState.CANCELLED, ExchangeState.LATE)


def kind_word(question: Question) -> str:
    """The kind of a question, in a word or two."""
    if question.kind is Kind.ELICITATION:
        return "link" if question.mode == "url" else "form"
    return question.kind.value


def asked_in_short(question: Question) -> str:
    """What is asked, as one safe line."""
    if question.kind is Kind.ROOTS:
        return "which roots there are"
    said = last_text(question.params) if question.kind is Kind.SAMPLING else question.message
    return text.visible(" ".join(said[:_READ].split()), limit=300) or "nothing in words"


def cause_of(question: Question, journal: Journal) -> Exchange | None:
    """The call of ours in which it was asked, if that can be told."""
    exchanges = journal.conversation.exchanges
    number = question.cause
    return exchanges[number - 1] if number is not None and 0 < number <= len(exchanges) else None


def cause_in_short(question: Question, journal: Journal) -> str:
    """The tool, prompt or resource inside whose call it is asked, as one safe line; "" if that can't be told."""
    exchange = cause_of(question, journal)
    return "" if exchange is None else text.visible(exchange.target or exchange.method, limit=120)


def asked_by(journal: Journal) -> str:
    """What the server calls itself, as one safe line."""
    opening = journal.conversation.opening
    return text.visible(peek.text(opening.server if opening else {}, "name") or "the server", limit=80)


def question_sections(question: Question, journal: Journal, *, patience_s: float | None = None) -> tuple[Section, ...]:
    """All of a question. `patience_s`: after how many seconds the call gives up in which it is asked; None: never."""
    return (Section("Who asks", tuple(_facts(question, journal, patience_s))), *_asked(question))


def _facts(question: Question, journal: Journal, patience_s: float | None) -> Iterable[Fact]:
    yield Fact("server", asked_by(journal), "strong")
    exchange = cause_of(question, journal)
    if exchange is None:
        yield Fact("inside", "no call that it could be told of", "muted")
    else:
        yield fact("inside", f"{exchange.method} {exchange.target}".rstrip())
        if exchange.state in _GIVEN_UP:
            yield Fact("that call", "was given up: the server may not want the answer any more", "warning")
        if patience_s is not None and exchange.is_open:
            waits = text.human_duration(round(patience_s * 1e9))
            yield Fact("that call", f"gives up {waits} after its start at the latest")
    if question.visit:
        yield Fact("that call", "was refused until the link is visited (error -32042)")
    if question.elicitation:
        done = journal.conversation.visits.is_complete(question)
        yield Fact("the server says", "it is complete", "ok") if done else Fact("complete", "not yet", "muted")
    if question.key and not question.visit:
        yield fact("known as", f"{question.key} (all questions of one result are answered together)", "muted")


def _asked(question: Question) -> tuple[Section, ...]:
    match question.kind:
        case Kind.ELICITATION:
            message = Section("Asks", lines=_message(question), note="in the server's words")
            return (message, *(_link(question) if question.mode == "url" else _form(question)))
        case Kind.SAMPLING:
            return sampling_sections(question.params)
        case Kind.ROOTS:
            return (Section("Asks", lines=paragraph(ROOTS_ARE_ADVICE, "muted")),)


ROOTS_ARE_ADVICE = (
    "Which directories it should work in. Roots are advice to the server: they guard nothing,\n"
    "and it may read whatever its process may."
)


def _message(question: Question) -> tuple[tuple[tuple[str, Any], ...], ...]:
    return paragraph(question.message, "foreign", limit=MOST_MESSAGE) or ((("no message", "warning"),),)


def _link(question: Question) -> tuple[Section, ...]:
    return (link_section(read_link(question.url)),)


def _form(question: Question) -> tuple[Section, ...]:
    facts = [Fact(name, SECRET_IN_FORM, "warning") for name in secret_fields(question.schema)]
    if beyond := beyond_a_form(question.schema):
        facts.append(Fact("beyond a form", beyond, "warning"))
    return (Section("Beware", tuple(facts)),) if facts else ()


def secret_fields(schema: Any) -> tuple[str, ...]:
    """The properties of a form that look like something secret, by name, title, description or format; safe."""
    return tuple(
        text.visible(name, limit=80)
        for name, asked in peek.mapping(schema, "properties").items()
        if _secret(name, asked)
    )


def _secret(name: str, asked: Any) -> bool:
    if peek.text(asked, "format") == "password" or peek.flag(asked, "writeOnly"):
        return True
    about = _WARNED_OF.sub("", (peek.text(asked, "description") or "")[:2000])
    said = (name, peek.text(asked, "title") or "", about)
    return any(_SECRET.search(_WORDS.sub(" ", each[:2000])) for each in said)


def beyond_a_form(schema: Any) -> str:
    """What in a schema the specification does not allow in a form, as one safe line; "" for nothing.

    "Form mode elicitation schemas are limited to flat objects with primitive properties only" (client/elicitation).
    """
    properties = peek.at(schema, "properties")
    if peek.text(schema, "type") != "object" or not isinstance(properties, dict):
        return "the schema is no object with properties"
    wrong = [name for name, asked in properties.items() if not _is_primitive(asked)]
    return text.visible(f"no simple value: {', '.join(wrong)}", limit=200) if wrong else ""


def _is_primitive(asked: Any) -> bool:
    kind = peek.text(asked, "type")
    choices = peek.has(asked, "items", "enum") or peek.has(asked, "items", "anyOf")
    return kind in ("string", "number", "integer", "boolean") or (kind == "array" and choices)
