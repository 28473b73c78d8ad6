"""What a model call costs on our side: CPU per structured call, per memo hit, a budget under 64 threads, the store.

The peer is one pooled `http.client` connection with `json.loads`: no time limit that holds, no size limit, no check of
the answer. Limits: 3 ms CPU for a typed answer through every layer, 6 ms with memo, ledger and calls in a workspace's
store, 1 s to put a question about 40 runs together where there are 10,000 patterns, never more than a budget allows.

python benchmarks/models/models.py
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from loopback import Loopback, answers, completion

from metier.context.models.access import asker_of, models_of
from metier.context.models.consent import give_consent, named_recipient
from metier.learning.clustering.by_model import BATCH, cluster_with
from metier.learning.clustering.model_prompt import RunInShort
from metier.models.answers import Answer, ask
from metier.models.failures import OverBudget
from metier.models.http.client import HttpModel
from metier.models.layers.budget import Budgeted
from metier.models.layers.memo import Memo, MemoryStore
from metier.models.layers.stack import Layers, build_stack
from metier.models.ledger import Limits, MemoryLedger
from metier.models.model import Message, Request
from metier.models.price import FlatPrice, price_of
from metier.models.scripted import Scripted, on, says
from metier.models.spec import ModelOptions, PerMillion, parse_spec
from metier.redaction import Redactor
from metier.types import Pattern
from metier.types.questions import NoAnswer, NoModel, Question
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS, ROUNDS = 400, 4
CPU_LIMIT_MS, STORE_LIMIT_MS, GROUPING_LIMIT_MS = 3.0, 6.0, 1_000.0
PROMPT = "The person asked to fix the login test; the agent ran pytest and it passed. " * 20
PRICED = parse_spec("openai:gpt-5-mini")


class Judged(BaseModel):
    """An answer like a judge's."""

    success: bool
    reason: str


GOOD = {"success": True, "reason": "the tests pass and the page shows the new total " * 4}
ASKED = Request(
    system="You judge whether an agent reached its goal. " * 10,
    messages=(Message(text="The person asked to fix the login test; the agent ran pytest and it passed. " * 20),),
    timeout=30,
)


def serve() -> None:
    """The server, in a process of its own, until it is stopped."""
    with Loopback(answers(completion(GOOD))) as server:
        server.seen = _Forgetful()
        print(server.server_port, flush=True)
        sys.stdin.read()


class _Forgetful(list):  # type: ignore[type-arg]
    def append(self, _: object) -> None:
        """Keep nothing: a benchmark asks thousands of times."""


def cpu_ms(call: Callable[[int], object]) -> float:
    """Milliseconds of CPU per call, the best of several rounds after a warm one."""
    best = float("inf")
    for round_ in range(ROUNDS + 1):
        began = time.process_time()
        for number in range(CALLS):
            call(round_ * CALLS + number)
        if round_:
            best = min(best, (time.process_time() - began) / CALLS * 1000)
    return best


