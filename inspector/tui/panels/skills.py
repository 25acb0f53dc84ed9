"""Screen 9, Skills: placeholder until its parts stand."""
from inspector.tui.panels import Panel
from inspector.tui.subject import Subject


class SkillsPanel(Panel):
    """Skills."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
