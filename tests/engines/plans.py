"""Statements that every engine must answer with the same frame."""

from __future__ import annotations

PLANS = (
    "SELECT * FROM customers",
    "SELECT * FROM orders ORDER BY order_id",
    "SELECT * FROM empty_orders",
    "SELECT count(*), sum(amount), avg(amount), min(amount), max(amount) FROM empty_orders",
    "SELECT count(*), count(amount), count(DISTINCT city) FROM orders JOIN customers USING"
    " (customer_id)",
    "SELECT city, sum(amount) AS total FROM orders o JOIN customers c ON o.customer_id ="
    " c.customer_id"
    " GROUP BY city ORDER BY total DESC",
    "SELECT city, count(*) FROM customers GROUP BY ALL",
    "SELECT name FROM customers ORDER BY name",
    "SELECT name FROM customers ORDER BY name DESC",
    "SELECT city, vip FROM customers ORDER BY city DESC, vip",
    "SELECT min(name), max(name) FROM customers",
    "SELECT upper(name), lower(name), length(name) FROM customers",
    "SELECT name FROM customers WHERE name ILIKE 'é%' OR city ILIKE 'LOND%'",
    "SELECT name FROM customers WHERE name LIKE '%\\_%'",
    "SELECT name FROM customers WHERE name LIKE '%!_%' ESCAPE '!'",
    "SELECT name FROM customers WHERE name > 'Z' ORDER BY 1",
    "SELECT order_id / 7, order_id // 7, order_id % 7, quantity / 2, quantity // 2, quantity % 2"
    " FROM orders ORDER BY order_id",
    "SELECT order_id / quantity, order_id // quantity, order_id % quantity FROM orders ORDER BY"
    " order_id, 1",
    "SELECT sum(quantity) / sum(price) AS ratio, sum(quantity) / count(*) FROM orders",
    "SELECT 7 / 2, 7 // 2, -7 // 2, -7 % 3, 1 / 0, -1 / 0, 0 / 0",
    "SELECT round(amount), round(amount, 1), round(price, 1), round(order_id / 3, 2) FROM orders"
    " ORDER BY order_id, 1",
    "SELECT round(2.5), round(-2.5), round(1234.5, -2), floor(-1.5), ceil(1.2), sign(-3),"
    " abs(-2.5)",
    "SELECT CAST(amount AS INTEGER), CAST(price AS BIGINT), CAST(order_id AS DOUBLE) FROM orders"
    " ORDER BY order_id, 1, 2",
    "SELECT amount::VARCHAR, price::VARCHAR, order_id::VARCHAR, vip::VARCHAR, joined::VARCHAR,"
    " ordered_at::VARCHAR FROM orders JOIN customers USING (customer_id) ORDER BY order_id",
    "SELECT 'a' || amount, name || ':' || order_id FROM orders JOIN customers USING (customer_id)"
    " ORDER BY order_id",
    "SELECT concat(name, NULL, '-', city), concat_ws('/', name, city) FROM customers",
    "SELECT TRY_CAST(note AS DOUBLE), TRY_CAST('1.5' AS DOUBLE), TRY_CAST('x' AS DOUBLE) FROM"
    " orders",
    "SELECT date_trunc('month', ordered_at) AS month, count(*), sum(price) FROM orders GROUP BY 1"
    " ORDER BY 1",
    "SELECT date_trunc('week', joined), date_trunc('quarter', joined) FROM customers",
    "SELECT year(ordered_at), month(ordered_at), day(ordered_at), quarter(ordered_at),"
    " hour(ordered_at), minute(ordered_at), second(ordered_at) FROM orders ORDER BY order_id",
    "SELECT week(joined), dayofweek(joined), isodow(joined), dayofyear(joined), dayname(joined),"
    " monthname(joined) FROM customers ORDER BY customer_id",
    "SELECT extract(epoch FROM ordered_at), date_part('dow', ordered_at) FROM orders ORDER BY 1",
    "SELECT strftime(ordered_at, '%Y-%m-%d %H:%M:%S'), strftime(joined, '%d.%m.%y, week of %B')"
    " FROM orders JOIN customers USING (customer_id) ORDER BY order_id",
    "SELECT date_diff('day', joined, DATE '2022-01-01'), date_diff('month', joined,"
    " DATE '2022-01-01'), date_diff('year', joined, DATE '2022-01-01'), date_diff('quarter',"
    " joined, DATE '2022-01-01'), date_diff('week', joined, DATE '2022-01-01') FROM customers",
    "SELECT date_diff('hour', ordered_at, TIMESTAMP '2021-03-01 00:30:00') FROM orders ORDER BY 1",
    "SELECT joined + INTERVAL 3 MONTH, joined - INTERVAL '10 days', joined - DATE '2020-01-01'"
    " FROM customers",
    "SELECT * FROM orders WHERE ordered_at BETWEEN '2021-02-01' AND '2021-02-10' ORDER BY order_id",
    "SELECT median(amount), quantile_cont(amount, 0.9), percentile_cont(0.25) WITHIN GROUP"
    " (ORDER BY amount), quantile_disc(quantity, 0.5) FROM orders",
    "SELECT stddev(amount), stddev_pop(quantity), var_samp(price), var_pop(order_id) FROM orders",
    "SELECT corr(amount, order_id), covar_pop(amount, order_id), covar_samp(amount, price),"
    " regr_slope(amount, order_id), regr_r2(amount, order_id) FROM orders",
    "SELECT skewness(amount), kurtosis(amount), mode(quantity), entropy(quantity) FROM orders",
    "SELECT avg(quantity), avg(price), avg(DISTINCT quantity), sum(DISTINCT quantity) FROM orders",
    "SELECT count(*) FILTER (WHERE amount > 10), sum(price) FILTER (WHERE note IS NULL) FROM"
    " orders",
    "SELECT count_if(amount > 10), bool_and(amount > -1), bool_or(quantity > 3) FROM orders",
    "SELECT customer_id, string_agg(note, ', ' ORDER BY order_id) FROM orders GROUP BY customer_id",
    "SELECT customer_id, list(quantity ORDER BY order_id) FROM orders GROUP BY customer_id",
    "SELECT customer_id, arg_max(order_id, price), arg_min(order_id, price), any_value(customer_id)"
    " FROM orders GROUP BY customer_id ORDER BY 1",
    "SELECT order_id, rank() OVER (PARTITION BY customer_id ORDER BY quantity DESC, order_id),"
    " row_number() OVER (ORDER BY order_id), dense_rank() OVER (ORDER BY quantity) FROM orders",
    "SELECT order_id, lag(price) OVER (ORDER BY order_id), lead(price, 2) OVER (ORDER BY order_id),"
    " first_value(price) OVER (PARTITION BY customer_id ORDER BY order_id) FROM orders",
    "SELECT order_id, sum(price) OVER (ORDER BY order_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW),"
    " ntile(4) OVER (ORDER BY order_id), percent_rank() OVER (ORDER BY order_id) FROM orders",
    "SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY price DESC, order_id) AS n FROM"
    " orders QUALIFY n <= 2",
    "SELECT customer_id, price FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id"
    " ORDER BY price DESC, order_id) = 1 ORDER BY price DESC LIMIT 3",
    "SELECT city, vip, count(*) FROM customers GROUP BY ROLLUP (city, vip)",
    "SELECT city, grouping(city), count(*) FROM customers GROUP BY GROUPING SETS ((city), ())",
    "SELECT grouping(city, vip) AS part, city, vip, count(*) FROM customers"
    " GROUP BY GROUPING SETS ((city), (vip), ()) HAVING grouping(city, vip) < 3",
    "SELECT CASE WHEN amount > 15 THEN 'big' WHEN amount > 5 THEN 'Middle' ELSE 'small' END"
    " AS size,"
    " count(*) FROM orders GROUP BY 1",
    "SELECT floor(amount / 10) * 10 AS bin, count(*) FROM orders GROUP BY bin ORDER BY bin",
    "SELECT coalesce(note, 'none'), nullif(quantity, 3), greatest(amount, price, 5),"
    " least(amount, NULL, 3) FROM orders ORDER BY order_id",
    "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id ="
    " c.customer_id AND o.price > 9)",
    "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
    "SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders",
    "SELECT city FROM customers UNION SELECT note FROM orders",
    "SELECT customer_id FROM customers INTERSECT SELECT customer_id FROM orders",
    "WITH big AS (SELECT * FROM orders WHERE price > 5), orders AS (SELECT * FROM big) SELECT"
    " count(*), avg(price) FROM orders",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "SELECT regexp_matches(note, '^[Gg]ift'), regexp_extract(note, '([0-9]+)', 1),"
    " regexp_extract(note, '[a-z]+'), regexp_replace(note, '[a-z]', 'x'),"
    " regexp_replace(note, '[a-z]', 'x', 'g') FROM orders ORDER BY order_id",
    "SELECT split_part(email, '@', 2), substring(email, 2, 3), left(email, 2), right(email, 3),"
    " reverse(name), replace(email, 'example', 'x'), trim('  a '), lpad(name, 8, '*') FROM"
    " customers",
    "SELECT contains(note, 'gift'), starts_with(note, 'Gift'), ends_with(note, 'g'),"
    " position('i' IN note), instr(note, 'f') FROM orders ORDER BY order_id",
    "SELECT power(amount, 2), sqrt(amount), ln(price + 1), exp(quantity), log10(price + 1), pi()"
    " FROM orders ORDER BY order_id",
    "SELECT price * quantity, price + 1.5, price * 1.1, quantity * 2, amount * price FROM orders"
    " ORDER BY order_id",
    "SELECT * EXCLUDE (note), price * 2 AS twice FROM orders ORDER BY order_id LIMIT 5",
    "SELECT price AS p, p * 2 AS q FROM orders WHERE p > 9 ORDER BY q",
    "SELECT o.customer_id, c.customer_id FROM orders o LEFT JOIN customers c ON o.customer_id ="
    " c.customer_id AND c.vip ORDER BY o.order_id",
    "SELECT c.name, o.order_id FROM customers c LEFT JOIN orders o USING (customer_id) WHERE"
    " o.order_id IS NULL",
    "SELECT * FROM customers ORDER BY joined NULLS FIRST LIMIT 2 OFFSET 1",
    "SELECT DISTINCT quantity, note IS NULL FROM orders",
    "SELECT DISTINCT ON (customer_id) customer_id, price FROM orders ORDER BY customer_id,"
    " price DESC",
    "FROM customers SELECT NAME, Customer_ID WHERE VIP",
    "SELECT count(*) AS n FROM orders HAVING count(*) > 1000",
    "SELECT (SELECT max(price) FROM orders) - price AS below FROM orders ORDER BY below LIMIT 4",
    "SELECT v.n, v.l FROM (VALUES (1, 'b'), (2, 'A'), (3, NULL)) AS v(n, l) ORDER BY l",
    "SELECT 1 AS one, 'text' AS word, NULL AS nothing, true AS yes, DATE '2020-02-29' AS day",
    "SELECT unnest([1, 2, 3]) AS n",
    "SELECT sum(quantity * 9223372036854775807) FROM orders WHERE order_id < 4",
)

# With parameters.
ASKED = (
    ("SELECT name FROM customers WHERE city = ? AND customer_id < ?", ["London", 3]),
    ("SELECT count(*) FROM orders WHERE note = ?", ["x' OR '1'='1"]),
    ("SELECT count(*) FROM orders WHERE ordered_at >= ? AND amount > ?", ["2021-02-01", 2.5]),
)
