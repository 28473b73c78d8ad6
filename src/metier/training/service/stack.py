"""What stands between a training and what it pays for: each layer adds one concern and hands a value down.

A question of the optimiser passes, from the training to the wire:

    _Metered            counts what one question takes (one for each question, in proposing/optimiser.py)
    ReplayFailures      a question that failed before a kill fails again after it
    StopWhenModelDown   the training stops when the model is down
    Redacted            no secret goes further
    Memo                what was answered once is not asked again
    Cleaned             no secret comes back
    Limited             where machines share a provider, each call has its turn
    Retrying            passing failures are tried again
    Budgeted            every attempt is paid from what may be spent
    Recorded            every attempt is written down
    the model           one attempt

A model that is tried, or that scores, has the layers from Redacted on; all of them share one budget. A rollout passes:

    CachedRoller        what was rolled out once is not rolled out again
    HoldUnscored        what could not be scored is kept when something else could be: until then all may be down
    StoredRollouts      every rollout is counted, and kept before the next begins
    ScoringRoller       one attempt of the target, tried again if that may help, and its score; in a fleet a worker's
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.models.layers.replay_failures import ReplayFailures
from metier.models.layers.stack import build_stack
from metier.training.rollouts.cached import CachedRoller
from metier.training.service.outage import HoldUnscored, StopWhenModelDown

if TYPE_CHECKING:
    from metier.models.layers.memo import MemoStore
    from metier.models.layers.stack import Layers
    from metier.models.model import Model
    from metier.training.rollouts.cached import KeyedRoller
    from metier.training.service.budget import StopSignal, StoredRollouts


def model_stack(bare: Model, layers: Layers) -> Model:
    """A model with the layers from Redacted to Recorded, which every model of a training has."""
    return build_stack(bare, layers)


def optimiser_stack(model: Model, memo: MemoStore, closing: StopSignal, account: str) -> ReplayFailures:
    """The model that proposes edits, on top of its `model_stack`."""
    model = StopWhenModelDown(model, closing)
    return ReplayFailures(model, memo, account)


def roller_stack(making: KeyedRoller, keeper: StoredRollouts, closing: StopSignal) -> tuple[CachedRoller, HoldUnscored]:
    """What makes rollouts, and the layer that holds back what could not be scored."""
    unscored = HoldUnscored(keeper, closing)
    return CachedRoller(making, unscored), unscored
