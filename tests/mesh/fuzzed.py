"""Messages that nobody in their right mind sends, made after the contracts' descriptors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

DEEP = "[" * 5_000 + "]" * 5_000
TEXTS = (
    "",
    " ",
    "\x00",
    "\x00" * 40,
    "a" * 32,
    "0" * 64,
    "f" * 64,
    "-1",
    "99",
    "banana",
    "%s%n{0}",
    "'; DROP TABLE jobs --",
    "../../etc/passwd",
    "/etc/passwd",
    "charts/../x/y",
    "\u202egnp.exe",
    "\U0001f4a9" * 30,
    "\u0130\u0131\ufb01",
    "\ud7ff\ue000",
    "x" * 70_000,
    "\n\r\t",
    "NaN",
    "sqlite:///nowhere/at/all.db",
    "postgresql://u:p@127.0.0.1:1/x",
    "postgresql://[::1",
    "http://[",
    "2024-13-45",
    "sql.run",
    "python.run",
    "table",
    "flight",
    "path",
    "grpc+tcp://127.0.0.1:1",
    "file:///etc/passwd",
    "1" * 400,
    "table.csv",
    "request_submitted",
    "planner",
)
JSONS = (
    "{",
    "[]",
    "null",
    "1e999",
    "NaN",
    '{"a": NaN}',
    '{"a": ' * 4_000 + "1" + "}" * 4_000,
    DEEP,
    '{"sql": 7}',
    '{"sql": "SELECT"}',
    '{"sql": "SELECT * FROM nowhere"}',
    '"\\ud800"',
    '{"a": "\\ud800"}',
    '{"\\ud800": 1}',
    "9" * 5_000,
    '{"a": ' + "9" * 5_000 + "}",
    '{"password": 5}',
    '{"password": null}',
    '{"a": "\\u0000"}',
    '{"steps": {}}',
    '[{"name": 3}]',
    '{"a": 1}',
    "{}",
    "\ufeff{}",
)
NUMBERS = (0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63), 10**12)
_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


class Fuzz:
    """Makes messages with a seed; `known` are ids that exist, the caller's and others'."""

    def __init__(self, seed: int, known: Sequence[str]) -> None:
        self.random = random.Random(seed)
        self._known = known

    def message(self, kind: Descriptor, depth: int = 0) -> Message:
        """A valid message whose fields are anything at all; each is set or not."""
        made: Any = GetMessageClass(kind)()
        for field in kind.fields:
            if self.random.random() < (0.75 if depth < 4 else 0.0):
                self._set(made, field, depth)
        return made  # type: ignore[no-any-return]

    def spoilt(self, message: Message) -> Message:
        """The message with one field, of it or of a message in it, being anything at all."""
        spoilt: Any = type(message)()
        spoilt.CopyFrom(message)
        target = spoilt
        while True:
            inner = [field for field, _ in target.ListFields() if field.message_type is not None]
            inner = [field for field in inner if not field.is_repeated or _listed(field)]
            if not inner or self.random.random() < 0.4:
                break
            field = self.random.choice(inner)
            value = getattr(target, field.name)
            target = self.random.choice(list(value)) if field.is_repeated else value
        if target.DESCRIPTOR.fields:
            field = self.random.choice(list(target.DESCRIPTOR.fields))
            if field.is_repeated and self.random.random() < 0.7:
                target.ClearField(field.name)
            self._set(target, field, 2)
        return spoilt  # type: ignore[no-any-return]

    def stream(self, kind: Descriptor) -> list[Message]:
        """Parts in any order: heads twice, none, or late."""
        return [self.message(kind) for _ in range(self.random.randrange(5))]

    def bytes(self) -> bytes:
        """No message, most often."""
        return self.random.randbytes(self.random.choice((1, 2, 7, 40, 900)))

    def _set(self, made: Any, field: FieldDescriptor, depth: int) -> None:
        target = getattr(made, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value = field.message_type.fields_by_name["value"]
            key = self._text(field.name)
            if value.message_type is not None:
                target[key].CopyFrom(self.message(value.message_type, depth + 1))
            else:
                target[key] = self._scalar(value)
        elif field.is_repeated:
            for _ in range(self.random.choice((1, 1, 2, 5))):
                if field.message_type is not None:
                    target.add().CopyFrom(self.message(field.message_type, depth + 1))
                else:
                    target.append(self._scalar(field))
        elif field.message_type is not None:
            target.CopyFrom(self.message(field.message_type, depth + 1))
            target.SetInParent()
        else:
            setattr(made, field.name, self._scalar(field))

    def _scalar(self, field: FieldDescriptor) -> Any:
        kind = field.cpp_type
        if kind in _INTEGERS:
            least, most = _INTEGERS[kind]
            return max(least, min(most, self.random.choice(NUMBERS)))
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self.random.choice([0, 1, 2, 3, 99, -1])
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.random.random() < 0.5
        if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            return self.random.choice([0.0, -1.0, float("nan"), float("inf"), 1e30])
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self.bytes()
        return self._text(field.name)

    def _text(self, name: str) -> str:
        if "json" in name and self.random.random() < 0.7:
            return self.random.choice(JSONS)
        if self._known and self.random.random() < 0.5:
            return self.random.choice(self._known)
        return self.random.choice(TEXTS)


def _listed(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and not kind.GetOptions().map_entry
