"""The table of tools, in the order in which clients list them."""

from inspector.serve.tools.answer import answer
from inspector.serve.tools.call import call
from inspector.serve.tools.check import check
from inspector.serve.tools.compare import compare
from inspector.serve.tools.logs import logs
from inspector.serve.tools.message import message
from inspector.serve.tools.open import open_
from inspector.serve.tools.probe import probe
from inspector.serve.tools.read import get_prompt, read
from inspector.serve.tools.restart import restart
from inspector.serve.tools.sessions import close, sessions
from inspector.serve.tools.taps import taps
from inspector.serve.tools.trace import trace
from inspector.serve.tools.traffic import traffic

TOOLS = (
    *(open_, sessions, call, read, get_prompt, check, traffic, message),
    *(trace, logs, restart, compare, answer, probe, taps, close),
)
