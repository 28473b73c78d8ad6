"""Models that pydantic-ai reaches for us, behind the same seam; needs `pip install 'metier[providers]'`."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, TypeVar

from pydantic_ai.direct import model_request
from pydantic_ai.embeddings import infer_embedding_model
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.models import infer_model

from metier.models.failures import Malformed, RateLimited, Refused, TimedOut, Unreachable, one_line
from metier.models.model import Finish, Reply, Vectors
from metier.models.wire.protocol import single
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pydantic_ai.embeddings import EmbeddingModel
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model as ForeignModel
    from pydantic_ai.usage import RequestUsage

    from metier.models.failures import Failure
    from metier.models.model import Request, Texts
    from metier.models.spec import ModelSpec

T = TypeVar("T")
FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length"}


class ForeignProvider:
    """A model of pydantic-ai; its asynchronous code runs in a thread of its own."""

    def __init__(
        self,
        spec: ModelSpec,
        model: ForeignModel | None = None,
        embedder: EmbeddingModel | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spec = spec
        self.clock = clock
        self._name = f"{spec.provider}:{spec.name}"
        self._model = model
        self._embedder = embedder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pydantic-ai", daemon=True)
        self._thread.start()

    @property
    def identity(self) -> str:
        """Provider and name."""
        return self.spec.identity

    def complete(self, request: Request) -> Reply | Failure:
        """One reply. The schema is in the prompt; that the answer fits it is checked by whoever asked."""
        return self._run(self._complete(request), request.timeout)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Vectors, where the provider has them."""
        return self._run(self._embed(texts), texts.timeout)

    def close(self) -> None:
        """End the calls under way, and the thread."""
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> ForeignProvider:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[object, object, T | Failure], timeout: float) -> T | Failure:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            return TimedOut(reason="no whole answer within the time limit", billed=True)
        except Exception as error:  # noqa: BLE001 - forty foreign clients, each with errors of its own
            return failure_of(error)

    async def _complete(self, request: Request) -> Reply | Failure:
        self._model = self._model or infer_model(self._name)
        response = await model_request(
            self._model,
            _messages(request),
            model_settings={
                "temperature": request.temperature,
                "max_tokens": request.max_tokens,
                "timeout": request.timeout,
            },
        )
        tokens = _tokens(response.usage)
        if response.finish_reason == "content_filter":
            return Refused(reason="the provider's content filter stopped it", billed=True)
        texts = [part.content for part in response.parts if isinstance(part, TextPart)]
        if not texts:
            return Malformed(reason="the answer holds no text", billed=True, tokens=tokens)
        finish = FINISHES.get(response.finish_reason or "stop", "other")
        return Reply(text="".join(texts), model=response.model_name or "", tokens=tokens, finish=finish)

    async def _embed(self, texts: Texts) -> Vectors | Failure:
        self._embedder = self._embedder or infer_embedding_model(self._name)
        result = await self._embedder.embed(list(texts.texts), input_type="document")
        if len(result.embeddings) != len(texts.texts):
            return Malformed(reason="the provider sent another number of vectors than texts", billed=True)
        vectors = tuple(single(vector) for vector in result.embeddings)
        return Vectors(vectors=vectors, model=result.model_name, tokens=_tokens(result.usage))


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def failure_of(error: Exception) -> Failure:
    """Our word for what pydantic-ai raised; foreign errors end here."""
    said = one_line(str(error)) or type(error).__name__
    match error:
        case ModelRateLimitError():
            return RateLimited(reason=said, after=error.retry_after)
        case ModelServerError() | ModelUnavailableError():
            return Unreachable(reason=said)
        case ModelConnectionError():
            return Unreachable(reason=said, billed=True)
        case ModelHTTPError():
            if error.status_code == 429:
                return RateLimited(reason=said, after=error.retry_after)
            if error.status_code >= 500:
                return Unreachable(reason=said)
            return Refused(reason=said, status=error.status_code)
        case UnexpectedModelBehavior():
            return Malformed(reason=said, billed=True)
        case ModelAPIError() | UserError() | ImportError():
            return Refused(reason=said)
        case _:
            return Unreachable(reason=f"{type(error).__name__}: {said}", billed=True)


def _messages(request: Request) -> list[ModelMessage]:
    system = [SystemPromptPart(request.system)] if request.system else []
    made: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "assistant":
            made.append(ModelResponse(parts=[TextPart(message.text)]))
        else:
            made.append(ModelRequest(parts=[*system, UserPromptPart(message.text)]))
            system = []
    return made


def _tokens(usage: RequestUsage) -> Tokens | None:
    if not usage.input_tokens and not usage.output_tokens:
        return None
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    return Tokens(
        input=max(0, usage.input_tokens - cached),
        output=usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
    )
