"""Tools, resources and prompts: list, form, request and result."""
