"""Other people's logs: each source turns one agent's own files into runs."""
