"""How a conversation with the demo begins: which revision a request speaks, the handshake, and discovery."""

from inspector.demo import eras
from inspector.demo.call import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEVELS,
    META,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Call,
    Json,
    Link,
    Options,
    Refusal,
)
from inspector.demo.eras import Era
from inspector.demo.skills import EXTENSION as SKILLS
from inspector.demo.tasks import CAPABILITY as TASKS_CAPABILITY
from inspector.demo.tasks import EXTENSION as TASKS
from inspector.demo.toolkit import icons

LIGHTHOUSE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#c8402f" d="M10 8h4l2 14H8z"/>'
    '<path fill="#f4e9c9" d="M9.5 12h5l.3 3H9.2z"/><path fill="#f6c945" d="M10 4h4v3h-4zM1 3l7 2v1L1 8z'
    'M23 3l-7 2v1l7 2z"/>'
    "</svg>"
)

IDENTITY: Json = {
    "name": "gull-rock-lighthouse",
    "version": "1.8.71",
    "title": "Gull Rock Lighthouse",
    "description": "A lighthouse that shows an inspector everything a server can do",
    "icons": icons(LIGHTHOUSE),
}

INSTRUCTIONS = (
    "You are talking to a lighthouse. Call `keeper_report` to see every kind of content, `sweep_horizon` for "
    "progress, and `log_passage` for a long form. `clear_logbook` destroys, `hostile_text` attacks the screen."
)


def era_of(method: str, params: Json, link: Link, options: Options) -> Era:
    """The revision that a request is to be answered in. Raises: Refusal, if it says none that is served."""
    meta = params.get("_meta")
    if options.modern and isinstance(meta, dict) and META + "protocolVersion" in meta:
        return _declared(meta)
    if method == "initialize":
        if options.legacy:
            return eras.NEWEST_LEGACY
        raise _unsupported(params.get("protocolVersion"))
    if link.era is not None:
        return link.era
    if options.legacy and method == "ping":
        return eras.NEWEST_LEGACY
    if options.modern:
        raise Refusal(INVALID_PARAMS, f"params._meta needs {META}protocolVersion, or send initialize first")
    if method == "server/discover":
        raise Refusal(METHOD_NOT_FOUND, "Method not found: server/discover")
    raise Refusal(INVALID_REQUEST, "Send initialize first")


def _declared(meta: Json) -> Era:
    version = meta[META + "protocolVersion"]
    if not isinstance(version, str):
        raise Refusal(INVALID_PARAMS, f"_meta {META}protocolVersion must be a string")
    if version not in eras.MODERN:
        raise _unsupported(version)
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        raise Refusal(INVALID_PARAMS, f"_meta needs {META}clientCapabilities, an object")
    if meta.get(META + "logLevel", LEVELS[0]) not in LEVELS:
        raise Refusal(INVALID_PARAMS, f"_meta {META}logLevel must be one of {', '.join(LEVELS)}")
    return eras.MODERN[version]


def _unsupported(requested: object) -> Refusal:
    wanted = requested if isinstance(requested, str) else ""
    data = {"supported": list(eras.MODERN), "requested": wanted}
    return Refusal(UNSUPPORTED_VERSION, f"Unsupported protocol version: {wanted}", data)


def capabilities(era: Era) -> Json:
    """What the server says that it can."""
    able: Json = {
        "logging": {},
        "prompts": {},
        "resources": {"subscribe": True},
        "tools": {"listChanged": True},
    }
    if era.has("completions"):
        able["completions"] = {}
    if era.stateless:
        able["extensions"] = {SKILLS: {"directoryRead": True}, TASKS: {}}
    elif era.has("tasks"):
        able["tasks"] = TASKS_CAPABILITY
    return able


async def initialize(call: Call) -> Json:
    """Settles the revision of the connection."""
    if call.link.era is not None:
        raise Refusal(INVALID_REQUEST, "This connection is initialized already")
    call.text("protocolVersion")
    era = eras.counter_offer(call.params["protocolVersion"])
    call.link.era = era
    declared = call.params.get("capabilities")
    call.link.capabilities = declared if isinstance(declared, dict) else {}
    call.station.listeners.add(call.link.hear)
    return {
        "protocolVersion": era.name,
        "capabilities": capabilities(era),
        "serverInfo": eras.trim("implementation", IDENTITY, era),
        "instructions": INSTRUCTIONS,
    }


async def discover(call: Call) -> Json:
    """Which stateless revisions are served; the others are for `initialize` to settle."""
    return {
        "supportedVersions": list(eras.MODERN),
        "capabilities": capabilities(call.era),
        "instructions": INSTRUCTIONS,
    }
