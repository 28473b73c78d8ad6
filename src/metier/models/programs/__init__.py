"""Coding agents as models: the program that a person is logged in to answers, one process a call."""
