"""The shapes of params and results in every revision, as a table, and the parser of its notation.

A line at the margin begins a type: its name, `<` what it extends, and after `!` the rule that a fault in it breaks. A
line below is a member: its name (`?`: may be absent), its kind, the rows of the table of revisions it exists in (`3+`,
`4`, `3-4`; none: all), and `!` with a rule of its own, or two, for an absent and for a wrong one. `needs a|b` asks for
one of several members, and `=` makes a name for kinds that the member `type` tells apart.

Kinds: text, number, whole, natural (whole, not negative), unit (from 0 to 1), flag, any, object, base64, uri, template,
'a word', [items], {values of an object}, either|or. Members that no line names are always allowed.
"""

import re

import msgspec

from inspector.checks.registry import LAST

RESULTS = {
    "initialize": "Initialize",
    "server/discover": "Discover",
    "tools/list": "Tools",
    "tools/call": "Called",
    "resources/list": "Resources",
    "resources/templates/list": "Templates",
    "resources/read": "Read",
    "prompts/list": "Prompts",
    "prompts/get": "Got",
    "completion/complete": "Completed",
    "subscriptions/listen": "Listened",
    "tasks/list": "Tasks",
    "tasks/get": "TaskResult",
    "tasks/cancel": "TaskResult",
}
"""The shape of the result by the method; any other is a plain Result."""
OF_EXTENSION = {"tasks/get": "Handled", "tasks/cancel": "Result", "notifications/tasks": "Handle"}
"""Those that differ since tasks are an extension."""

PARAMS = {
    "sampling/createMessage": "Sampling",
    "elicitation/create": "Elicitation",
    "notifications/message": "Log",
    "notifications/progress": "Progress",
    "notifications/cancelled": "Cancelled",
    "notifications/resources/updated": "Updated",
    "notifications/elicitation/complete": "Visited",
    "notifications/tasks/status": "Task",
    "notifications/subscriptions/acknowledged": "Acknowledged",
}
"""The shape of the params of a server's request or notification."""

