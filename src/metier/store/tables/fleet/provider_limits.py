"""What providers of models bear from all machines of a store: calls at once, calls a minute, and pauses they asked for.

A call holds a lease that ends by itself: a machine that dies gives back what it had. The server's clock counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

NOW = "extract(epoch FROM clock_timestamp())::double precision"
MINUTE = 60.0
SOON = 0.05
"""Seconds after which a call may have ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLimit:
    """How much a provider bears."""

    provider: str
    at_once: int = 0
    """Calls at the same time; 0: any number."""
    per_minute: int = 0
    """Calls that begin within a minute; 0: any number."""
    paused: float = 0.0
    """Seconds from now in which it wants no calls."""

    @property
    def is_set(self) -> bool:
        """Whether it holds back anything now."""
        return bool(self.at_once or self.per_minute or self.paused > 0)


def put(transaction: Transaction, limit: ProviderLimit) -> None:
    """Set what a provider bears."""
    transaction.all(
        "INSERT INTO provider_limits (provider, at_once, per_minute, paused_until) VALUES (?, ?, ?, 0)"
        " ON CONFLICT (provider) DO UPDATE SET at_once = excluded.at_once, per_minute = excluded.per_minute",
        (limit.provider, limit.at_once, limit.per_minute),
    )


def remove(transaction: Transaction, provider: str) -> bool:
    """Take a limit away; says whether there was one."""
    return bool(transaction.all("DELETE FROM provider_limits WHERE provider = ? RETURNING provider", (provider,)))


def list_all(transaction: Transaction) -> list[ProviderLimit]:
    """Every limit, by provider."""
    sql = f"SELECT provider, at_once, per_minute, paused_until - {NOW} FROM provider_limits ORDER BY provider"
    return [
        ProviderLimit(
            provider=str(name),
            at_once=int(str(at_once)),
            per_minute=int(str(rate)),
            paused=max(0.0, float(str(paused))),
        )
        for name, at_once, rate, paused in transaction.all(sql)
    ]


def pause(transaction: Transaction, provider: str, seconds: float) -> None:
    """Let nobody call a provider for so long, because it said so."""
    transaction.all(
        f"INSERT INTO provider_limits (provider, at_once, per_minute, paused_until) VALUES (?, 0, 0, {NOW} + ?)"
        " ON CONFLICT (provider) DO UPDATE SET paused_until ="
        " greatest(provider_limits.paused_until, excluded.paused_until)",
        (provider, seconds),
    )


def try_lease(transaction: Transaction, limit: ProviderLimit, lease: str, seconds: float) -> float:
    """Begin a call that ends within so many seconds, if the provider bears it: 0; else after how long to try again."""
    if limit.paused > 0:
        return limit.paused
    transaction.all(
        f"DELETE FROM provider_calls WHERE provider = ? AND begun < {NOW} - {MINUTE} AND until < {NOW}",
        (limit.provider,),
    )
    sql = (
        f"SELECT count(*) FILTER (WHERE until > {NOW}), count(*) FILTER (WHERE begun > {NOW} - {MINUTE}),"
        f" coalesce(min(begun) FILTER (WHERE begun > {NOW} - {MINUTE}), 0) + {MINUTE} - {NOW}"
        " FROM provider_calls WHERE provider = ?"
    )
    under_way, lately, free = transaction.all(sql, (limit.provider,))[0]
    if limit.per_minute and int(str(lately)) >= limit.per_minute:
        return max(0.01, float(str(free)))
    if limit.at_once and int(str(under_way)) >= limit.at_once:
        return SOON
    transaction.all(
        f"INSERT INTO provider_calls (id, provider, begun, until) VALUES (?, ?, {NOW}, {NOW} + ?)",
        (lease, limit.provider, seconds),
    )
    return 0.0


def end_lease(transaction: Transaction, lease: str) -> None:
    """A call has ended; for the rest of its minute it counts as begun."""
    transaction.all(f"UPDATE provider_calls SET until = {NOW} WHERE id = ?", (lease,))
