"""Things said once: fall-backs, and what a user should know of a program that runs otherwise than they may think."""

from __future__ import annotations

import threading
import warnings


class FallbackWarning(UserWarning):
    """An op, or a graph, runs through PyTorch's own kernels."""


class WeightWarning(UserWarning):
    """A weight that Litz packs was written in a way that torch does not count."""


_told: set[tuple[str, str]] = set()
_lock = threading.Lock()


def say_once(subject: str, reason: str, text: str) -> None:
    """Warns with `text`, unless this subject and reason have been told before."""
    with _lock:
        if (subject, reason) in _told:
            return
        _told.add((subject, reason))
    warnings.warn(text, FallbackWarning, stacklevel=2)


def forget() -> None:
    """All may be told again."""
    with _lock:
        _told.clear()
