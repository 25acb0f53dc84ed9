"""Names that a finding has beside its own: where a diagnosis says what a rule says, there is one finding of two names.

The rule keeps its id, its severity and its page; the diagnosis is how people speak of the symptom.
"""

ALIASES: dict[str, tuple[str, ...]] = {
    "A-03": ("O02",),
    "A-05": ("O03",),
    "H-06": ("W03",),
    "H-11": ("W13",),
    "H-15": ("W09",),
    "H-24": ("W02",),
    "H-25": ("W12",),
    "L-02": ("E08", "E09", "E10"),
    "L-03": ("E02", "E03"),
    "L-11": ("C05",),
    "L-12": ("C04",),
    "L-14": ("E15", "E16"),
    "L-15": ("N01", "N02"),
    "L-16": ("X02",),
    "L-17": ("E21",),
    "L-18": ("E13", "E14"),
    "S-01": ("T02",),
    "S-03": ("T04",),
    "S-04": ("T05",),
    "S-07": ("T08",),
    "S-08": ("T09",),
    "S-12": ("T06", "T07"),
    "S-13": ("T15",),
    "S-17": ("T12",),
    "S-18": ("A02",),
    "S-19": ("T13",),
    "S-20": ("T10",),
    "S-21": ("R02",),
    "S-22": ("K05",),
    "S-23": ("K06", "K07", "K08", "K09"),
}
"""A diagnosis, and the rules that find it."""


def aliases_of(id_: str) -> tuple[str, ...]:
    """The diagnoses that a rule is called by, too."""
    return tuple(diagnosis for diagnosis, rules in ALIASES.items() if id_ in rules)


def names_of(id_: str) -> tuple[str, ...]:
    """All names of a finding of this check, its own first."""
    return id_, *aliases_of(id_)
