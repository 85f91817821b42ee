"""Policy: which columns exist, and what text is personal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import NAMED_PATTERNS, Policy
from services.executor.domain.source import DataSource, redact
from services.executor.engines.workspace import WorkspacePool, flat_tables
from services.executor.sources.describe import Describer
from tests.unit.executor.source_help import open_text

PERSONAL = {
    "email": "write to ada.lovelace+x@mail.example.org today",
    "phone": "call (030) 123-4567 or so",
    "ssn": "number 078-05-1120",
    "credit_card": "card 4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00",
    "ip": "from 192.168.17.254 at night",
}
TELEPHONES = ("+49 30 1234567", "555-123-4567", "(206) 555-9857", "01 23 45 67 89", "030/123 4567")
HARMLESS = (
    "Revenue by month in 1997, top 10 by category, 2021-01-05 to 2021-02-06",
    "orders over 1,250.50 in Q1 2021 @ London",
    "version 1.2.3 on 05.06.2021",
)


@pytest.mark.parametrize("name", NAMED_PATTERNS)
def test_a_named_pattern_finds_what_it_is_named_for(name: str) -> None:
    assert Policy(blocked_patterns=(name,)).match(PERSONAL[name]) == name


@pytest.mark.parametrize("number", TELEPHONES)
def test_telephone_numbers_come_in_many_forms(number: str) -> None:
    assert Policy(blocked_patterns=("phone",)).match(f"call {number} now") == "phone"


@pytest.mark.parametrize("text", HARMLESS)
def test_an_ordinary_question_is_not_personal(text: str) -> None:
    assert Policy(blocked_patterns=tuple(NAMED_PATTERNS)).match(text) is None


@pytest.mark.parametrize(
    ("pattern", "column"),
    [
        ("email", "E-Mail"),
        ("email", "customer_email"),
        ("phone", "HomePhone"),
        ("phone", "fax"),
        ("ssn", "emp_ssn"),
        ("credit_card", "CardNumber"),
        ("ip", "ip_address"),
        ("salary", "Salary"),
        ("ssn", "custSSN"),
        ("ip", "clientIp"),
        ("phone", "mob"),
        ("phone", "cell_number"),
        ("phone", "Telefon"),
        ("phone", "contactTel"),
        ("credit_card", "cc_no"),
    ],
)
def test_a_pattern_takes_away_columns_of_its_name(pattern: str, column: str) -> None:
    assert not Policy(blocked_patterns=(pattern,)).column_allowed("t", column)


@pytest.mark.parametrize(
    "column",
    ["ship_date", "description", "zip", "hotel", "missing", "mobility", "cell_type", "accNo"],
)
def test_a_pattern_leaves_columns_that_only_sound_alike(column: str) -> None:
    assert Policy(blocked_patterns=tuple(NAMED_PATTERNS)).column_allowed("t", column)


@pytest.mark.parametrize(
    "column", ["ada@example.org", "+49 30 1234567", "IBAN DE89370400440532013000"]
)
def test_a_column_whose_name_is_personal_data_is_hidden_and_not_told(
    column: str, tmp_path: Path
) -> None:
    policy = Policy(blocked_patterns=tuple(NAMED_PATTERNS))
    source = open_text(tmp_path, "t.csv", f"day,{column}\n2021-01-05,1\n")
    (table,) = flat_tables([source], policy)
    assert [c.name for c in table.columns] == ["day"]
    assert column not in str(table.hidden)
    described = Describer(WorkspacePool()).describe([source], policy)
    assert column not in described.model_dump_json()


def test_names_of_files_and_comments_are_masked_where_they_are_told(tmp_path: Path) -> None:
    source = open_text(tmp_path, "ada@example.org.csv", "day,n\n2021-01-05,1\n")
    told = source.tables[0].columns[0].model_copy(update={"comment": "ask bob@example.org"})
    table = source.tables[0].model_copy(
        update={"columns": (told, *source.tables[0].columns[1:]), "comment": "of cyd@example.org"}
    )
    policy = Policy(blocked_patterns=("email",))
    described = Describer(WorkspacePool()).describe([replace(source, tables=(table,))], policy)
    assert "example.org" not in described.model_dump_json()
    assert described.tables[0].columns[0].comment == "ask [blocked]"


def test_a_whitelist_knows_plain_and_qualified_names() -> None:
    policy = Policy(allowed_columns=("Orders.Amount", "region"))
    assert policy.column_allowed("orders", "amount")
    assert policy.column_allowed("anything", "Region")
    assert not policy.column_allowed("customers", "amount")


@pytest.mark.parametrize("pattern", ["(", "a**", ".*", ""])
def test_a_pattern_that_cannot_work_is_refused_with_a_reason(pattern: str) -> None:
    with pytest.raises(AssayError) as caught:
        Policy(blocked_patterns=(pattern,))
    assert caught.value.reason is INVALID_ARGUMENT
    assert "policy.blocked_patterns" in caught.value.fields


def test_a_pattern_only_python_understands_is_refused_too(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a\nx\n")
    with pytest.raises(AssayError) as caught:
        WorkspacePool().get([source], Policy(blocked_patterns=("(?=x)y",)))
    assert caught.value.reason is INVALID_ARGUMENT


def test_equal_rules_have_equal_keys() -> None:
    assert Policy(blocked_patterns=("ip",)).key == Policy(blocked_patterns=("ip",)).key
    assert Policy(blocked_patterns=("ip",)).key != Policy().key


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://ada:secret@host/db", "postgres://***@host/db"),
        ("postgresql+psycopg://ada@host/db", "postgresql+psycopg://***@host/db"),
        ("mysql://host/db?user=a&password=b&x=1", "mysql://host/db?user=***&password=***&x=1"),
        ("postgres://ada:p@ss@host/db", "postgres://***@host/db"),
        ("sqlite:///northwind.sqlite", "sqlite:///northwind.sqlite"),
        ("data/orders.csv", "data/orders.csv"),
    ],
)
def test_credentials_are_never_shown(url: str, shown: str) -> None:
    assert redact(url) == shown


def test_a_source_needs_exactly_one_place() -> None:
    with pytest.raises(ValueError, match="file_path or a connection_string"):
        DataSource()
