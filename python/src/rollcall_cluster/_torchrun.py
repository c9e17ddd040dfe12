"""torchrun's entry point. PyTorch loads it while `torch.distributed` is being imported, so that this module must not import PyTorch, nor a module that does."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any


def get_handler() -> Callable[[Any], Any]:
    """The entry point in `torchrun.handlers`: returns the function that makes a handler of RendezvousParameters."""
    return _make


def _make(parameters: Any) -> Any:
    """Called when torchrun's back end is `rollcall`: PyTorch is complete then."""
    from .torch import RollcallRendezvous

    return RollcallRendezvous(parameters)
