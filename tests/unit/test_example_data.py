"""The example retailer's files are reproducible, agree, and hold the truths they document."""

from __future__ import annotations

import filecmp
import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from examples import truths
from examples.baskets import make_products, revenue
from examples.customers import make_customers
from examples.demand import make_orders, without_lost_orders
from examples.promotion import caused_orders
from examples.retailer import main, write_retailer

FAULT, PROMOTION = truths.FAULT, truths.PROMOTION


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("retailer")
    write_retailer(target)
    return target


@pytest.fixture(scope="module")
def lines(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "orders.csv", parse_dates=["order_date"])
    table["revenue"] = table["quantity"] * table["unit_price"] * (1 - table["discount"])
    return table


@pytest.fixture(scope="module")
def orders(lines: pd.DataFrame) -> pd.DataFrame:
    return lines.drop_duplicates("order_id")


@pytest.fixture(scope="module")
def customers(folder: Path) -> pd.DataFrame:
    return pd.DataFrame(json.loads((folder / "customers.json").read_text(encoding="utf-8")))


@pytest.fixture
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        yield connection


# --- the files -----------------------------------------------------------------------------------


def test_a_second_run_writes_the_same_bytes_over_the_first(folder: Path, tmp_path: Path) -> None:
    names = ["customers.json", "orders.csv", "shop.sqlite"]
    for _ in range(2):
        main([str(tmp_path / "new" / "folder")])
        same, *differing = filecmp.cmpfiles(
            folder, tmp_path / "new" / "folder", names, shallow=False
        )
        assert (same, differing) == (names, [[], []])
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == names


def test_it_does_not_depend_on_numpys_global_random_state(folder: Path, tmp_path: Path) -> None:
    np.random.seed(7)
    before = np.random.get_state(legacy=False)["state"]["key"].copy()
    write_retailer(tmp_path)
    assert np.array_equal(before, np.random.get_state(legacy=False)["state"]["key"])
    assert filecmp.cmp(folder / "orders.csv", tmp_path / "orders.csv", shallow=False)


def test_a_folder_that_cannot_be_made_is_named_in_one_clear_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "taken")])
    assert stopped.value.code == 2
    assert f"cannot write into {tmp_path / 'taken'}" in capsys.readouterr().err


