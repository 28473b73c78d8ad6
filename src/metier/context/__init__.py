"""Wiring: a workspace puts configuration, store, redactor and clock together; one file per verb."""
