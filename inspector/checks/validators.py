"""What validators say of values that do not match a schema: pydantic, zod, ajv, jsonschema, and the SDKs."""

import re

_KINDS = "string|number|integer|object|array|boolean"
_NO_NUMBERS = "string|object|array|boolean"
_A = "(?:a |an )?"
_OF_OUTPUT = "output validation error"

VALIDATION = re.compile(
    r"(?i)validation error|invalid (?:arguments|input|params|parameters|type)|input validation|schema validation"
    rf"|is a required property|is not of type|expected (?:{_KINDS}), (?:received|got)"
    r"|invalid (?:argument|parameter):? ['\"`]"
    r"|\b(?:is|are) (?:required|missing)\b|missing (?:required |the )?(?:argument|parameter|field|property|value)"
    rf"|\[type=\w+, input_value=|must be {_A}(?:{_KINDS})\b|invalid_type"
    r"|\b(?:must|should|needs to) be one of\b|\bis not one of\b"
)
"""Messages about arguments."""
OF_A_RESPONSE = re.compile(rf"(?i)validation errors? for \w*(?:response|result|output|DictModel)\b|{_OF_OUTPUT}")
"""Messages about what the tool returns, or has got itself."""
OWN_RESULT = re.compile(
    rf"(?i){_OF_OUTPUT}|no structured (content|output) (was )?(provided|returned)"
    r"|structured (content|output) (does not|doesn't) match"
)
"""Messages of the SDKs about a result that does not match the outputSchema of its tool."""
NO_STRUCTURE = re.compile(r"(?i)no structured (content|output)")
MISSING_OR_TYPE = re.compile(
    rf"(?i)\brequired\b|\bmissing\b|is not of type|expected (?:{_KINDS}), received"
    rf"|\[type=(?:missing|\w+_type|\w+_parsing), |must be {_A}(?:{_KINDS})\b|invalid_type"
)
"""Messages about a missing argument or a type. Other rejections may be caused by texts that are made up here."""
NO_NUMBER = re.compile(rf"(?i)\[type=string_type|(?:expected|must be) {_A}(?:{_NO_NUMBERS})\b")
"""Messages that a number should have another type."""
TYPED = re.compile(rf"(?i)\[type=|is not of type|expected \w+, received|must be {_A}\w+\b|invalid_type")
ABOUT_A_TYPE = re.compile(r"(?i)\btype\b|\bexpected\b|\binstance of\b|\bmust be an? ")
"""Messages about the type of an argument, whatever the framework."""
