"""From symptom to cause to cure, over the process, its bytes and how the conversation began."""
