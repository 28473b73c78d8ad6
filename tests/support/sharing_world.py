"""What the tests of sharing have in common: a server's workspace with something approved, and machines that join."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from dashboard_world import SKILL, sample_lessons

from metier.formats.value_json import dumps
from metier.library.lessons import approve_lesson
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.library.proposals.ship import apply_drafts
from metier.server.key import server_key
from metier.sharing.manifest import OfferManifest, SignedManifest, public_key, sign_manifest
from metier.sharing.membership import Membership, read_membership, write_membership
from metier.sharing.offer import make_offer
from metier.sharing.take_over import sync_now
from metier.store.tables.learning import lessons
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.sharing.membership import JoinScope
    from metier.sharing.take_over import SyncReport

URL = "http://127.0.0.1:1"
RULE, FACT = "0000000000a0", "0000000000a1"


def open_machine(folder: Path) -> Workspace:
    """A machine of its own: another home, another key."""
    folder.mkdir(parents=True)
    (folder.parent / f"home-{folder.name}").mkdir(exist_ok=True)
    return Workspace.open(folder, environ={"HOME": str(folder.parent / f"home-{folder.name}"), "PATH": "/usr/bin:/bin"})


def make_server(folder: Path) -> Workspace:
    """A workspace with proposals, an approved rule and a skill in one version."""
    ws = open_machine(folder)
    ids = [one.id for one in ws.deliver([Run(message=f"run {n}", external_id=str(n)) for n in range(8)])]
    with ws.context.store.write() as transaction:
        lessons.put(transaction, sample_lessons(ws.name, ids, "plain"))
    approve_lesson(ws.context, RULE)
    ship(ws, "write-notes", "Write the notes.")
    return ws


def ship(ws: Workspace, name: str, description: str, more: str = "") -> str:
    """Ship a version of a skill by a person's yes; returns its hash."""
    document = SKILL.format(name=name, description=description) + more
    draft = hand_in_document(ws.library, name, document, "from runs")
    approve_draft(ws.library, draft.id, seen=draft.hash)
    return apply_drafts(ws.library, [draft.id])[0].hash


@dataclass
class DirectSource:
    """What a server offers to a person, without a network between; a test may change what it sends."""

    server: Workspace
    person: str = "machine"
    signed: SignedManifest | None = None
    swapped: bytes | None = None
    """Sent in the place of every object."""
    fetched: int = 0

    def manifest(self) -> SignedManifest:
        return self.signed or self.sign(make_offer(self.server.library, self.person).manifest)

    def sign(self, manifest: OfferManifest) -> SignedManifest:
        return sign_manifest(server_key(self.server.context), manifest)

    def object(self, name: str) -> bytes:
        self.fetched += 1
        if self.swapped is not None:
            return self.swapped
        return make_offer(self.server.library, self.person).objects[name]()


def join(machine: Workspace, server: Workspace, scope: JoinScope = "project", url: str = URL, token: str = "t") -> None:
    """Join with the server's real key."""
    key = public_key(server_key(server.context))
    write_membership(machine.context, Membership(url=url, key=key, token=token, scope=scope))


def sync(machine: Workspace, source: DirectSource) -> SyncReport:
    """Sync once."""
    return sync_now(machine.library, read_membership(machine.context), source)


def document_of(machine: Workspace, name: str = "write-notes") -> str:
    """What agents read; empty: nothing."""
    file = machine.root / ".agents/skills" / name / "SKILL.md"
    return file.read_text(encoding="utf-8") if file.exists() else ""


@contextmanager
def offer_by_http(server: Workspace) -> Iterator[str]:
    """A small web server that hands out what a workspace offers to anybody; yields its address."""
    source = DirectSource(server)
    signed = dumps(source.manifest()).encode()
    objects = {name: read() for name, read in make_offer(server.library, "machine").objects.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = signed if self.path == "/v1/sync" else objects.get(self.path.rpartition("/")[2])
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{web.server_port}"
        finally:
            web.shutdown()
            thread.join(10)


def numbered(manifest: OfferManifest, number: int) -> OfferManifest:
    """The same offer under another number."""
    return replace(manifest, number=number)
