"""Names of the facts by which the store remembers work that was begun, so that whoever comes next finishes it."""

from __future__ import annotations

ADOPTED = "workspace.adopted"
"""Holds the name of the workspace a restored database came from, until it is taken."""
ERASING = "house.erasing"
"""Removed text still has to be wiped: there until that is done, whatever happens in between."""
TIDIED = "house.tidied"
"""Holds the day on which limits were last enforced; one for each workspace."""
