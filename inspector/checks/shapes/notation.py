"""The shapes of params and results in every revision, as a table, and the parser of its notation.

A line at the margin begins a type: its name, `<` and the type it extends, and after `!` the rule that a fault
violates. A line below is a member: its name (`?`: optional), its kind, the rows of the table of revisions in which
it exists (`3+`, `4`, `3-4`; none: all), and `!` with a separate rule, or two, for an absent and for a wrong member.
`needs a|b` requires one of several members, and `=` names a choice of types that the member `type` distinguishes.

Kinds: text, name (not empty), number, whole, natural (whole, not negative), unit (from 0 to 1), flag, any, object,
base64, uri, template, 'a word', [items], {values of an object}, either|or. Members that no line names are allowed.
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
"""Shape of the result by method; any other result is a plain Result."""
OF_EXTENSION = {"tasks/get": "Handled", "tasks/cancel": "Result", "notifications/tasks": "Handle"}
"""Shapes that differ since tasks are an extension."""

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
"""Shape of the params of a server's request or notification, by method."""

BLOCKS = {
    "Text": "text",
    "Image": "image",
    "Audio": "audio",
    "Link": "resource_link",
    "Embedded": "resource",
    "Use": "tool_use",
    "Used": "tool_result",
}
"""Member `type` of a content block, by the name of its shape."""

