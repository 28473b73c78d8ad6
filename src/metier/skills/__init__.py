"""Skill packages as values: read, checked and edited without changing a byte that was not meant to change."""
