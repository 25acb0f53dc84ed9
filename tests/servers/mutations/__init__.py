"""Conforming servers with one fault at a time: is the first finding about it, and is nothing said of legal ones?

A mutation has a place (a member of a message, a line, a header, a status, a body, an event) and an operator (drop,
rename, retype, …). The server of `tests.servers.conforming` answers, one kind of its messages is mutated, and the
requests of `check` and three calls are made in this process. For each mutation: no crash, and either the first finding
is about the place, or the mutation is legal and nothing is said.

`python -m tests.servers.mutations [stdio|http|events|legacy|modern|WORD…]` runs all of them and prints the matrix of
operators and places, and each mutation that is not named or falsely named. `--every N` runs one in N.

What is legal is decided by the official schema of the protocol version (`schema-*.json`: of modelcontextprotocol.io,
without texts and without what servers do not send) and by the rules in `legality.py`.
"""
