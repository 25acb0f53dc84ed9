"""The screens: each is a package with its panel, its model without Textual and its dialogs, and has one entry here."""

from typing import Final

import msgspec

from inspector.tui.actions import ActionScope

_S = ActionScope
_TRAFFIC = (_S.TRAFFIC, _S.FINDING, _S.FILTER, _S.SEARCH_MODE, _S.DETAIL, _S.JSON, _S.PAYLOAD, _S.TEXT, _S.FINDING_HERE)
_TOOLS = (_S.TOOLS, _S.OFFERED, _S.SAVED, _S.RESULT, _S.FORM, _S.FORM_LINE, _S.FORM_CHOICE)


class ScreenEntry(msgspec.Struct, frozen=True):
    """What is known of a screen before it is imported."""

    panel: str
    """Module and class of its panel, which is imported when it is first shown."""
    scopes: tuple[ActionScope, ...]
    """The palette goes to this screen for their actions. Other screens may have some of them too."""
    is_of_a_moment: bool = True
    """Whether it shows the state at the replay position."""


SCREENS: Final = {
    "traffic": ScreenEntry("traffic.panel:TrafficPanel", _TRAFFIC, is_of_a_moment=False),
    "tools": ScreenEntry("items.tools:ToolsPanel", _TOOLS),
    "resources": ScreenEntry("items.resources:ResourcesPanel", (_S.RESOURCES,)),
    "prompts": ScreenEntry("items.prompts:PromptsPanel", (_S.PROMPTS,)),
    "inbox": ScreenEntry("inbox.panel:InboxPanel", (_S.INBOX,)),
    "tasks": ScreenEntry("tasks.panel:TasksPanel", (_S.TASKS,)),
    "log": ScreenEntry("log.panel:ServerLogPanel", (_S.LOG,)),
    "findings": ScreenEntry("findings.panel:FindingsPanel", (_S.FINDINGS,)),
    "server": ScreenEntry("server.panel:ServerPanel", (_S.SERVER,)),
    "network": ScreenEntry("network.panel:NetworkPanel", (_S.NETWORK,)),
    "raw": ScreenEntry("compose.panel:ComposerPanel", (_S.RAW,), is_of_a_moment=False),
    "sessions": ScreenEntry("sessions.panel:SessionsPanel", (_S.SESSIONS,), is_of_a_moment=False),
    "skills": ScreenEntry("skills.panel:SkillsPanel", (_S.SKILLS,)),
    "stats": ScreenEntry("stats.panel:StatsPanel", (_S.STATS,)),
}
"""By the name in `app.show('…')`."""
