"""Runs the mutations and prints the matrix."""

import asyncio
import logging
import sys
import time
from collections import Counter

from tests.servers.mutations.judging import Judgement, judge
from tests.servers.mutations.mutants import Mutation
from tests.servers.mutations.running import SETTINGS, Heard, Setting, mutations_of, run

_AT_ONCE = 8
Done = tuple[Setting, Mutation, Heard, Judgement]


async def run_all(settings: list[Setting], words: list[str], every: int) -> list[Done]:
    """Run one in `every` mutation of the settings whose description has all words."""
    done: list[Done] = []
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(setting: Setting, mutation: Mutation, message: object) -> None:
        async with limit:
            heard = await run(setting, mutation)
        judgement = judge(setting, mutation, heard, message)
        done.append((setting, mutation, heard, judgement))
        if not judgement.is_right or words:
            first = heard.primary
            said = heard.crash or (f"{first.id} {first.pointer} {first.sentence[:150]}" if first else "")
            print(f"{judgement}: {setting}: {mutation}: {said}", flush=True)

    for setting in settings:
        messages = (await run(setting, None)).messages
        chosen = [each for each in mutations_of(setting, messages) if all(word in str(each) for word in words)]
        async with asyncio.TaskGroup() as group:
            for each in chosen[::every]:
                group.create_task(one(setting, each, messages[each.method]))
    return done


def print_matrix(done: list[Done]) -> None:
    """Print how many of each operator and kind of place came out right."""
    counts = Counter((mutation.kind, mutation.operator, judgement) for _, mutation, _, judgement in done)
    print("\n| place | operator | mutations | named | rightly silent | unnamed | falsely named |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for kind, operator in dict.fromkeys((mutation.kind, mutation.operator) for _, mutation, _, _ in done):
        row = [counts[kind, operator, each] for each in list(Judgement)[:4]]
        print(f"| {kind} | {operator} | {sum(row)} | {' | '.join(map(str, row))} |")
    for setting in dict.fromkeys(each[0] for each in done):
        own = [each for each in done if each[0] == setting]
        right = sum(each[3].is_right for each in own)
        print(f"{setting}: {right} of {len(own)} right, {right / len(own):.1%}")


def main(words: list[str]) -> int:
    """Run; 1 if fewer than 95 % are right or anything crashed."""
    logging.disable()
    every = int(words.pop(words.index("--every") + 1)) if "--every" in words else 1
    eras = {word for word in words if word in ("legacy", "modern")}
    transports = {word for word in words if word in ("stdio", "http", "events")}
    settings = [
        each for each in SETTINGS if (not eras or each.era in eras) and (not transports or each.transport in transports)
    ]
    rest = [word for word in words if word not in eras | transports | {"--every"}]
    began = time.monotonic()
    done = asyncio.run(run_all(settings, rest, every))
    print_matrix(done)
    right = sum(each[3].is_right for each in done)
    print(f"{len(done)} mutations, {right} right, {right / max(1, len(done)):.1%}, {time.monotonic() - began:.0f} s")
    return right < 0.95 * len(done) or any(each[3] is Judgement.CRASHED for each in done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
