"""Values at which engines part company, and statements over them: a table `edges` of the shop."""

from __future__ import annotations

TABLE = (
    "CREATE TABLE edges (id integer, d double precision, w bigint, n numeric(10,2), t text,"
    " day date, moment timestamp, yes boolean)",
    "INSERT INTO edges VALUES"
    " (1, CAST('NaN' AS double precision), 9223372036854775807, 99999999.99, 'straße',"
    " '1582-10-04', '1969-12-31 23:59:59.999999', true),"
    " (2, CAST('Infinity' AS double precision), CAST('-9223372036854775808' AS bigint), -0.01,"
    " 'a%b', '1900-02-28', '2000-02-29 00:00:00', false),"
    " (3, CAST('-Infinity' AS double precision), 0, 0.00, 'A_B', '2024-12-30',"
    " '2024-10-27 01:30:00', true),"
    " (4, CAST('-0.0' AS double precision), -7, -2.50, 'a\\b', '2021-01-03', '2021-03-28 02:30:00',"
    " NULL),"
    " (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL),"
    " (6, 1e308, 7, 2.50, '', '2020-12-31', '2020-12-31 12:00:00', false),"
    " (7, 2.5, 3, 0.05, ' a ', '2024-01-31', '2024-01-31 23:59:59', true),"
    " (8, -2.5, -3, 1.00, 'İi', '0001-01-01', '1899-12-31 00:00:01', false),"
    " (9, 0.1, 5, 1.10, '😀é', '2024-02-29', '2024-02-29 06:07:08.000009', true),"
    " (10, 3.5, 2, 1.15, 'Zz', '2023-01-01', '2023-01-01 00:00:00', NULL)",
)

