"""JSON pointers (RFC 6901): `/params/items/3`; "" for the whole document."""


def escaped(name: str) -> str:
    """Return a member's name as a step of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def steps(pointer: str) -> list[str]:
    """Return the steps of a pointer; empty for the whole document."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
