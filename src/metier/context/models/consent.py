"""Consent: one yes of the person on this machine, before text of sessions goes to a provider."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from metier.context.audit import note_action
from metier.errors import UsageError
from metier.models.spec import KNOWN, OTHERS, parse_spec
from metier.store.tables import meta

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.models.spec import ModelSpec

Kind = Literal["model", "agent", "files"]
How = Literal["terminal", "program"]
CONSENT = "consent."
"""How the names of these facts begin; behind it stands the person's seal, so no other person or store gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Who would get text of sessions."""

    provider: str
    """The provider's name; `provider@host` where another server answers than its own."""
    kind: Kind
    """`model`: a server; `agent`: a program on this machine; `files`: question files, and what reads them."""


FILES = Recipient(provider="question-files", kind="files")
PROGRAMS = ("command", "python")
"""Targets that are programs of the person's own; what they do with the text, only they know."""


def recipient_of(spec: ModelSpec) -> Recipient:
    """Who gets what a model is asked: a consent for a provider is none for another server that speaks as it does."""
    if spec.is_program:
        return Recipient(provider=spec.provider, kind="agent")
    host = "" if spec.is_own_address else f"@{urlsplit(spec.base_url).netloc.lower()}"
    return Recipient(provider=spec.provider + host, kind="model")


def named_recipient(text: str, configured: ModelSpec | None) -> Recipient:
    """The recipient that a person names: PROVIDER, PROVIDER@HOST, a model, `question-files`; `true`: the one set."""
    said = text.strip()
    own = recipient_of(configured) if configured else None
    if said.lower() in ("true", "yes", "on", "1"):
        if own is None:
            raise UsageError("No model is set. Set one first: metier config set model anthropic:claude-haiku-4-5")
        return own
    if said == FILES.provider:
        return FILES
    if said in PROGRAMS:
        return Recipient(provider=said, kind="agent")
    if own and said in (own.provider, own.provider.partition("@")[0]):
        return own
    provider, _, host = said.partition("@")
    if host and provider in KNOWN:
        return Recipient(provider=f"{provider}@{host.lower()}", kind="model")
    if ":" in said:
        return recipient_of(parse_spec(said))
    if said in KNOWN or said in OTHERS:
        return recipient_of(parse_spec(f"{said}:any"))
    raise UsageError(
        f"'{said}' is no provider. Name one, such as anthropic, claude-code or {FILES.provider}; "
        "for another server: openai:NAME@URL"
    )


def has_consent(ctx: Context, recipient: Recipient) -> bool:
    """Whether this person said yes to that recipient for this project."""
    with ctx.store.read() as transaction:
        return bool(ctx.key and meta.get(transaction, _name(ctx, recipient)))


def give_consent(ctx: Context, recipient: Recipient, how: How) -> None:
    """Keep a yes, with when and how it was given."""
    kept = json.dumps({"project": ctx.name, **asdict(recipient), "when": ctx.now(), "how": how})
    with ctx.store.write() as transaction:
        meta.put(transaction, _name(ctx, recipient), kept)
        note_action(transaction, ctx, "allow sending sessions", _subject(recipient), f"by {how}")


def withdraw_consent(ctx: Context) -> list[Recipient]:
    """Take every yes for this project back; what was sent before cannot be recalled."""
    found = consents(ctx)
    with ctx.store.write() as transaction:
        for one in found:
            meta.drop(transaction, _name(ctx, one))
            note_action(transaction, ctx, "stop sending sessions", _subject(one), "")
    return found


def consents(ctx: Context) -> list[Recipient]:
    """The recipients to which this person said yes for this project."""
    with ctx.store.read() as transaction:
        rows = meta.starting_with(transaction, CONSENT)
    given = [json.loads(value) for _, value in rows]
    found = [Recipient(provider=str(one["provider"]), kind=one["kind"]) for one in given]
    names = {name for name, _ in rows}
    return sorted({one for one in found if _name(ctx, one) in names}, key=lambda one: one.provider)


def note_program(ctx: Context, what: str) -> None:
    """Write down that a program passed a model or function of its own, which is its consent for that call."""
    with ctx.store.write() as transaction:
        note_action(transaction, ctx, "allow sending sessions", what, "by program, for this call")


def _name(ctx: Context, recipient: Recipient) -> str:
    return CONSENT + ctx.seal("consent", ctx.name, recipient.provider, recipient.kind)


def _subject(recipient: Recipient) -> str:
    return f"{recipient.provider} ({recipient.kind})"