ORDER = (
    "SELECT * FROM edges ORDER BY id",
    "SELECT id, d FROM edges ORDER BY d, id",
    "SELECT id, d FROM edges ORDER BY d DESC NULLS LAST, id",
    "SELECT id, d FROM edges ORDER BY d NULLS FIRST, id LIMIT 4",
    "SELECT id, t FROM edges ORDER BY t DESC, id",
    "SELECT yes, count(*) FROM edges GROUP BY yes ORDER BY yes DESC",
    "SELECT id, row_number() OVER (ORDER BY d, id), rank() OVER (ORDER BY yes), dense_rank() OVER"
    " (ORDER BY n DESC), lag(t, 1, 'none') OVER (ORDER BY id) FROM edges ORDER BY id",
    "SELECT id, sum(n) OVER (ORDER BY n), count(*) OVER (ORDER BY yes), last_value(t) OVER (ORDER"
    " BY id), sum(id) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM edges"
    " ORDER BY id",
    "SELECT '10' < '9', 'a' < 'B', 'é' > 'z', 'a ' = 'a', '' < 'a'",
)
NOTHING = (
    "SELECT id FROM edges ORDER BY id OFFSET 2 ROWS FETCH NEXT 2 ROWS ONLY",
    "SELECT id, yes AND NULL, yes OR NULL, NOT yes, yes IS NOT TRUE, t || 'x' FROM edges"
    " ORDER BY id",
    "SELECT id FROM edges WHERE id NOT IN (SELECT w FROM edges) OR w NOT IN (1, NULL) ORDER BY id",
    "SELECT w FROM edges EXCEPT SELECT id FROM edges",
    "SELECT t FROM edges INTERSECT SELECT t FROM edges",
    "SELECT id, greatest(d, 0), least(d, n), greatest(n, id), least(id, NULL), nullif(n, 0)"
    " FROM edges ORDER BY id",
    "SELECT a.id, b.id FROM edges a JOIN edges b ON a.d = b.d ORDER BY 1, 2",
    "SELECT a.id FROM edges a WHERE a.t IS NOT DISTINCT FROM NULL",
    "SELECT coalesce(sum(n), 0), count(*), bool_and(yes), stddev(id) FROM edges WHERE d = 12345",
    "SELECT count(*), count(x), count(DISTINCT x), avg(x), sum(x) FROM (VALUES (NULL), (1), (1))"
    " v(x)",
)
NUMBERS = (
    "SELECT min(d), max(d), sum(d), avg(d), count(d), count(DISTINCT d) FROM edges",
    "SELECT d, count(*) FROM edges GROUP BY d",
    "SELECT id, d = d, d > 1e300, d < 0, d <> 0.1, isnan(d), d IN (0, 2.5) FROM edges ORDER BY id",
    "SELECT id, d + 1, d * 2, -d, abs(d), d / 0, w / 0 FROM edges WHERE id <> 6 ORDER BY id",
    "SELECT id, w // 2, w % 2, w // -2, w % -2, w / 2, w // 0, w % 0 FROM edges WHERE id > 2"
    " ORDER BY id",
    "SELECT sum(w) FROM edges",
    "SELECT id, n + n, n / 3, n - 0.005, round(n), round(n, 1), floor(n), ceil(n), n::INTEGER,"
    " n::VARCHAR FROM edges ORDER BY id",
    "SELECT sum(n), avg(n), min(n), max(n) FROM edges",
    "SELECT id, round(d), round(d, 1), floor(d), ceil(d), d::INTEGER, d::BIGINT FROM edges"
    " WHERE id > 6 ORDER BY id",
    "SELECT round(2.675, 2), round(2.675::DOUBLE, 2), round(-0.5::DOUBLE), CAST(0.5 AS INTEGER),"
    " CAST(2.5 AS INTEGER), CAST(2.5e0 AS INTEGER), CAST('7.5' AS INTEGER), CAST(' 7 ' AS INTEGER)",
    "SELECT 0.1 + 0.2, 0.1::DOUBLE + 0.2::DOUBLE, 1.0 / 3, 10 / 4, 10 // 4, 2 ^ 10, 2 ** 0.5",
    "SELECT id, round(id * n, 1), round(n * id, 1), round(n * d, 1), round(id * 1.55, 1) FROM edges"
    " WHERE id > 6 ORDER BY id",
    "SELECT id, CAST(n + 0.5 AS INTEGER), CAST(n * d AS INTEGER), CAST(id * 0.5 AS INTEGER),"
    " CAST(round(n, 1) AS INTEGER) FROM edges WHERE id > 6 ORDER BY id",
    "SELECT id, n // 2, 7.5 // 2 FROM edges WHERE id > 6 ORDER BY id",
    "SELECT sum(id) * 1.55, round(sum(id) * 1.55, 1), round(100.0 * count(yes) / count(*), 1)"
    " FROM edges",
    "SELECT 99999999999999999999 + 1, 12345678901234567890123456789.12 * 10",
    "SELECT id FROM edges UNION ALL SELECT n FROM edges ORDER BY 1",
    "SELECT floor(n / 2) * 2 AS bin, count(*) FROM edges GROUP BY bin ORDER BY bin",
)
BETWEEN = (
    "SELECT median(w), quantile_cont(w, 0.25), quantile_disc(w, 0.25), quantile_disc(w, 1),"
    " median(id), quantile_cont(id, 0.1) FROM edges WHERE id > 2",
    "SELECT yes, median(id), quantile_cont(id, 0.33), quantile_disc(id, 0.33) FROM edges"
    " GROUP BY yes",
    "SELECT median(n) FROM edges WHERE id > 7",
    "SELECT quantile(w, 0.25), quantile(id, 0.5) FROM edges WHERE id > 2",
    "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY id DESC) FROM edges",
)
TEXTS = (
    "SELECT id, length(t), reverse(t), left(t, 1), right(t, 1), trim(t), ltrim(t), replace(t, 'a',"
    " '') FROM edges ORDER BY id",
    "SELECT id, t LIKE 'a%', t LIKE 'a!%b' ESCAPE '!', t LIKE '_\\_%', t LIKE 'a\\b', t LIKE '%\\',"
    " t LIKE '__' FROM edges ORDER BY id",
    "SELECT id, t NOT LIKE '%a%', t NOT LIKE 'a!%%' ESCAPE '!', NOT t LIKE 'a%' FROM edges"
    " ORDER BY id",
    "SELECT id, t ILIKE '%A%', t NOT ILIKE '%A%', t ILIKE 'A!%B' ESCAPE '!', t NOT ILIKE 'A!%%'"
    " ESCAPE '!' FROM edges ORDER BY id",
    "SELECT id, position('' IN t), instr(t, 'b'), contains(t, ''), starts_with(t, '') FROM edges"
    " ORDER BY id",
    "SELECT split_part(t, 'b', 1), lpad(t, 3, '-'), rpad(t, 1, '*'), repeat(t, 2) FROM edges"
    " ORDER BY id",
    "SELECT split_part(t, '', 1) FROM edges ORDER BY id",
    "SELECT regexp_matches(t, '^[a-z]'), regexp_extract(t, '([A-Z])', 1), md5(t) FROM edges"
    " ORDER BY id",
    "SELECT string_agg(t, '|' ORDER BY id), string_agg(t, '' ORDER BY t DESC), count(t) FROM edges",
)
TIMES = (
    "SELECT id, date_trunc('week', day), date_trunc('month', moment), date_trunc('quarter', day),"
    " date_trunc('hour', moment) FROM edges ORDER BY id",
    "SELECT date_trunc('decade', day) FROM edges ORDER BY id",
    "SELECT date_trunc('century', day) FROM edges ORDER BY id",
    "SELECT id, week(day), isodow(day), dayofweek(day), dayofyear(day), year(day), second(moment)"
    " FROM edges ORDER BY id",
    "SELECT id, day + INTERVAL 1 MONTH, day - INTERVAL 1 YEAR, moment + INTERVAL 36 HOUR, day + 1,"
    " day - DATE '2024-02-29' FROM edges ORDER BY id",
    "SELECT id, extract(epoch FROM moment), moment::DATE, moment::VARCHAR, day::TIMESTAMP,"
    " day::VARCHAR FROM edges ORDER BY id",
    "SELECT id, date_diff('month', day, DATE '2024-03-01'), date_diff('day', moment, TIMESTAMP"
    " '2024-03-01'), date_diff('hour', moment, TIMESTAMP '2024-03-01') FROM edges ORDER BY id",
    "SELECT id, strftime(moment, '%Y-%m-%d %H:%M:%S'), strftime(day, '%j %a %b') FROM edges"
    " ORDER BY id",
    "SELECT moment AT TIME ZONE 'Europe/Berlin' FROM edges ORDER BY id",
    "SELECT extract(year FROM moment) AS y, count(*) FILTER (WHERE yes), sum(CASE WHEN yes THEN n"
    " END) FROM edges GROUP BY y ORDER BY y NULLS LAST",
)
WIDE = (
    "SELECT sum(a.w), sum(a.w::HUGEINT), sum(a.w::DECIMAL(38,0)), sum(a.id) FROM edges a, edges b"
    " WHERE a.w > 0",
    "SELECT w::HUGEINT + 1, (w::DECIMAL(38,0)) * 10, w::HUGEINT * 3 FROM edges ORDER BY id",
    "SELECT id, sum(w) OVER (ORDER BY id), avg(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND"
    " CURRENT ROW), avg(id) OVER (PARTITION BY yes) FROM edges ORDER BY id",
    "SELECT yes, avg(n) FILTER (WHERE id > 5), avg(id) FILTER (WHERE yes) FROM edges GROUP BY yes",
)
EXPRESSIONS = (
    # Signs that mean something in a statement of another engine, and nothing in a text of this.
    "SELECT '${env:HOME}', '${spark.app.name}', 'a\\', ', reflect(1) --', 'a`b', '$1 :x'"
    " FROM orders WHERE note <> '${env:PATH}' OR order_id = 1",
    "SELECT id, regexp_matches(x, 'a.b'), regexp_matches(x, 'b$'), regexp_matches(x, '^b'),"
    " regexp_matches(x, '\\bfoo\\b'), regexp_matches(x, '[^b]$'), regexp_matches(x, 'a\\sb') FROM"
    " (VALUES (1, 'a\nb'), (2, 'a\rb'), (3, 'b\n'), (4, 'éfoo'), (5, 'afoo'), (6, 'a b')) v(id, x)"
    " ORDER BY id",
    "SELECT regexp_replace(t, 'a*', '-', 'g') FROM edges ORDER BY id",
    "SELECT regexp_replace(t, '[ab]', '<\\0>', 'g') FROM edges ORDER BY id",
    "SELECT strftime(moment, 'it''s \"%d\" of [%m] #%Y') FROM edges ORDER BY id",
    "SELECT strptime(x, '%y-%m-%d') FROM (VALUES ('69-01-02'), ('68-1-2')) v(x) ORDER BY 1",
)


