"""Other people's servers and frameworks that work: what `check`, `doctor` and `--probe` say of each has to be true.

`python -m tests.servers.fleet FILE [WORD…]` installs each member alone into a temporary directory, runs the commands
on it, adds a line of JSON to FILE, and removes it. Members that are in FILE already are left out. `--table` prints the
table of docs/testing.md from FILE and `proofs.toml`: each error and warning with what proves it, or "unproved".

Members are the packages of `tests/schemas/packages.toml`, those of `tests/servers/healthy.toml` over HTTP, and the
frameworks of `fleet.toml` with a program in this directory. It needs the package indices, so no test runs it.
"""
