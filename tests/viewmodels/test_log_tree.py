"""Where entries stand in the tree."""

from inspector.viewmodels.log_tree import IN_TREE, IN_TREE_PLAIN, IN_WIRE, IN_WIRE_PLAIN, Tree
from tests.viewmodels.tape import Tape


def _tree(tape: Tape) -> Tree:
    tree = Tree(tape.journal)
    for n in range(1, tape.journal.count + 1):
        tree.take(n)
    return tree


def test_an_answer_stands_in_its_request(tape: Tape) -> None:
    request = tape.request(1, "tools/list")
    answer = tape.answer(1, {})
    tree = _tree(tape)
    assert tree.row_of(answer) == tree.roots[answer] == request
    assert not tree.flags[answer] & IN_TREE
    assert tree.flags[answer] & IN_WIRE


def test_what_belongs_to_nothing_stands_alone(tape: Tape) -> None:
    alone = [
        tape.answer(9, {}),
        tape.from_server(b"banner"),
        tape.notify("notifications/initialized"),
        tape.stderr(b"x"),
    ]
    tree = _tree(tape)
    assert [tree.roots[n] for n in alone] == alone
    assert all(tree.flags[n] & IN_TREE for n in alone)


def test_all_progress_of_a_request_is_one_row(tape: Tape) -> None:
    call = tape.call(1, "slow")
    first = tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    second = tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (first, second)] == [call, call]
    assert tree.row_of(second) == tree.row_of(first) == first
    assert not tree.flags[second] & IN_TREE


def test_questions_and_log_messages_stand_under_the_one_open_request(tape: Tape) -> None:
    call = tape.call(1, "ask")
    question = tape.server_request(7, "elicitation/create", {"message": "?"})
    word = tape.notify("notifications/message", {"data": "x"})
    tree = _tree(tape)
    assert [tree.roots[question], tree.roots[word]] == [call, call]


def test_in_doubt_about_the_cause_they_stand_alone(tape: Tape) -> None:
    tape.call(1, "one")
    tape.call(2, "two")
    question = tape.server_request(7, "roots/list")
    tape.answer(1, {})
    tape.answer(2, {})
    later = tape.notify("notifications/message", {"data": "x"})
    tree = _tree(tape)
    assert [tree.roots[question], tree.roots[later]] == [question, later]


def test_a_request_that_was_given_up_is_no_cause_any_more(tape: Tape) -> None:
    tape.call(1, "one")
    tape.wait(1).notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    call = tape.wait(1).call(2, "two")
    word = tape.wait(1).notify("notifications/message", {"data": "x"})
    assert _tree(tape).roots[word] == call


def test_listening_for_changes_causes_nothing(tape: Tape) -> None:
    tape.request(1, "subscriptions/listen")
    word = tape.notify("notifications/message", {"data": "x"})
    assert _tree(tape).roots[word] == word


def test_cancellation_and_a_late_answer_stand_under_the_request(tape: Tape) -> None:
    call = tape.call(1, "slow")
    given_up = tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    late = tape.answer(1, {})
    again = tape.answer(1, {})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (given_up, late, again)] == [call] * 3
    assert all(tree.flags[n] & IN_TREE for n in (given_up, late, again))


def test_a_batch_is_a_row_of_its_own(tape: Tape) -> None:
    batch = tape.to_server([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (1, 2)])
    answers = tape.from_server([{"jsonrpc": "2.0", "id": i, "result": {}} for i in (1, 2)])
    tree = _tree(tape)
    assert [tree.roots[batch], tree.roots[answers]] == [batch, answers]


def test_facts_can_be_left_out_but_never_stderr(tape: Tape) -> None:
    tape.started()
    tape.posted(1)
    stderr = tape.stderr(b"x")
    tree = _tree(tape)
    assert [bool(tree.flags[n] & IN_TREE) for n in range(1, 6)] == [True, True, False, False, True]
    assert [bool(tree.flags[n] & IN_WIRE) for n in range(1, 6)] == [True] * 5
    assert [bool(tree.flags[n] & (IN_TREE_PLAIN | IN_WIRE_PLAIN)) for n in range(1, 6)] == [False] * 4 + [True]
    assert tree.exchange(stderr) is None


def test_what_is_asked_about_a_task_stands_under_the_call_that_it_began_with(tape: Tape) -> None:
    task = {"taskId": "t1", "status": "working"}
    call = tape.request(1, "tools/call", {"name": "dig", "task": {}})
    tape.answer(1, {"task": task})
    other = tape.call(2, "other")
    poll = tape.request(3, "tasks/get", {"taskId": "t1"})
    answer = tape.answer(3, task)
    unknown = tape.request(4, "tasks/get", {"taskId": "t2"})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (poll, answer)] == [call, call]
    assert [tree.roots[n] for n in (call, other, unknown)] == [call, other, unknown]
