"""Its settings are a model that reads the environment; the model's error names a field, not a variable."""
# expects: environment-variable-missing
# exit: 4

import sys

sys.exit(
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nacme_api_key\n"
    "  Field required [type=missing, input_value={}, input_type=dict]\n"
    "    For further information visit https://errors.pydantic.dev/2.11/v/missing"
)
