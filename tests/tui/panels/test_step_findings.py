"""Tools, resources and prompts tell what checks have found about each of them, and screen E begins there."""

from inspector.tui.panels.prompts import PromptsPanel
from inspector.tui.panels.resources import ResourcesPanel
from inspector.tui.panels.step_findings import StepFindings
from tests.tui.checked import checked
from tests.tui.panels.acting import Acting, Tools, chosen
from tests.tui.panels.offering import Offering, Offers
from tests.tui.screen_text import text
from tests.waiting import until


async def test_rows_have_badges_and_the_chosen_thing_tells_what_was_found() -> None:
    subject = Offering()
    subject.offer("prompts/list", "prompts", [{"name": "calm", "description": "x"}, {"name": "odd", "arguments": "no"}])
    app = Offers(PromptsPanel(subject))
    async with app.run_test(size=(160, 40)) as pilot:

        def chosen() -> str:
            return app.panel.form.thing.name if app.panel.form.thing is not None else ""

        await until(lambda: chosen() == "calm", "the first is chosen")
        app.panel.side.focus_list()
        await pilot.press("j")
        await until(lambda: chosen() == "odd", "the other one is chosen")
        subject.checks.catch_up()
        await until(lambda: "odd ✗1" in text(app), "its row has a badge")
        await until(lambda: "✗ error P01 prompts/list (odd): prompts/1/arguments" in text(app), "the finding is shown")
        await until(lambda: "E shows the evidence" in text(app), "the key for the evidence is shown")
        assert "calm ✗" not in text(app)
        await pilot.press("k")
        await until(lambda: "error P01" not in text(app), "nothing is wrong with the other one")
        assert "odd ✗1" in text(app)


async def test_templates_and_reads_of_resources_are_judged_too() -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=(80, 24)):
        await until(lambda: "broken" in text(app), "the resources are listed")
        subject.checks.catch_up()
        await until(lambda: "broken ✗1" in text(app), "the template's row has a badge before its flaw")
        assert "Welcome ✗" not in text(app)


async def test_screen_e_begins_at_what_was_found_about_the_chosen_tool() -> None:
    async with checked("lighthouse", (160, 45), show="tools") as (app, pilot):
        panel = app.panel
        assert isinstance(panel, StepFindings)
        await pilot.press("slash", *"barometer", "enter")
        await until(lambda: bool(panel.meant_findings), "something was found about the tool")
        meant = panel.meant_findings[0]
        await until(lambda: meant.id in text(app), "it is told above the form")
        await pilot.press("E")
        await until(lambda: f"{meant.id}  " in text(app) and "severity" in text(app), "it is chosen on screen E")
        assert meant.sentence[:40] in text(app)


async def test_a_cause_that_all_tools_share_is_stated_once() -> None:
    old = {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#", "properties": {}}
    listed = [{"name": f"t{at}", "description": "x", "inputSchema": {"type": "object"}} for at in range(6)]
    subject = Acting([each | {"outputSchema": old} for each in listed])
    app = Tools(subject)
    async with app.run_test(size=(160, 40)) as pilot:
        await chosen(app, pilot, "t0")
        subject.checks.catch_up()
        await until(lambda: "6 of 6" in text(app), "what all have in common")
        assert text(app).count("S-04") == 1
        assert not any(sign in line for line in text(app).split("\n") for sign in ("t3 ·", "t3 ▲", "t3 ✗"))
        await chosen(app, pilot, "t4")
        assert text(app).count("S-04") == 1