def bare(port: int) -> Callable[[int], object]:
    """The peer: one connection kept open, JSON out, JSON in."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps(
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": ASKED.system},
                {"role": "user", "content": ASKED.messages[0].text},
            ],
        }
    )
    headers = {"content-type": "application/json", "authorization": "Bearer x"}

    def call(_: int) -> object:
        connection.request("POST", "/v1/chat/completions", body, headers)
        return json.loads(json.loads(connection.getresponse().read())["choices"][0]["message"]["content"])

    return call


def checked(answer: object) -> None:
    if not isinstance(answer, Answer):
        raise SystemExit(f"no answer: {answer}")


def calls(port: int) -> bool:
    """Print the cost of a call, bare and through our layers; whether the limit holds."""
    peer = cpu_ms(bare(port))
    spec = parse_spec("openai:m", ModelOptions(url=f"http://127.0.0.1:{port}/v1", key_variable="KEY"))
    with HttpModel(spec, {"KEY": "x"}) as model:
        client = cpu_ms(lambda _: checked(ask(model, ASKED, Judged)))
        layers = Layers(redact=Redactor(b"k").redact, price=price_of(PRICED, datetime(2026, 1, 5, tzinfo=UTC)))
        stack = build_stack(model, layers)
        whole = cpu_ms(lambda number: checked(ask(stack, replace(ASKED, sample=number), Judged)))
    print(f"bare http.client       {peer:6.3f} ms CPU a call")
    print(f"typed answer           {client:6.3f} ms  ({client / peer:.1f} times the bare call)")
    print(f"  and through layers   {whole:6.3f} ms  ({whole / peer:.1f} times; limit {CPU_LIMIT_MS} ms)")
    return whole <= CPU_LIMIT_MS


def memo_hit() -> bool:
    """Print what an answer costs that is there already."""
    memo = Memo(Scripted(on("", says(GOOD))), MemoryStore())
    cost = cpu_ms(lambda _: memo.complete(ASKED)) * 1000
    print(f"memo hit               {cost:6.1f} µs")
    return cost <= 1000


def budget() -> bool:
    """Print what 64 threads spend of a budget; whether any limit was passed."""
    limits = Limits(calls=3_000, tokens=6_000_000, usd=Decimal(2))
    ledger = MemoryLedger()
    model = Scripted(on("", says("a b c")))
    paid = Budgeted(model, ledger, limits, FlatPrice(PerMillion(input=Decimal(1), output=Decimal(4))))
    began = time.perf_counter()
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda number: paid.complete(replace(ASKED, sample=number)), range(8_000)))
    total, refused = ledger.total(), sum(isinstance(result, OverBudget) for result in results)
    took = time.perf_counter() - began
    good = total.calls <= 3_000 and total.tokens <= 6_000_000 and total.usd <= Decimal(2) and refused > 0
    print(f"64 threads, 8,000 calls: {total.calls} made, {refused} refused, ${total.usd:.4f} spent in {took:.2f} s")
    print(f"  a limit was passed:  {not good}")
    return good


def store(port: int) -> bool:
    """Print the cost of a call whose memo, ledger and calls are in a workspace's store."""
    flags = {
        "model": "openai:m",
        "model_url": f"http://127.0.0.1:{port}/v1",
        "model_price": "1/2",
        "budget_calls": 10**9,
    }
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder, flags=flags) as ws:
        give_consent(ws.context, named_recipient("true", models_of(ws.context.settings).model), "program")
        asker = asker_of(ws.context, {})
        if isinstance(asker, NoModel):
            raise SystemExit(asker.reason)

        def ask_one(number: int) -> None:
            if isinstance(found := asker.ask(Question(prompt=f"{number} {PROMPT}", stage="judge"), Judged), NoAnswer):
                raise SystemExit(found.reason)

        with asker:
            began = time.perf_counter()
            cost = cpu_ms(ask_one)
            wall = (time.perf_counter() - began) / (CALLS * (ROUNDS + 1)) * 1000
            hit = cpu_ms(ask_one)
            spent = asker.spent()
    print(f"  and in the store     {cost:6.3f} ms CPU, {wall:.1f} ms in all  (limit {STORE_LIMIT_MS} ms CPU)")
    print(f"  memo hit there       {hit:6.3f} ms CPU;  {spent.calls:,} calls, {spent.kept:,} kept")
    return cost <= STORE_LIMIT_MS and spent.calls == spent.kept == CALLS * (ROUNDS + 1)


def grouping() -> bool:
    """Print what it takes to put one question about runs together, by the number of patterns there are."""
    starts, ends = "bcdfghklmnprst", ("al", "er", "in", "os", "ut", "ay", "em", "ip")
    words = [f"{one}{end}{other}o" for one in starts for end in ends for other in starts]
    random = Random(7)
    known = [Pattern(id=str(n), workspace="w", label="-".join(random.sample(words, 3)), summary=" ".join(
        random.sample(words, 12))) for n in range(10_000)]  # fmt: skip
    runs = [RunInShort(id=f"r{n}", text=" ".join(random.sample(words, 20))) for n in range(BATCH)]
    took: dict[int, float] = {}
    for count in (100, 1_000, 10_000):
        said = Silent()
        began = time.process_time()
        cluster_with(said, runs, (), known[:count])
        took[count] = (time.process_time() - began) * 1000
        print(f"a question about {BATCH} runs, {count:>6,} patterns: {took[count]:7.1f} ms, {said.length:,} characters")
    return took[10_000] <= GROUPING_LIMIT_MS and said.length < 60_000


class Silent:
    """Nobody, who measures what was asked."""

    name = "nobody"
    length = 0

    def ask(self, question: Question, kind: object) -> NoAnswer:
        """Nothing."""
        self.length = len(question.prompt)
        return NoAnswer(reason=f"nobody answers with {kind}")


def main() -> int:
    """Print every figure beside its limit; 1 if one does not hold."""
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        held = [calls(port), store(port), memo_hit(), budget(), grouping()]
        server.terminate()
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(serve() if sys.argv[1:] == ["serve"] else main())
