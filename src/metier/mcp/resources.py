"""Skills as resources: `skill://NAME/SKILL.md` and the other files of each, only what may be handed out."""

from __future__ import annotations

from base64 import b64encode
from mimetypes import guess_type
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from metier.errors import NotFoundError
from metier.selection.assembly.render import inline
from metier.selection.candidates.reviewed import check_skills
from metier.selection.hand_out import package_to_hand_out

if TYPE_CHECKING:
    from metier.workspace import Workspace

SCHEME = "skill://"
DOCUMENT = "SKILL.md"
PAGE = 50
"""Skills in one answer."""


def list_resources(ws: Workspace, cursor: str) -> dict[str, object]:
    """The documents of the skills that may be handed out, a page of them after the one that the cursor names."""
    catalogue = ws.pool.update_if_stale()
    names = sorted(name for name in catalogue.in_use if name > cursor)
    fit = check_skills(ws.pool, [catalogue.in_use[name] for name in names[:PAGE]]).skills
    found: list[dict[str, object]] = [
        {
            "uri": f"{SCHEME}{quote(name)}/{DOCUMENT}",
            "name": name,
            "description": inline(fit[name].description),
            "mimeType": "text/markdown",
        }
        for name in names[:PAGE]
        if name in fit
    ]
    more: dict[str, object] = {"nextCursor": names[PAGE - 1]} if len(names) > PAGE else {}
    return {"resources": found} | more


def read_resource(ws: Workspace, uri: str) -> dict[str, object]:
    """One file of a skill, as text if it is text."""
    name, _, path = uri.removeprefix(SCHEME).partition("/")
    name, path = unquote(name), unquote(path)
    if not uri.startswith(SCHEME) or not name or not path:
        raise NotFoundError(f"There is no resource {uri[:200]}. A skill's text is {SCHEME}NAME/{DOCUMENT}")
    package, _ = package_to_hand_out(ws.pool, name)
    file = package.skill_file if path == DOCUMENT and package.skill_file else path
    content = package.files.get(file)
    if content is None:
        raise NotFoundError(f"{name} has no file {path[:200]}.")
    return {"contents": [{"uri": uri} | _content(file, content)]}


def _content(path: str, content: bytes) -> dict[str, object]:
    kind = "text/markdown" if path.endswith(".md") else guess_type(path)[0]
    try:
        return {"mimeType": kind or "text/plain", "text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"mimeType": kind or "application/octet-stream", "blob": b64encode(content).decode()}
