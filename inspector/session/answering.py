"""Answering: how the server's own requests are answered, and the questions that stand in a result.

`ping` always gets its empty result, also before the conversation is open. A question that was offered an answer goes
to the desk. Everything else gets the error that the specification asks of a client without that capability, at once:
silence would hang the server. A question that the server wants answered as a task gets a handle, and then its answer.
"""

import asyncio

from inspector.protocol import jsonrpc
from inspector.protocol.offers import declared, offered_in, refusal_of
from inspector.protocol.questions import METHOD_NOT_FOUND, Question, Refusal, Reply, Result
from inspector.protocol.revisions._shape import Revision
from inspector.session.desk import Desk
from inspector.session.own_tasks import METHODS, OwnTasks, with_relation


class Answering:
    """What is offered, and the desk where it is answered."""

    def __init__(self, offers: frozenset[str], desk: Desk) -> None:
        self.offers = offers
        self.desk = desk
        self.own = OwnTasks(desk)

    async def to_request(
        self, request: jsonrpc.Request, question: Question | None, revision: Revision | None
    ) -> bytes | None:
        """The answer to a request of the server's, ready to be sent; None if the server no longer wants one.

        `question` is what the request asks of the person, None if it asks nothing of him.
        """
        reply = await self._reply(request, question, revision)
        match reply:
            case None:
                return None
            case Refusal():
                return jsonrpc.write_error(request.id, reply.code, reply.message, reply.data)
            case Result():
                return jsonrpc.write_answer(request.id, with_relation(reply.value, question.task if question else ""))

    async def to_questions(self, asked: tuple[Question, ...], revision: Revision) -> tuple[Reply, ...] | None:
        """A reply to each question of a result, all of them asked at once; None if one was withdrawn.

        They are answered together or not at all: after one refusal, which comes back alone, nobody is asked the rest.
        """
        offers = offered_in(revision, self.offers)
        for question in asked:
            if refusal := refusal_of(question, offers):
                self.desk.refuse(question, refusal)
                return (refusal,)
        replies = await asyncio.gather(*map(self._together, asked))
        found = tuple(reply for reply in replies if reply is not None)
        refusals = tuple(reply for reply in found if isinstance(reply, Refusal))
        return refusals[:1] or (found if len(found) == len(asked) else None)

    async def _reply(
        self, request: jsonrpc.Request, question: Question | None, revision: Revision | None
    ) -> Reply | None:
        if request.method == "ping":
            return Result({})
        with_tasks = revision is not None and "tasks" in declared(self.offers, revision)
        if with_tasks and request.method in METHODS:
            return await self.own.serve(request)
        if question is None or revision is None or request.method not in revision.server_requests:
            return Refusal(METHOD_NOT_FOUND, f"{request.method}: {_why_not(request, revision)}")
        if refusal := refusal_of(question, offered_in(revision, self.offers)):
            self.desk.refuse(question, refusal)
            return refusal
        handle = self.own.begin(question) if with_tasks else None
        return handle or await self.desk.ask(question)

    async def _together(self, question: Question) -> Reply | None:
        reply = await self.desk.ask(question)
        if isinstance(reply, Refusal):
            self.desk.withdraw("another question of the same result was refused", exchange=question.exchange)
        return reply


def _why_not(request: jsonrpc.Request, revision: Revision | None) -> str:
    if revision is None:
        return "the conversation is not open yet"
    known = request.method in revision.server_requests
    return "this client has not declared the capability for it" if known else "no such method in this revision"
