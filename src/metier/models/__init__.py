"""The one way to call a model.

Begin with `model.py` (what a model is), then `builder.py` (a model from its name), `layers/stack.py` (what is put
around every model) and `answers.py` (answers of a given type). This folder imports the foundation only. The names below
are for people who call or write a model; they are loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.models.answers import Answer, ask
    from metier.models.builder import build
    from metier.models.failures import Failure, Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
    from metier.models.layers.stack import Layers, build_stack
    from metier.models.model import Message, Model, Reply, Request, Texts, Vectors
    from metier.models.scripted import Scripted, fails, hangs, on, raises, says
    from metier.models.spec import ModelSpec, parse_spec
    from metier.types.questions import NoModel

__all__ = [
    "Answer",
    "Failure",
    "Layers",
    "Malformed",
    "Message",
    "Model",
    "ModelSpec",
    "NoModel",
    "OverBudget",
    "RateLimited",
    "Refused",
    "Reply",
    "Request",
    "Scripted",
    "Texts",
    "TimedOut",
    "Unreachable",
    "Vectors",
    "ask",
    "build",
    "build_stack",
    "fails",
    "hangs",
    "on",
    "parse_spec",
    "raises",
    "says",
]

_MODULES = {
    "Answer": "metier.models.answers",
    "Failure": "metier.models.failures",
    "Layers": "metier.models.layers.stack",
    "Malformed": "metier.models.failures",
    "Message": "metier.models.model",
    "Model": "metier.models.model",
    "ModelSpec": "metier.models.spec",
    "NoModel": "metier.types.questions",
    "OverBudget": "metier.models.failures",
    "RateLimited": "metier.models.failures",
    "Refused": "metier.models.failures",
    "Reply": "metier.models.model",
    "Request": "metier.models.model",
    "Scripted": "metier.models.scripted",
    "Texts": "metier.models.model",
    "TimedOut": "metier.models.failures",
    "Unreachable": "metier.models.failures",
    "Vectors": "metier.models.model",
    "ask": "metier.models.answers",
    "build": "metier.models.builder",
    "build_stack": "metier.models.layers.stack",
    "fails": "metier.models.scripted",
    "hangs": "metier.models.scripted",
    "on": "metier.models.scripted",
    "parse_spec": "metier.models.spec",
    "raises": "metier.models.scripted",
    "says": "metier.models.scripted",
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module 'metier.models' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
