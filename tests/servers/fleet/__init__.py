"""Other people's servers and frameworks that work: what `check`, `doctor` and `--probe` say of each has to be true.

`python -m tests.servers.fleet FILE [WORD…]` installs each member alone into a temporary directory, runs the commands
on it, adds a line of JSON to FILE, and removes it. Members that are in FILE already are left out. At the end it prints
each error and warning that `proofs.toml` does not prove, and its status is 1 if there is one: it is true and needs a
line there, or it is a false alarm. `--table` prints the table of docs/accuracy.md: all of them with what proves them.

Members are the packages of `tests/schemas/packages.toml`, those of `tests/servers/healthy.toml`, and the frameworks of
`fleet.toml` with a program in this directory. It needs npm, uv and the package indices, so no test runs it.
"""
