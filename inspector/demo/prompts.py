"""The demo's prompts, and what completes their arguments and those of the templates.

This file knows the newest revision's shapes only; `eras` takes away what an older one does not know.
"""

from inspector.demo import media
from inspector.demo.call import INVALID_PARAMS, Json, Refusal
from inspector.demo.station import LOGBOOK, SHIPS, Station
from inspector.demo.toolkit import encode, text

MOODS = ("cheerful", "formal", "gloomy", "salty")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOST_VALUES = 100


def listed() -> list[Json]:
    """The prompts, in a stable order."""
    return [
        {
            "name": "hail_ship",
            "title": "Hail a ship",
            "description": "Words for the loudhailer, to fit a ship and a mood",
            "arguments": [
                _argument("ship", "Ship", "Whom to hail; can be completed", True),
                _argument("mood", "Mood", "How to sound; can be completed", False),
            ],
        },
        {
            "name": "sum_up_logbook",
            "title": "Sum up the logbook",
            "description": "Asks for a summary of the logbook, which is embedded",
        },
        {
            "name": "explain_chart",
            "title": "Explain the tide chart",
            "description": "A short talk about a picture",
            "arguments": [_argument("hours", "Hours", "How many hours the chart shows", False)],
        },
    ]


def _argument(name: str, title: str, description: str, required: bool) -> Json:
    return {"name": name, "title": title, "description": description, "required": required}


def get(name: str, arguments: dict[str, str], station: Station) -> Json:
    """The result of `prompts/get`. Raises: Refusal."""
    match name:
        case "hail_ship":
            return _hail_ship(arguments)
        case "sum_up_logbook":
            book = {"uri": LOGBOOK, "mimeType": "text/markdown", "text": station.logbook()}
            ask = text("Sum up this logbook in three sentences. Leave out the gull.")
            return _talk(
                "The logbook, to be summed up", ("user", {"type": "resource", "resource": book}), ("user", ask)
            )
        case "explain_chart":
            return _explain_chart(arguments.get("hours", "24"))
        case _:
            raise Refusal(INVALID_PARAMS, f"There is no prompt {name!r}", {"prompt": name})


def _hail_ship(arguments: dict[str, str]) -> Json:
    if "ship" not in arguments:
        raise Refusal(INVALID_PARAMS, "The prompt hail_ship needs the argument ship", {"argument": "ship"})
    ship, mood = arguments["ship"], arguments.get("mood", "cheerful")
    known = SHIPS.get(ship, "a ship that nobody here knows")
    ask = f"Write one {mood} sentence to call to the {ship}, {known}."
    return _talk(f"A {mood} hail for the {ship}", ("user", text(ask)))


def _explain_chart(hours: str) -> Json:
    if not hours.isascii() or not hours.isdecimal() or not 1 <= int(hours[:4]) <= 96:
        raise Refusal(INVALID_PARAMS, "The argument hours must be a number from 1 to 96", {"argument": "hours"})
    picture = {"type": "image", "data": encode(media.tide_picture(int(hours[:4]))), "mimeType": "image/png"}
    return _talk(
        "The tide, explained",
        ("user", text("When can I walk to the rock?")),
        ("assistant", text("Let me look at the chart.")),
        ("user", picture),
    )


def _talk(description: str, *turns: tuple[str, Json]) -> Json:
    messages = [{"role": role, "content": content} for role, content in turns]
    return {"description": description, "messages": messages}


def complete(ref: Json, argument: str, so_far: str) -> Json:
    """The `completion` member for an argument of a prompt or template. Raises: Refusal."""
    target = ref.get("name") if ref.get("type") == "ref/prompt" else ref.get("uri")
    choices: tuple[str, ...]
    match target, argument:
        case ("hail_ship", "ship") | ("lighthouse://ships/{name}", "name"):
            choices = tuple(SHIPS)
        case "hail_ship", "mood":
            choices = MOODS
        case "explain_chart", "hours":
            choices = tuple(str(hours) for hours in range(1, 97))
        case "lighthouse://tides/{day}{?unit}", "day":
            choices = DAYS
        case "lighthouse://tides/{day}{?unit}", "unit":
            choices = ("metres", "fathoms")
        case "sum_up_logbook", _:
            choices = ()
        case _:
            raise Refusal(INVALID_PARAMS, f"Nothing to complete for {target!r} and {argument!r}")
    values = [choice for choice in choices if choice.lower().startswith(so_far.lower())]
    return {"values": values[:MOST_VALUES], "total": len(values), "hasMore": len(values) > MOST_VALUES}
