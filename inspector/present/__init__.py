"""Views for both front ends, as plain data without Textual: spans, texts, results, findings, traces."""