TYPES = """
Result !result-not-object
  _meta?            object                     !invalid-meta
  resultType        text                 5+    !result-type-missing/unknown-result-type
Cached < Result
  ttlMs             natural              5+    !cache-hints-missing/cache-hints-invalid
  cacheScope        'public'|'private'   5+    !cache-hints-missing/cache-hints-invalid
Page < Cached !cursor-not-string
  nextCursor?       text                       !cursor-not-string

Implementation !initialize-result-invalid
  name              name
  version           text
  title?            text                 3+
  description?      text                 4+
  websiteUrl?       text                 4+
  icons?            [Icon]               4+
Initialize < Result !initialize-result-invalid
  protocolVersion   text
  capabilities      Abilities
  serverInfo        Implementation
  instructions?     text
Discover < Cached !discover-result-invalid
  supportedVersions [text]               5+
  capabilities      Abilities
  instructions?     text
Abilities !capability-not-object
  experimental?     {object}
  logging?          object
  completions?      object               2+
  prompts?          Changing
  resources?        Watched
  tools?            Changing
  tasks?            TaskAbilities        4
  extensions?       {object}             5+
Changing !capability-not-object
  listChanged?      flag
Watched !capability-not-object
  subscribe?        flag
  listChanged?      flag
TaskAbilities !capability-not-object
  list?             object
  cancel?           object
  requests?         TaskRequests
TaskRequests !capability-not-object
  tools?            TaskCalls
TaskCalls !capability-not-object
  call?             object

Icon !icon-rejected
  src               text
  mimeType?         text
  sizes?            [text]
  theme?            'light'|'dark'
Annotations !annotation-value-invalid
  audience?         ['user'|'assistant']
  priority?         unit
  lastModified?     text                 3+

Tools < Page
  tools             [Tool]                     !tool-incomplete
Tool !tool-incomplete
  name              text
  title?            text                 3+
  description?      text
  inputSchema       Arguments                  !tool-incomplete/input-schema-not-object
  outputSchema?     Structured           3-4
  outputSchema?     Dialected            5+
  annotations?      Claims               2+
  icons?            [Icon]               4+
  execution?        Execution            4
  _meta?            object               3+    !invalid-meta
Arguments !input-schema-not-object
  type              'object'
  properties?       {object}             1-4
  required?         [text]               1-4
  $schema?          text                 4+
Structured !output-schema-not-object
  type              'object'
  properties?       {object}
  required?         [text]
  $schema?          text                 4
Dialected !output-schema-not-object
  $schema?          text
Claims !annotations-invalid
  title?            text
  readOnlyHint?     flag
  destructiveHint?  flag
  idempotentHint?   flag
  openWorldHint?    flag
Execution !task-support-invalid
  taskSupport?      'forbidden'|'optional'|'required'

Called < Result !content-missing
  content           [Block]
  isError?          flag                       !is-error-not-boolean
  structuredContent? object              3-4   !structured-content-not-object
  structuredContent? any                 5+
Block = Text | Image | Audio 2+ | Link 3+ | Embedded   !unknown-content-type
Text !content-block-incomplete
  text              text
  annotations?      Annotations
  _meta?            object               3+    !invalid-meta
Image !content-block-incomplete
  data              base64
  mimeType          text
  annotations?      Annotations
  _meta?            object               3+    !invalid-meta
Audio !content-block-incomplete
  data              base64
  mimeType          text
  annotations?      Annotations
  _meta?            object               3+    !invalid-meta
Embedded !content-block-incomplete
  resource          Contents
  annotations?      Annotations
  _meta?            object               3+    !invalid-meta
Link < Resource !content-block-incomplete
Contents !resource-contents-invalid
  uri               uri
  mimeType?         text
  text?             text
  blob?             base64
  needs text|blob
  _meta?            object               3+    !invalid-meta

Resources < Page
  resources         [Resource]                 !resource-uri-missing
Resource !resource-uri-missing
  uri               uri
  name              text
  title?            text                 3+
  description?      text
  mimeType?         text
  size?             whole
  annotations?      Annotations
  icons?            [Icon]               4+
  _meta?            object               3+    !invalid-meta
Templates < Page
  resourceTemplates [Template]                 !resource-uri-missing
Template !resource-uri-missing
  uriTemplate       template
  name              text
  title?            text                 3+
  description?      text
  mimeType?         text
  annotations?      Annotations
  icons?            [Icon]               4+
  _meta?            object               3+    !invalid-meta
Read < Cached !resource-contents-invalid
  contents          [Contents]

Prompts < Page
  prompts           [Prompt]                   !prompt-name-missing
Prompt !prompt-name-missing
  name              name
  title?            text                 3+
  description?      text
  arguments?        [Argument]
  icons?            [Icon]               4+
  _meta?            object               3+    !invalid-meta
Argument !prompt-name-missing
  name              name
  title?            text                 3+
  description?      text
  required?         flag
Got < Result !prompt-content-not-block
  description?      text
  messages          [Said]
Said !prompt-content-not-block
  role              'user'|'assistant'         !invalid-role
  content           Block

Completed < Result !completion-invalid
  completion        Values
Values !completion-invalid
  values            [text]
  total?            whole
  hasMore?          flag

Sampling !sampling-request-invalid
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
  _meta?            object               1-4   !invalid-meta
Preferences !sampling-request-invalid
  hints?            [Hint]
  costPriority?     unit
  speedPriority?    unit
  intelligencePriority? unit
Hint !sampling-request-invalid
  name?             text
Choice !sampling-request-invalid
  mode?             'auto'|'required'|'none'
Sampled !sampling-request-invalid
  role              'user'|'assistant'
  content           SampledBlock         1-3   !unknown-sampling-content
  content           SampledBlock|[SampledBlock]  4+
  _meta?            object               4+    !invalid-meta
SampledBlock = Text | Image | Audio 2+ | Use 4+ | Used 4+   !unknown-sampling-content
Use !sampling-request-invalid
  id                text
  name              text
  input             object
  _meta?            object                     !invalid-meta
Used !sampling-request-invalid
  toolUseId         text
  content           [Block]
  isError?          flag
  structuredContent? object              4
  structuredContent? any                 5+
  _meta?            object                     !invalid-meta

Elicitation !elicitation-schema-not-flat
  mode?             'form'|'url'         4+    !elicitation-mode-unsupported
  message           text
Log !log-message-invalid
  level             'debug'|'info'|'notice'|'warning'|'error'|'critical'|'alert'|'emergency'
  logger?           text
  data              any
  _meta?            object               4+    !invalid-meta
Progress !progress-value-invalid
  progressToken     text|whole                 !unrequested-progress
  progress          number
  total?            number
  message?          text                 2+
  _meta?            object               4+    !invalid-meta
Cancelled !cancelled-unknown-request
  requestId         text|whole           1-3
  requestId?        text|whole           4
  requestId         text|whole           5+
  reason?           text
  _meta?            object               4+    !invalid-meta
Updated !resource-update-undeclared
  uri               uri
  _meta?            object               4+    !invalid-meta
Visited !unknown-elicitation-completed
  elicitationId     text                 4
Acknowledged !acknowledgment-exceeds-request
  notifications     Filter
  _meta?            object                     !invalid-meta
Filter !acknowledgment-exceeds-request
  toolsListChanged?     flag
  promptsListChanged?   flag
  resourcesListChanged? flag
  resourceSubscriptions? [text]
Listened < Result !result-not-object

Task !task-invalid
  taskId            text
  status            'working'|'input_required'|'completed'|'failed'|'cancelled'  !task-invalid/task-status-transition
  statusMessage?    text
  createdAt         text
  lastUpdatedAt     text
  ttl               whole|nothing
  pollInterval?     whole
  _meta?            object                     !invalid-meta
TaskResult < Task
  _meta?            object                     !invalid-meta
Handle !task-invalid
  taskId            text                 5+
  status    'working'|'input_required'|'completed'|'failed'|'cancelled'  5+  !task-invalid/task-status-transition
  statusMessage?    text                 5+
  createdAt         text                 5+
  lastUpdatedAt     text                 5+
  ttlMs             whole|nothing        5+
  pollIntervalMs?   whole                5+
  _meta?            object                     !invalid-meta
Handled < Handle !task-invalid
  resultType        text                 5+    !result-type-missing/unknown-result-type
Tasks < Page
  tasks             [Task]                     !task-invalid
Created < Result !task-not-requested
  task              Task
Asking < Result !input-required-empty
  inputRequests?    {object}                   !unknown-input-request
  requestState?     text                       !request-state-not-string
"""