TYPES = """
Result !E04
  _meta?            object                     !E18
  resultType        text                 5+    !L10/L11
Cached < Result
  ttlMs             natural              5+    !H01/H02
  cacheScope        'public'|'private'   5+    !H01/H02
Page < Cached !A01
  nextCursor?       text                       !A01

Implementation !L01
  name              text
  version           text
  title?            text                 3+
  description?      text                 4+
  websiteUrl?       text                 4+
  icons?            [Icon]               4+
Initialize < Result !L01
  protocolVersion   text
  capabilities      Abilities
  serverInfo        Implementation
  instructions?     text
Discover < Cached !L06
  supportedVersions [text]               5+
  capabilities      Abilities
  instructions?     text
Abilities !L14
  experimental?     {object}
  logging?          object
  completions?      object               2+
  prompts?          Changing
  resources?        Watched
  tools?            Changing
  tasks?            TaskAbilities        4
  extensions?       {object}             5+
Changing !L14
  listChanged?      flag
Watched !L14
  subscribe?        flag
  listChanged?      flag
TaskAbilities !L14
  list?             object
  cancel?           object
  requests?         TaskRequests
TaskRequests !L14
  tools?            TaskCalls
TaskCalls !L14
  call?             object

Icon !T16
  src               text
  mimeType?         text
  sizes?            [text]
  theme?            'light'|'dark'
Annotations !K13
  audience?         ['user'|'assistant']
  priority?         unit
  lastModified?     text                 3+

Tools < Page
  tools             [Tool]                     !T01
Tool !T01
  name              text
  title?            text                 3+
  description?      text
  inputSchema       Arguments                  !T01/T02
  outputSchema?     Structured           3-4
  outputSchema?     Dialected            5+
  annotations?      Claims               2+
  icons?            [Icon]               4+
  execution?        Execution            4
  _meta?            object               3+    !E18
Arguments !T02
  type              'object'
  properties?       {object}             1-4
  required?         [text]               1-4
  $schema?          text                 4+
Structured !T04
  type              'object'
  properties?       {object}
  required?         [text]
  $schema?          text                 4
Dialected !T04
  $schema?          text
Claims !T13
  title?            text
  readOnlyHint?     flag
  destructiveHint?  flag
  idempotentHint?   flag
  openWorldHint?    flag
Execution !T14
  taskSupport?      'forbidden'|'optional'|'required'

Called < Result !K01
  content           [Block]
  isError?          flag                       !K10
  structuredContent? object              3-4   !K08
  structuredContent? any                 5+
Block = Text | Image | Audio 2+ | Link 3+ | Embedded   !K02
Text !K03
  text              text
  annotations?      Annotations
  _meta?            object               3+    !E18
Image !K03
  data              base64
  mimeType          text
  annotations?      Annotations
  _meta?            object               3+    !E18
Audio !K03
  data              base64
  mimeType          text
  annotations?      Annotations
  _meta?            object               3+    !E18
Embedded !K03
  resource          Contents
  annotations?      Annotations
  _meta?            object               3+    !E18
Link < Resource !K03
Contents !R04
  uri               uri
  mimeType?         text
  text?             text
  blob?             base64
  needs text|blob
  _meta?            object               3+    !E18

Resources < Page
  resources         [Resource]                 !R01
Resource !R01
  uri               uri
  name              text
  title?            text                 3+
  description?      text
  mimeType?         text
  size?             whole
  annotations?      Annotations
  icons?            [Icon]               4+
  _meta?            object               3+    !E18
Templates < Page
  resourceTemplates [Template]                 !R01
Template !R01
  uriTemplate       template
  name              text
  title?            text                 3+
  description?      text
  mimeType?         text
  annotations?      Annotations
  icons?            [Icon]               4+
  _meta?            object               3+    !E18
Read < Cached !R04
  contents          [Contents]

Prompts < Page
  prompts           [Prompt]                   !P01
Prompt !P01
  name              text
  title?            text                 3+
  description?      text
  arguments?        [Argument]
  icons?            [Icon]               4+
  _meta?            object               3+    !E18
Argument !P01
  name              text
  title?            text                 3+
  description?      text
  required?         flag
Got < Result !P03
  description?      text
  messages          [Said]
Said !P03
  role              'user'|'assistant'         !P02
  content           Block

Completed < Result !Q01
  completion        Values
Values !Q01
  values            [text]
  total?            whole
  hasMore?          flag

Sampling !Y01
  messages          [Sampled]
  maxTokens         whole
  modelPreferences? Preferences
  systemPrompt?     text
  includeContext?   'none'|'thisServer'|'allServers'
  temperature?      number
  stopSequences?    [text]
  metadata?         object
  tools?            [Tool]               4+
  toolChoice?       Choice               4+
  _meta?            object               1-4   !E18
Preferences !Y01
  hints?            [Hint]
  costPriority?     unit
  speedPriority?    unit
  intelligencePriority? unit
Hint !Y01
  name?             text
Choice !Y01
  mode?             'auto'|'required'|'none'
Sampled !Y01
  role              'user'|'assistant'
  content           SampledBlock         1-3   !Y03
  content           SampledBlock|[SampledBlock]  4+
  _meta?            object               4+    !E18
SampledBlock = Text | Image | Audio 2+ | Use 4+ | Used 4+   !Y03
Use !Y01
  id                text
  name              text
  input             object
  _meta?            object                     !E18
Used !Y01
  toolUseId         text
  content           [Block]
  isError?          flag
  structuredContent? object              4
  structuredContent? any                 5+
  _meta?            object                     !E18

Elicitation !Z02
  mode?             'form'|'url'         4+    !Z01
  message           text
Log !G01
  level             'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'
  logger?           text
  data              any
  _meta?            object               4+    !E18
Progress !N03
  progressToken     text|whole                 !N01
  progress          number
  total?            number
  message?          text                 2+
  _meta?            object               4+    !E18
Cancelled !X01
  requestId         text|whole           1-3
  requestId?        text|whole           4
  requestId         text|whole           5+
  reason?           text
  _meta?            object               4+    !E18
Updated !C02
  uri               uri
  _meta?            object               4+    !E18
Visited !Z08
  elicitationId     text                 4
Acknowledged !B04
  notifications     Filter
  _meta?            object                     !E18
Filter !B04
  toolsListChanged?     flag
  promptsListChanged?   flag
  resourcesListChanged? flag
  resourceSubscriptions? [text]
Listened < Result !E04

Task !D03
  taskId            text
  status            'working'|'input_required'|'completed'|'failed'|'cancelled'  !D03/D02
  statusMessage?    text
  createdAt         text
  lastUpdatedAt     text
  ttl               whole|nothing
  pollInterval?     whole
  _meta?            object                     !E18
TaskResult < Task
  _meta?            object                     !E18
Handle !D03
  taskId            text                 5+
  status            'working'|'input_required'|'completed'|'failed'|'cancelled'  5+  !D03/D02
  statusMessage?    text                 5+
  createdAt         text                 5+
  lastUpdatedAt     text                 5+
  ttlMs             whole|nothing        5+
  pollIntervalMs?   whole                5+
  _meta?            object                     !E18
Handled < Handle !D03
  resultType        text                 5+    !L10/L11
Tasks < Page
  tasks             [Task]                     !D03
Created < Result !D01
  task              Task
Asking < Result !I02
  inputRequests?    {object}                   !I03
  requestState?     text                       !I05
"""

