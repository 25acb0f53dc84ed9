"""What a host tells a View about itself: theme, size, language, styles, capabilities."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec

from inspector import __version__
from inspector.documents import prepared_type
from inspector.errors import UsageError
from inspector.protocol.apps import Page
from inspector.protocol.listed_items import Tool

MODES = ("inline", "fullscreen", "pip")
Theme = Literal["light", "dark"]

MOST_HEIGHT = 1200
"""Maximum height of a View that chooses it itself, in pixels."""
_SIZE = re.compile(r"(\d{2,5})(?:x(\d{2,5}))?")
_LOCALE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,6}")
_COLORS = [line.split() for line in Path(__file__).with_name("colors.txt").read_text("utf-8").splitlines()[1:]]
"""Name, and its value in a light and in a dark theme."""
_WEIGHTS = {"normal": 400, "medium": 500, "semibold": 600, "bold": 700}
_RADII = {"xs": "2px", "sm": "4px", "md": "6px", "lg": "8px", "xl": "12px", "full": "9999px"}
_TEXT_SIZES = {"xs": ("12px", "16px"), "sm": ("14px", "20px"), "md": ("16px", "24px"), "lg": ("18px", "28px")}
_HEADING_SIZES = {
    "xs": ("14px", "20px"),
    "sm": ("16px", "24px"),
    "md": ("18px", "26px"),
    "lg": ("22px", "30px"),
    "xl": ("26px", "34px"),
    "2xl": ("32px", "40px"),
    "3xl": ("40px", "48px"),
}
_VARIABLES: dict[str, str] = {
    **{f"--color-{name}": f"light-dark({light}, {dark})" for name, light, dark in _COLORS},
    "--font-sans": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "--font-mono": "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
    **{f"--font-weight-{name}": str(weight) for name, weight in _WEIGHTS.items()},
    **{f"--font-text-{name}-size": size for name, (size, _) in _TEXT_SIZES.items()},
    **{f"--font-text-{name}-line-height": height for name, (_, height) in _TEXT_SIZES.items()},
    **{f"--font-heading-{name}-size": size for name, (size, _) in _HEADING_SIZES.items()},
    **{f"--font-heading-{name}-line-height": height for name, (_, height) in _HEADING_SIZES.items()},
    **{f"--border-radius-{name}": size for name, size in _RADII.items()},
    "--border-width-regular": "1px",
    "--shadow-hairline": "0 0 0 1px rgb(0 0 0 / 0.08)",
    "--shadow-sm": "0 1px 2px rgb(0 0 0 / 0.12)",
    "--shadow-md": "0 3px 8px rgb(0 0 0 / 0.14)",
    "--shadow-lg": "0 8px 24px rgb(0 0 0 / 0.18)",
}  # fmt: skip
"""All variables that the specification names; colors depend on the theme."""


class Denial(StrEnum):
    """What a host can refuse to a View, so that its author sees how it copes."""

    LINK = "link"
    MESSAGE = "message"
    CONTEXT = "context"
    CALL = "call"


class Size(msgspec.Struct, frozen=True):
    """Size of the container in pixels."""

    width: int = 760
    height: int | None = None
    """None: the View's own height, up to `MOST_HEIGHT`."""


class HostSettings(msgspec.Struct, frozen=True):
    """What the user has chosen for the View."""

    theme: Theme = "light"
    size: Size = Size()
    locale: str = ""
    """Language tag; "" for that of the browser."""
    deny: frozenset[Denial] = frozenset()
    is_partial: bool = False
    """Whether the arguments are also sent in growing parts, as by a model that is still writing them."""
    sends_result: bool = True
    """Whether the View gets the result of the tool."""


@prepared_type
class BrowserFacts(msgspec.Struct):
    """What the page knows of its browser. Every value is checked: it passes into the View."""

    width: int = 0
    """Pixels available for the View; 0 if not known."""
    locale: str = ""
    timeZone: str = ""  # noqa: N815, the name on the wire
    touch: bool = False
    hover: bool = True


def parse_size(text: str) -> Size:
    """Parse WIDTHxHEIGHT or WIDTH. Raises: UsageError."""
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(f"invalid --size {text!r}", hint="Write WIDTHxHEIGHT or WIDTH in pixels, such as 400x600.")
    return Size(int(found[1]), int(found[2]) if found[2] else None)


def parse_locale(text: str) -> str:
    """Check a language tag (BCP 47). Raises: UsageError."""
    if not _LOCALE.fullmatch(text):
        raise UsageError(f"invalid --locale {text!r}", hint="Write a language tag, such as en-US.")
    return text


class HostContext:
    """The current host context of a View. `change` returns what has changed, to be sent."""

    def __init__(self, settings: HostSettings, tool: Tool) -> None:
        self.theme: Theme = settings.theme
        self.size = settings.size
        self.mode = "inline"
        self.call_id: int | str | None = None
        """Request id of the tool call; None before it is sent."""
        self.browser = BrowserFacts()
        self._locale = settings.locale
        self._tool = tool

    def whole(self) -> dict[str, Any]:
        """Return the context for the result of `ui/initialize`."""
        tool: dict[str, Any] = {"tool": self._tool.raw}
        if self.call_id is not None:
            tool = {"id": self.call_id, **tool}
        found: dict[str, Any] = {
            "toolInfo": tool,
            "theme": self.theme,
            "styles": {"variables": _VARIABLES},
            "displayMode": self.mode,
            "availableDisplayModes": list(MODES),
            "containerDimensions": self._dimensions(),
            "userAgent": f"mcp-inspect/{__version__}",
            "platform": "web",
            "deviceCapabilities": {"touch": self.browser.touch, "hover": self.browser.hover},
            "safeAreaInsets": {"top": 0, "right": 0, "bottom": 0, "left": 0},
        }
        if locale := self._locale or (self.browser.locale if _LOCALE.fullmatch(self.browser.locale) else ""):
            found["locale"] = locale
        if re.fullmatch(r"[A-Za-z0-9_+/-]{1,60}", self.browser.timeZone):
            found["timeZone"] = self.browser.timeZone
        return found

    def change(self, **members: Any) -> dict[str, Any]:
        """Set attributes and return the members of the context that differ now."""
        before = self.whole()
        for name, value in members.items():
            setattr(self, name, value)
        return {name: value for name, value in self.whole().items() if before.get(name) != value}

    @property
    def width(self) -> int:
        """Width of the container in pixels: the chosen one, or less if the page is narrower."""
        return min(self.size.width, self.browser.width) if self.browser.width > 0 else self.size.width

    def _dimensions(self) -> dict[str, int]:
        if self.mode == "fullscreen" and self.browser.width > 0:
            return {"width": self.browser.width, "maxHeight": MOST_HEIGHT}
        if self.size.height is not None:
            return {"width": self.width, "height": self.size.height}
        return {"width": self.width, "maxHeight": MOST_HEIGHT}


def host_capabilities(page: Page, deny: frozenset[Denial]) -> dict[str, Any]:
    """Return the capabilities for the result of `ui/initialize`. What the user denies is declared nevertheless."""
    content: dict[str, Any] = {"text": {}, "image": {}, "audio": {}, "resource": {}, "resourceLink": {}}
    return {
        "openLinks": {},
        "serverTools": {},
        "serverResources": {},
        "logging": {},
        "updateModelContext": {**content, "structuredContent": {}},
        "message": content,
        "sandbox": {
            "permissions": {name: {} for name in page.permissions},
            "csp": {name: list(found) for name, found in page.domains},
        },
    }
