"""One package per screen: its panel, its model without Textual, its keys, its dialogs."""

from typing import Final

PANELS: Final = {
    "traffic": "traffic.panel:TrafficPanel",
    "tools": "items.tools:ToolsPanel",
    "resources": "items.resources:ResourcesPanel",
    "prompts": "items.prompts:PromptsPanel",
    "inbox": "inbox.panel:InboxPanel",
    "tasks": "tasks.panel:TasksPanel",
    "log": "log.panel:ServerLogPanel",
    "findings": "findings.panel:FindingsPanel",
    "server": "server.panel:ServerPanel",
    "network": "network.panel:NetworkPanel",
    "raw": "compose.panel:ComposerPanel",
    "sessions": "sessions.panel:SessionsPanel",
    "skills": "skills.panel:SkillsPanel",
    "stats": "stats.panel:StatsPanel",
}
"""Module and class of each screen's panel, by the name in `app.show('…')`. It is imported when it is first shown."""