_MEMBER = re.compile(
    r"  (?P<name>[\w$]+)(?P<optional>\?)? +(?P<kind>\S+)(?: +(?P<rows>\d[\d+-]*))?(?: +!(?P<rules>\S+))?"
)
_HEAD = re.compile(r"(?P<name>\w+)(?: < (?P<base>\w+))?(?: !(?P<rule>\w+))?")
_ARM = re.compile(r"(\w+)(?: (\d[\d+-]*))?")


class Member(msgspec.Struct, frozen=True):
    """One member of an object."""

    name: str
    required: bool
    kind: str
    rows: range
    absent: str
    """The rule that is broken where it is missing; "" for that of its type."""
    wrong: str


class ShapeType(msgspec.Struct):
    """An object's shape, or, with `arms`, a choice of such."""

    name: str
    rule: str = ""
    members: list[Member] = []
    needs: tuple[str, ...] = ()
    """Of these members at least one."""
    arms: dict[str, range] = {}


def read(notation: str) -> dict[str, ShapeType]:
    """All types of a notation, with what they extend."""
    types: dict[str, ShapeType] = {}
    current = ShapeType("")
    bases: dict[str, str] = {}
    for line in filter(str.strip, notation.splitlines()):
        if line.startswith("  needs "):
            current.needs = tuple(line.split()[1].split("|"))
        elif line.startswith("  "):
            current.members.append(_member(line))
        else:
            current, base = _choice(line) if "=" in line else _head(line)
            types[current.name], bases[current.name] = current, base
    for name in types:
        _extend(name, types, bases)
    return types


def _head(line: str) -> tuple[ShapeType, str]:
    found = _HEAD.fullmatch(line)
    assert found, line
    return ShapeType(found["name"], found["rule"] or "", []), found["base"] or ""


def _choice(line: str) -> tuple[ShapeType, str]:
    name, _, rest = line.partition(" = ")
    arms, _, rule = rest.partition("!")
    return ShapeType(name, rule.strip(), arms={arm: _rows(rows) for arm, rows in _ARM.findall(arms)}), ""


def _member(line: str) -> Member:
    found = _MEMBER.fullmatch(line)
    assert found, line
    absent, _, wrong = (found["rules"] or "").partition("/")
    return Member(
        found["name"], not found["optional"], found["kind"], _rows(found["rows"] or ""), absent, wrong or absent
    )


def _rows(text: str) -> range:
    """“3+” from the third row on, "4" that one alone, "3-4" both, "" all."""
    if not text:
        return range(1, LAST + 1)
    first, _, last = text.rstrip("+").partition("-")
    return range(int(first), LAST + 1 if text.endswith("+") else int(last or first) + 1)


def _extend(name: str, types: dict[str, ShapeType], bases: dict[str, str]) -> None:
    """Put the members of what a type extends before its own, once."""
    base = bases.pop(name, "")
    if not base:
        return
    _extend(base, types, bases)
    own = {member.name for member in types[name].members}
    types[name].members[:0] = [each for each in types[base].members if each.name not in own]
    types[name].rule = types[name].rule or types[base].rule
