"""What both front ends show, as plain data without Textual: spans, words, results, findings, traces."""
