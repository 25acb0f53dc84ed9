"""What is said of a check that failed by a mistake of ours."""

from inspector.checks.set_aside import set_aside


def test_the_place_of_the_mistake_is_named_and_the_words_are_short() -> None:
    try:
        raise ValueError("x" * 1000)
    except ValueError as error:
        failed = set_aside("R-04", 12, error)
    assert failed.where.startswith("test_set_aside.py:")
    assert failed.sentence.startswith("check R-04 failed inside at #12: ValueError: xxx")
    assert len(failed.sentence) < 450
    assert set_aside("R-04", 12, ValueError()).where == "nowhere"
