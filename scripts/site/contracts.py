"""The reference of the calls, made of the contracts in protos/ with their comments."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

from assay.common.v1 import access_pb2
from mesh.errors import REASONS
from scripts.site.markdown import plain, table

PROTOS = Path(__file__).resolve().parent.parent.parent / "protos"
PACKAGES = {
    "gateway": "Public calls",
    "common": "Public messages",
    "planner": "Planner's calls",
    "executor": "Executor's calls",
    "memory": "Memory's calls",
    "audit": "Audit's calls",
}
PUBLIC = ("gateway", "common")
# Numbers of fields in descriptor.proto, of which paths to comments are made.
FILE_PACKAGE, FILE_MESSAGES, FILE_ENUMS, FILE_SERVICES = 2, 4, 5, 6
MESSAGE_FIELDS, MESSAGE_MESSAGES, MESSAGE_ENUMS = 2, 3, 4
METHODS = VALUES = 2

Place = tuple[int, ...]


def pages() -> dict[str, str]:
    """The page of each package of the contracts, by its name."""
    return {f"calls_{package}": _page(package, title) for package, title in PACKAGES.items()}


@cache
def _contracts() -> list[FileDescriptorProto]:
    """Every contract as the compiler reads it; raises SystemExit where they do not compile."""
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as scratch:
        found = Path(scratch) / "all.binpb"
        sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
        paths = [f"-I{PROTOS}", f"-I{files('grpc_tools') / '_proto'}"]
        options = ["--include_source_info", f"--descriptor_set_out={found}"]
        if protoc.main(["protoc", *paths, *options, *sources]) != 0:
            sys.exit("the contracts do not compile; see the messages above")
        return list(FileDescriptorSet.FromString(found.read_bytes()).file)


def _page(package: str, title: str) -> str:
    private = "" if package in PUBLIC else " Between Assay's own services: may change at any time."
    parts = [f"# {title}", f"Package `assay.{package}.v1`.{private}"]
    contracts = [_Commented(file) for file in _contracts() if file.package == f"assay.{package}.v1"]
    headings = sorted((list(contract.heading()) for contract in contracts), key=len, reverse=True)
    services = sorted((list(contract.services()) for contract in contracts), key=str)
    for several in (*headings, *services):
        parts += several
    parts.append("## Messages")
    for contract in contracts:
        parts += contract.types()
    return "\n\n".join(parts) + "\n"


class _Commented:
    """One contract with its comments."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._file = file
        self._package = file.package
        self._comments = {
            tuple(place.path): place.leading_comments for place in file.source_code_info.location
        }
        self._before = {
            tuple(place.path): "\n".join(place.leading_detached_comments)
            for place in file.source_code_info.location
        }

    def heading(self) -> Iterator[str]:
        """What the file says of itself, above its package."""
        place = (FILE_PACKAGE,)
        for text in (self._before.get(place, ""), self._comments.get(place, "")):
            yield from _paragraphs(text)

    def services(self) -> Iterator[str]:
        for number, service in enumerate(self._file.service):
            yield from self._service(service, (FILE_SERVICES, number))

    def types(self) -> Iterator[str]:
        for number, message in enumerate(self._file.message_type):
            yield from self._message(message, (FILE_MESSAGES, number), message.name)
        for number, enum in enumerate(self._file.enum_type):
            yield from self._enum(enum, (FILE_ENUMS, number), enum.name)

    def _service(self, service: ServiceDescriptorProto, path: Place) -> Iterator[str]:
        yield f"## {service.name}"
        yield from _paragraphs(self._comments.get(path, ""))
        for number, method in enumerate(service.method):
            anchor = _anchor(f"{service.name}.{method.name}")
            yield f"### {method.name} {{#{anchor}}}"
            yield self._signature(method)
            yield from _paragraphs(self._comments.get((*path, METHODS, number), ""))

    def _signature(self, method: MethodDescriptorProto) -> str:
        taken = self._linked(method.input_type, "stream of " if method.client_streaming else "")
        given = self._linked(method.output_type, "stream of " if method.server_streaming else "")
        role = access_pb2.Role.Name(method.options.Extensions[access_pb2.role])
        least = role.removeprefix("ROLE_").lower()
        return f"{taken} → {given}" + ("" if least == "unspecified" else f" · role: {least}")

    def _message(self, message: DescriptorProto, path: Place, name: str) -> Iterator[str]:
        if message.options.map_entry:
            return
        yield f"### {name} {{#{_anchor(name)}}}"
        yield from _paragraphs(self._comments.get(path, ""))
        rows = [
            (f"`{field.name}`", self._type(message, field), self._meaning(message, field, place))
            for number, field in enumerate(message.field)
            for place in [(*path, MESSAGE_FIELDS, number)]
        ]
        if rows:
            yield table(("field", "type", "meaning"), rows)
        for number, inner in enumerate(message.nested_type):
            yield from self._message(
                inner, (*path, MESSAGE_MESSAGES, number), f"{name}.{inner.name}"
            )
        for number, enum in enumerate(message.enum_type):
            yield from self._enum(enum, (*path, MESSAGE_ENUMS, number), f"{name}.{enum.name}")

    def _enum(self, enum: EnumDescriptorProto, path: Place, name: str) -> Iterator[str]:
        yield f"### {name} {{#{_anchor(name)}}}"
        yield from _paragraphs(self._comments.get(path, ""))
        rows = [
            (f"`{value.name}`", str(value.number), _line(self._comments.get(place, "")))
            for number, value in enumerate(enum.value)
            for place in [(*path, VALUES, number)]
        ]
        yield table(("value", "number", "meaning"), rows)

    def _meaning(self, message: DescriptorProto, field: FieldDescriptorProto, path: Place) -> str:
        text = _line(self._comments.get(path, ""))
        if field.HasField("oneof_index") and not field.proto3_optional:
            return f"{text} (one of `{message.oneof_decl[field.oneof_index].name}`)"
        return text

    def _type(self, message: DescriptorProto, field: FieldDescriptorProto) -> str:
        for entry in message.nested_type:
            if entry.options.map_entry and field.type_name.endswith(
                f".{message.name}.{entry.name}"
            ):
                key, value = (self._type(entry, part) for part in entry.field)
                return f"map of {key} to {value}"
        prefix = "repeated " if field.label == FieldDescriptorProto.LABEL_REPEATED else ""
        prefix += "optional " if field.proto3_optional else ""
        if field.type_name:
            return self._linked(field.type_name, prefix)
        return prefix + FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()

    def _linked(self, type_name: str, prefix: str) -> str:
        """A type's name, as a link to where it is told."""
        found = re.fullmatch(r"\.assay\.(\w+)\.v1\.([\w.]+)", type_name)
        if not found:
            return f"{prefix}`{type_name.removeprefix('.')}`"
        package, name = found.groups()
        here = f"assay.{package}.v1" == self._package
        return f"{prefix}[{name}]({'' if here else f'calls_{package}.md'}#{_anchor(name)})"


def _anchor(name: str) -> str:
    return name.lower().replace(".", "-")


def _line(comment: str) -> str:
    return " ".join(_paragraphs(comment))


def _paragraphs(comment: str) -> Iterator[str]:
    """A comment as Markdown: reasons are links, what is laid out in columns stays so."""
    for paragraph in re.split(r"\n\s*\n", comment.strip("\n")):
        columns = [line for line in paragraph.split("\n") if line.startswith("   ")]
        flowing = [line for line in paragraph.split("\n") if not line.startswith("   ")]
        if words := " ".join(" ".join(flowing).split()):
            yield re.sub(r"\b[A-Z][A-Z_]{5,}\b", _reason, plain(words))
        if columns:
            yield "```text\n" + "\n".join(line[3:] for line in columns) + "\n```"


def _reason(word: re.Match[str]) -> str:
    code = word.group()
    return f"[`{code}`](../errors.md)" if code in REASONS else code
