"""Diagnoses from symptoms to causes and fixes: of the process, its bytes, and the start of the conversation."""