def test_the_size_is_the_documented_one(lines: pd.DataFrame, customers: pd.DataFrame) -> None:
    readme = (Path(truths.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert f"{len(lines):,} order lines of {lines['order_id'].nunique():,} orders" in readme
    assert f"{len(customers):,} customers" in readme
    assert (lines["product_id"].nunique(), lines["category"].nunique()) == (60, 6)


def test_every_column_is_described(folder: Path, database: sqlite3.Connection) -> None:
    readme = (Path(truths.__file__).parent / "README.md").read_text(encoding="utf-8")
    columns = {*pd.read_csv(folder / "orders.csv", nrows=0).columns}
    columns |= {
        row[0]
        for row in database.execute(
            "SELECT c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        )
    }
    assert [column for column in sorted(columns) if f"`{column}`" not in readme] == []


# --- agreement -----------------------------------------------------------------------------------


def test_foreign_keys_are_declared_and_hold(database: sqlite3.Connection) -> None:
    declared = database.execute(
        "SELECT t.name, k.[from], k.[table] FROM sqlite_schema t, "
        "pragma_foreign_key_list(t.name) k WHERE t.type = 'table'"
    )
    assert set(declared) == {
        ("products", "category_id", "categories"),
        ("orders", "customer_id", "customers"),
        ("order_lines", "order_id", "orders"),
        ("order_lines", "product_id", "products"),
        ("returns", "order_line_id", "order_lines"),
    }
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_csv_and_the_database_hold_the_same_order_lines(
    folder: Path, database: sqlite3.Connection
) -> None:
    joined = pd.read_sql_query(
        "SELECT order_line_id, order_id, order_date, customer_id, region, channel, product_id, "
        "product_name, category_name AS category, quantity, unit_price, discount FROM order_lines "
        "JOIN orders USING (order_id) JOIN products USING (product_id) "
        "JOIN categories USING (category_id) ORDER BY order_line_id",
        database,
    )
    pd.testing.assert_frame_equal(pd.read_csv(folder / "orders.csv"), joined)


def test_the_json_and_the_database_hold_the_same_customers(
    customers: pd.DataFrame, database: sqlite3.Connection
) -> None:
    stored = pd.read_sql_query("SELECT * FROM customers ORDER BY customer_id", database)
    stored["received_promotion"] = stored["received_promotion"].astype(bool)
    pd.testing.assert_frame_equal(customers, stored)


def test_orders_agree_with_their_customers(orders: pd.DataFrame, customers: pd.DataFrame) -> None:
    placed = orders.merge(customers, on="customer_id", suffixes=("", "_of_customer"))
    assert len(placed) == len(orders)
    assert (placed["region"] == placed["region_of_customer"]).all()
    assert (placed["order_date"] >= pd.to_datetime(placed["signup_date"])).all()
    assert len(customers) > orders["customer_id"].nunique()  # some never ordered


def test_prices_never_change_and_are_the_list_prices(database: sqlite3.Connection) -> None:
    query = "SELECT count(*) FROM order_lines JOIN products USING (product_id) WHERE {}"
    assert database.execute(query.format("unit_price <> list_price")).fetchone() == (0,)


def test_returns_follow_their_orders_within_the_two_years(database: sqlite3.Connection) -> None:
    wrong = database.execute(
        "SELECT count(*) FROM returns r JOIN order_lines l USING (order_line_id) "
        "JOIN orders o USING (order_id) WHERE r.quantity > l.quantity OR r.return_date > ? "
        "OR julianday(r.return_date) - julianday(o.order_date) NOT BETWEEN 3 AND 30",
        [str(truths.PERIOD.last)],
    )
    assert wrong.fetchone() == (0,)


def test_the_customers_spend_columns_are_sums_of_their_order_lines(
    lines: pd.DataFrame, customers: pd.DataFrame
) -> None:
    for column, period in {
        PROMOTION.confounder: PROMOTION.prior_period,
        PROMOTION.outcome: PROMOTION.outcome_period,
    }.items():
        spent = lines[within(period, lines)].groupby("customer_id")["revenue"].sum()
        summed = spent.reindex(customers["customer_id"], fill_value=0.0)
        assert customers[column].to_numpy() == pytest.approx(summed.to_numpy(), abs=0.006)
    assert PROMOTION.outcome_period.days == 60


# --- truth 1: season and trend -------------------------------------------------------------------


def test_november_and_december_are_the_peak_of_both_years(lines: pd.DataFrame) -> None:
    monthly = lines.groupby([lines["order_date"].dt.year, lines["order_date"].dt.month])
    for measure in (monthly["order_id"].nunique(), monthly["revenue"].sum()):
        by_year = measure.unstack(level=0)
        assert {*by_year[2024].nlargest(2).index} == {11, 12}
        assert {*by_year[2025].nlargest(2).index} == {11, 12}


def test_orders_grow_at_the_stated_rate_and_follow_the_stated_season(orders: pd.DataFrame) -> None:
    daily = orders.groupby("order_date").size()
    days = np.arange(len(daily))
    touched = within(FAULT.period, daily.index) | within(PROMOTION.outcome_period, daily.index)
    months = pd.DatetimeIndex(daily.index).month
    design = np.column_stack([days / 365, *(months == month for month in range(1, 13))])
    fitted = np.linalg.lstsq(design[~touched], np.log(daily.to_numpy())[~touched], rcond=None)[0]

    assert np.exp(fitted[0]) - 1 == pytest.approx(truths.DEMAND.yearly_growth, abs=0.03)
    season = np.exp(fitted[1:] - fitted[1:].mean())
    stated = np.array(list(truths.DEMAND.month_factors.values()))
    assert season == pytest.approx(stated / np.exp(np.log(stated).mean()), rel=0.06)
    assert stated.mean() == pytest.approx(1.0)


# --- truth 2: a drop with one reason -------------------------------------------------------------


def test_the_fault_takes_the_stated_share_of_one_cell_in_one_period(orders: pd.DataFrame) -> None:
    cells = during_and_around(orders, ["region", "channel"])
    hit = (FAULT.region, FAULT.channel)
    share_lost = 1 - cells["during"] / cells["around"]
    assert share_lost[hit] == pytest.approx(FAULT.share_lost, abs=0.05)
    assert standard_scores(cells)[hit] < -4
    assert standard_scores(cells).drop(index=hit).abs().max() < 2


def test_the_generator_loses_exactly_the_stated_share_and_nothing_else() -> None:
    expected = make_orders(make_customers())
    kept = without_lost_orders(expected)
    lost = expected.drop(index=kept.index)
    hit = expected["region"].eq(FAULT.region) & expected["channel"].eq(FAULT.channel)
    assert len(lost) == round(FAULT.share_lost * (hit & within(FAULT.period, expected)).sum())
    assert hit[lost.index].all()
    assert within(FAULT.period, lost).all()
    pd.testing.assert_frame_equal(kept, expected.loc[kept.index])


def test_seen_from_afar_only_the_region_and_the_channel_of_the_fault_dip(
    orders: pd.DataFrame,
) -> None:
    for column, dipped in (("region", FAULT.region), ("channel", FAULT.channel)):
        scores = standard_scores(during_and_around(orders, [column]))
        assert scores[dipped] < -2.5
        assert scores.drop(index=dipped).abs().max() < 2


def test_every_week_of_the_fault_is_the_cells_worst_and_no_other_week_is(
    orders: pd.DataFrame,
) -> None:
    cell = orders[(orders["region"] == FAULT.region) & (orders["channel"] == FAULT.channel)]
    all_orders = orders.resample("W-SUN", on="order_date").size()
    share = cell.resample("W-SUN", on="order_date").size() / all_orders
    whole_weeks = share.iloc[:-1]  # the two years end within a week
    worst = whole_weeks.nsmallest(FAULT.period.days // 7).index
    assert within(FAULT.period, worst).all()


def test_baskets_stay_as_they_were_during_the_fault(lines: pd.DataFrame) -> None:
    per_order = lines.groupby("order_id").agg(
        order_date=("order_date", "first"), revenue=("revenue", "sum")
    )
    hit = within(FAULT.period, per_order)
    before = per_order[per_order["order_date"] < pd.Timestamp(FAULT.period.first)]
    during = per_order[hit]
    error = math.hypot(standard_error(during["revenue"]), standard_error(before["revenue"]))
    assert abs(during["revenue"].mean() - before["revenue"].mean()) < 2 * error


# --- truth 3: a promotion with a confounder ------------------------------------------------------


def test_the_naive_difference_is_clearly_wrong_by_the_stated_bias(customers: pd.DataFrame) -> None:
    estimate, low, high = effect_of_promotion(customers, adjust_for=[])
    assert estimate == pytest.approx(PROMOTION.naive_difference, abs=0.01)
    assert not low <= PROMOTION.average_treatment_effect <= high
    assert estimate - PROMOTION.average_treatment_effect == pytest.approx(
        PROMOTION.naive_bias, abs=0.01
    )


def test_adjusting_for_prior_spend_recovers_the_true_effect(customers: pd.DataFrame) -> None:
    _, low, high = effect_of_promotion(customers, adjust_for=[PROMOTION.confounder])
    assert low <= PROMOTION.average_treatment_effect <= high
    assert low > 0  # and it is distinguishable from no effect


def test_the_orders_that_the_promotion_causes_amount_to_the_stated_effect(
    customers: pd.DataFrame,
) -> None:
    recipients = customers[customers[PROMOTION.treatment]]
    orders, caused = caused_orders(recipients, make_products(), first_label=0)
    assert float(revenue(caused).sum()) / len(recipients) == pytest.approx(
        PROMOTION.average_treatment_effect, abs=PROMOTION.effect_tolerance
    )
    assert within(PROMOTION.outcome_period, orders).all()
    assert orders["customer_id"].isin(recipients["customer_id"]).all()


def test_prior_spend_raises_both_the_chance_of_the_promotion_and_later_spend(
    customers: pd.DataFrame,
) -> None:
    others = customers[~customers[PROMOTION.treatment]]
    for table, raised in ((customers, PROMOTION.treatment), (others, PROMOTION.outcome)):
        outcome = table[raised].to_numpy(dtype=float)
        prior = table[PROMOTION.confounder].to_numpy()
        nothing_else = np.empty((len(table), 0))
        _, low, _ = linear_effect(outcome, prior, nothing_else, z=4.0)
        assert low > 0


def test_region_and_segment_do_not_decide_who_receives_it(customers: pd.DataFrame) -> None:
    received = customers[PROMOTION.treatment].to_numpy(dtype=float)
    prior = customers[[PROMOTION.confounder]].to_numpy()
    for column in ("region", "segment"):
        for value in customers[column].unique():
            member = (customers[column] == value).to_numpy(dtype=float)
            _, low, high = linear_effect(received, member, prior, z=3.0)
            assert low <= 0 <= high, (column, value)


# --- arithmetic ----------------------------------------------------------------------------------


def within(period: truths.Period, dated: pd.DataFrame | pd.Index) -> NDArray[np.bool_]:
    dates = pd.DatetimeIndex(dated["order_date"] if isinstance(dated, pd.DataFrame) else dated)
    return np.asarray((dates >= pd.Timestamp(period.first)) & (dates <= pd.Timestamp(period.last)))


def during_and_around(orders: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Orders in the fault's period, and the mean of the periods just before and just after it.

    Looking to both sides alike lets a steady trend or season cancel out.
    """
    first, last = pd.Timestamp(FAULT.period.first), pd.Timestamp(FAULT.period.last)
    side = pd.Timedelta(days=FAULT.period.days)
    during = orders["order_date"].between(first, last)
    around = orders["order_date"].between(first - side, last + side) & ~during
    return pd.DataFrame(
        {
            "during": orders[during].groupby(columns).size(),
            "around": orders[around].groupby(columns).size() / 2,
        }
    )


def standard_scores(counts: pd.DataFrame) -> pd.Series[float]:
    """How far `during` is from `around`, in standard deviations of a Poisson count."""
    return (counts["during"] - counts["around"]) / (1.5 * counts["around"]) ** 0.5


def standard_error(values: pd.Series[float]) -> float:
    return float(values.std()) / math.sqrt(len(values))


def effect_of_promotion(
    customers: pd.DataFrame, adjust_for: list[str]
) -> tuple[float, float, float]:
    return linear_effect(
        customers[PROMOTION.outcome].to_numpy(),
        customers[PROMOTION.treatment].to_numpy(dtype=float),
        customers[adjust_for].to_numpy(dtype=float),
    )


def linear_effect(
    outcome: NDArray[np.float64],
    treatment: NDArray[np.float64],
    covariates: NDArray[np.float64],
    z: float = 1.96,
) -> tuple[float, float, float]:
    """Least squares with standard errors that allow for unequal variance (HC0): estimate, ends."""
    design = np.column_stack([treatment, np.ones_like(treatment), covariates])
    bread = np.linalg.inv(design.T @ design)
    coefficients = bread @ design.T @ outcome
    residuals = outcome - design @ coefficients
    variance = bread @ (design.T * residuals**2) @ design @ bread
    estimate, error = float(coefficients[0]), float(np.sqrt(variance[0, 0]))
    return estimate, estimate - z * error, estimate + z * error