def _as(kind: str, *texts: str) -> str:
    """What DuckDB reads of texts that only a row shows."""
    rows = ", ".join(f"('{text}')" for text in texts)
    return f"SELECT x, CAST(x AS {kind}) FROM (VALUES {rows}) {kind}_of(x) ORDER BY x"


SPELLED = (
    _as("DATE", "2024-02-29", " 2024-2-9 ", "0044-03-15", "2024-02-09 10:11", "1969-12-31T1:2:3"),
    _as("TIMESTAMP", "2024-02-29", "2024-2-9 1:2:3.000009", "2024-02-09T10:00:00Z"),
    _as("BOOLEAN", "true", "FALSE", "t", "no", "1", "Y"),
    _as("DOUBLE", "1.5", " -2e3 ", ".5", "5.", "inf", "-Infinity", "NaN", "+3"),
    _as("INTEGER", "7", " -7 ", "2.5", "-2.5", "+5", "7."),
    _as("DECIMAL", "1.0005", "-0.0005", "+2", ".5"),
    # In other spellings: days of the year 24, a zone that is dropped, what only DuckDB reads.
    _as("DATE", "24-02-09"),
    _as("DATE", "2024/02/09"),
    _as("DATE", "2024-02-09x"),
    _as("TIMESTAMP", "2024-02-09 10:00:00+02:00"),
    _as("TIMESTAMP", "2024-02-09 10:00:00.123456789"),
    _as("DOUBLE", "1_000.5"),
    _as("INTEGER", "0x1F"),
    "SELECT x, TRY_CAST(x AS DOUBLE) FROM (VALUES ('1.5'), ('n/a'), (''), (NULL), ('3 kg'),"
    " ('-inf')) v(x) ORDER BY x",
    "SELECT x, TRY_CAST(x AS DATE), TRY_CAST(x AS TIMESTAMP) FROM (VALUES ('2024-02-09'), ('n/a'),"
    " (NULL), ('2024-02-30'), ('unknown')) try_dates(x) ORDER BY x",
    "SELECT x, TRY_CAST(x AS DATE) FROM (VALUES ('2024-02')) try_dates(x)",
    "SELECT count(*) FROM (VALUES ('7.5'), ('8')) compared(x) WHERE x = 8",
    "SELECT count(*) FROM orders WHERE ordered_at >= '2021-02-03T10:00' AND order_id > '12'",
)
EDGES = (*ORDER, *NOTHING, *NUMBERS, *WIDE, *BETWEEN, *TEXTS, *EXPRESSIONS, *SPELLED, *TIMES)

