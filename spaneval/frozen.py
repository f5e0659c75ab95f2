"""
Named values that cannot be changed, as a frozen dataclass has them, in classes that cost nothing to make.

`dataclasses` writes source text for each class and compiles it, half a millisecond whenever the program starts. Where
a class is made for every run, even that of a small corpus, it derives from `Frozen` instead.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Frozen:
    """The annotations of a class that derives from this one are its fields, in order; values there are defaults."""

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self._fields, values, strict=False)) | named
        missing = [name for name in self._fields if name not in given and not hasattr(type(self), name)]
        if missing or len(given) < len(values) + len(named) or not given.keys() <= set(self._fields):
            expected = ", ".join(missing or self._fields)
            raise TypeError(f"{type(self).__name__}() {'lacks' if missing else 'takes, each once,'} {expected}")
        self.__dict__.update(given)
        self._check()

    def _check(self) -> None:
        """Refuse values that cannot be; for classes to say."""

    def _replace(self, **changes: Any) -> Self:
        """The same with some other values, as a named tuple has it."""
        return type(self)(**dict(zip(self._fields, _values(self), strict=True)) | changes)

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, _values(self), strict=True))
        return f"{type(self).__name__}({values})"


def _values(of: Any) -> tuple[Any, ...]:
    return tuple(getattr(of, name) for name in of._fields)
