"""Going through a recording: position, playback, controls."""