# Errors in values: the same category on every engine.
WRONG = (
    "SELECT w + 1 FROM edges",
    "SELECT -w FROM edges",
    "SELECT abs(w) FROM edges",
    "SELECT w * 2 FROM edges",
    "SELECT (SELECT id FROM edges)",
    _as("DATE", "today"),
    _as("DATE", "20240209"),
    _as("TIMESTAMP", "10:00:00"),
    _as("BOOLEAN", "on"),
    _as("DOUBLE", "1.5d"),
    _as("TIMESTAMP", "2024-02-09 10"),
    "SELECT d::INTEGER FROM edges",
    "SELECT t::INTEGER FROM edges",
    "SELECT CAST('2024-02-30' AS DATE)",
    "SELECT sqrt(w) FROM edges",
    "SELECT ln(d) FROM edges",
)

# What neither engine is asked.
ALIKE = {
    "'24-02-09'": "DuckDB reads the year 24",
    "2024/02/09": "a date with slashes",
    "09x": "DuckDB stops reading after the day",
    "10:00:00+02:00": "DuckDB drops the zone",
    "123456789": "DuckDB cuts, others round",
    "1_000": "DuckDB knows _ between digits",
    "0x1F": "DuckDB knows other bases",
    "'2024-02')": "a month as a date",
    "compared(x)": "DuckDB converts the text",
    "'a*'": "what comes after a match of nothing",
    "<\\0>": "a reference to the whole match",
    "%y-": "the century of two digits",
}
# What an engine is not asked, because it would mean something else there.
ELSEWHERE = {
    "postgres": {
        **ALIKE,
        "try_dates(x)": "TRY_CAST to dates",
        "median(n)": "a value between two decimals is cut by DuckDB",
        "// 2, 7.5 // 2": "// of decimals is a plain division in DuckDB",
        "ORDER BY id DESC) FROM": "shares counted from above",
        "split_part(t, ''": "DuckDB parts the signs from each other",
        "'century'": "centuries begin a year later",
        "AT TIME ZONE": "times with a zone are no result",
    },
    "mysql": {
        **ALIKE,
        "TRY_CAST": "what cannot be converted ends the statement",
        "median(": "there is none",
        "quantile": "there is none",
        "percentile_": "there is none",
        "// 2, 7.5 // 2": "// of decimals is a plain division in DuckDB",
        "split_part(t, ''": "DuckDB parts the signs from each other",
        "lag(t, 1, 'none')": "lag has no value of its own",
        "RANGE BETWEEN 2": "a window by distance has no place for NULL",
        "/ 0": "no number is infinite",
        "'inf'": "no number is infinite",
        "repeat(": "a text that is too long would be NULL",
        "BOOLEAN_of": "a text is no truth",
        "T10:00:00Z": "a zone in a text",
        "'decade'": "there is no such unit",
        "'century'": "there is no such unit",
        "AT TIME ZONE": "times with a zone are no result",
    },
    "spark": {
        **ALIKE,
        "median(n)": "a value between two decimals is cut by DuckDB",
        "// 2, 7.5 // 2": "// of decimals is a plain division in DuckDB",
        "ORDER BY id DESC) FROM": "shares counted from above",
        "split_part(t, ''": "DuckDB parts the signs from each other",
        "'decade'": "there is no such unit",
        "'century'": "there is no such unit",
        "AT TIME ZONE": "times with a zone are no result",
    },
}
