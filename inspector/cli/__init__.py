"""Commands. stdout is data, stderr is narration."""