_MEMBER = re.compile(
    r"  (?P<name>[\w$]+)(?P<optional>\?)? +(?P<kind>\S+)(?: +(?P<rows>\d[\d+-]*))?(?: +!(?P<rules>\S+))?"
)
_HEAD = re.compile(r"(?P<name>\w+)(?: < (?P<base>\w+))?(?: !(?P<rule>[\w-]+))?")
_ARM = re.compile(r"(\w+)(?: (\d[\d+-]*))?")


class Member(msgspec.Struct, frozen=True):
    """One member of an object."""

    name: str
    required: bool
    kind: str
    rows: range
    absent: str
    """Rule that is violated if it is missing; "" for that of its type."""
    wrong: str


class ShapeType(msgspec.Struct):
    """Shape of an object, or, with `arms`, a choice of shapes."""

    name: str
    rule: str = ""
    members: list[Member] = []
    needs: tuple[str, ...] = ()
    """Members of which at least one is required."""
    arms: dict[str, range] = {}


def read(notation: str) -> dict[str, ShapeType]:
    """Parse all types of a notation, including the members of the types they extend."""
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
    """Parse rows: “3+” from the third row on, "4" only that one, "3-4" both, "" all."""
    if not text:
        return range(1, LAST + 1)
    first, _, last = text.rstrip("+").partition("-")
    return range(int(first), LAST + 1 if text.endswith("+") else int(last or first) + 1)


def _extend(name: str, types: dict[str, ShapeType], bases: dict[str, str]) -> None:
    """Add the members of the extended type before the type's own, once."""
    base = bases.pop(name, "")
    if not base:
        return
    _extend(base, types, bases)
    own = {member.name for member in types[name].members}
    types[name].members[:0] = [each for each in types[base].members if each.name not in own]
    types[name].rule = types[name].rule or types[base].rule
