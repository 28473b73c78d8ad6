"""A run that is going on: kept from its first moment, completed however its block ends."""

from __future__ import annotations

import uuid
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from metier.formats.origins import origin_of
from metier.runs.record import record_run
from metier.types import Delivery, Outcome, Passage, Run, SkillTrace, ToolCall

if TYPE_CHECKING:
    from contextvars import Token
    from types import TracebackType

    from metier.context.context import Context
    from metier.types import Origin, Tokens


class Recording:
    """Collects what happens during one run; used as `with ws.record("…") as run:`, in async code as `async with`.

    The run is in the store when the block begins (its success unknown) and completed when the block ends, by an
    exception too. An exception always goes on its way; a failure to record never becomes one.
    """

    def __init__(self, ctx: Context, message: str, *, session: str = "", agent: str = "", model: str = "") -> None:
        self._ctx = ctx
        self.run = Run(
            message=message,
            session=session,
            agent=agent,
            model=model,
            external_id=uuid.uuid4().hex,
            started=ctx.now(),
        )
        self._outer: Token[Recording | None] | None = None
        self.delivery: Delivery | None = None
        """What became of it; None until the block begins."""

    def tool(self, name: str, *, ok: bool = True, input: str = "", output: str = "", error: str | None = None) -> None:  # noqa: A002
        """Add a tool execution and how it went."""
        call = ToolCall(
            name=name, ok=ok and error is None, input=input, output=output, error=error, origin=origin_of(name)
        )
        self.run = replace(self.run, tools=(*self.run.tools, call))

    def context(self, text: str, origin: Origin) -> None:
        """Add text that the agent had before it, with where it came from."""
        self.run = replace(self.run, context=(*self.run.context, Passage(origin=origin, text=text)))

    def skills(self, *path: str, active: tuple[str, ...] = (), attempted: tuple[str, ...] = ()) -> None:
        """Name the skills on the successful path, and those that were there or tried besides."""
        self.run = replace(self.run, skills=SkillTrace(path=path, active=active, attempted=attempted))

    def answer(self, output: str, *, tokens: Tokens | None = None, cost_usd: float | None = None) -> None:
        """Set the final answer, with what it cost."""
        self.run = replace(self.run, output=output, tokens=tokens or self.run.tokens, cost_usd=cost_usd)

    def outcome(self, success: bool, *, by: str, reason: str = "") -> None:  # noqa: FBT001
        """State from outside whether the goal was reached: a verifier, a test, a person."""
        self.run = replace(self.run, outcome=Outcome(success=success, by=by, reason=reason))

    def correction(self, text: str) -> None:
        """Add what the person said to put the run right; what they say in several sessions becomes a rule."""
        self.run = replace(self.run, correction="\n".join(filter(None, (self.run.correction, text))))

    def served_by(self, selection: str) -> None:
        """Name the selection it got its skills from; the first counts. `ws.select` does this within the block."""
        if not self.run.selection:
            self.run = replace(self.run, selection=selection)

    def belongs_to(self, ctx: Context) -> bool:
        """Whether it is a run of this workspace."""
        return self._ctx.name == ctx.name

    def status(self, word: str) -> None:
        """Set how it ended, when that is not told by the block's own end: completed, error, aborted."""
        self.run = replace(self.run, status=word)

    def __enter__(self) -> Self:
        self._outer = _CURRENT.set(self)
        self.delivery = record_run(self._ctx, self.run)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(error)
        self.delivery = record_run(self._ctx, self.run)

    async def __aenter__(self) -> Self:
        import asyncio

        self._outer = _CURRENT.set(self)
        self.delivery = await asyncio.to_thread(record_run, self._ctx, self.run)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        self._end(error)
        self.delivery = await asyncio.to_thread(record_run, self._ctx, self.run)

    def _end(self, error: BaseException | None) -> None:
        if self._outer is not None:
            with suppress(ValueError):  # the block ends in another task than it began in
                _CURRENT.reset(self._outer)
        if error is not None:
            self.context(f"{type(error).__name__}: {error}", "tool")
            self.status("error" if isinstance(error, Exception) else "aborted")
        elif self.run.status is None:
            self.status("completed")
        self.run = replace(self.run, ended=self._ctx.now())


_CURRENT: ContextVar[Recording | None] = ContextVar("recording", default=None)


def note_selection(ctx: Context, selection: str) -> None:
    """Tell the run of this workspace in whose block this happens, if there is one, which selection it got."""
    current = _CURRENT.get()
    if current is not None and current.belongs_to(ctx) and selection:
        current.served_by(selection)
