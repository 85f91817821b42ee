"""Analytical queries over the small shop that must all pass."""

from __future__ import annotations

BENIGN = (
    "SELECT * FROM orders",
    "FROM orders",
    "SELECT count(*) FROM orders",
    "SELECT o.amount, c.name FROM orders o JOIN customers c ON o.customer_id = c.customer_id",
    "SELECT c.name, sum(o.amount) AS total FROM customers c LEFT JOIN orders o USING (customer_id)"
    " GROUP BY c.name ORDER BY total DESC NULLS LAST LIMIT 2",
    "SELECT date_trunc('month', ordered_at) AS month, sum(amount) FROM orders GROUP BY 1"
    " ORDER BY 1",
    "SELECT strftime(ordered_at, '%Y-%m') AS month, avg(amount) FROM orders GROUP BY ALL",
    "SELECT year(ordered_at), quarter(ordered_at), dayname(ordered_at) FROM orders",
    "SELECT extract(month FROM ordered_at) AS m, count(*) FROM orders GROUP BY m HAVING"
    " count(*) > 1",
    "SELECT date_diff('day', joined, DATE '2021-01-01') AS days FROM customers",
    "SELECT joined + INTERVAL 3 MONTH FROM customers",
    "SELECT * FROM orders WHERE ordered_at BETWEEN '2021-01-01' AND '2021-01-31'",
    "SELECT * FROM orders WHERE ordered_at >= DATE '2021-01-01' - INTERVAL '6 months'",
    "SELECT DISTINCT city FROM customers ORDER BY city",
    "SELECT count(DISTINCT customer_id) FROM orders",
    "SELECT customer_id, amount, rank() OVER (PARTITION BY customer_id ORDER BY amount"
    " DESC) FROM orders",
    "SELECT *, row_number() OVER (ORDER BY amount) AS n FROM orders QUALIFY n <= 2",
    "SELECT amount, lag(amount) OVER (ORDER BY ordered_at) AS before FROM orders",
    "SELECT sum(amount) OVER (ORDER BY ordered_at ROWS BETWEEN 2 PRECEDING AND CURRENT"
    " ROW) FROM orders",
    "WITH big AS (SELECT * FROM orders WHERE amount > 15) SELECT avg(amount) FROM big",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "SELECT CASE WHEN amount > 15 THEN 'big' ELSE 'small' END AS size, count(*) FROM"
    " orders GROUP BY 1",
    "SELECT coalesce(note, 'none'), nullif(amount, 30) FROM orders",
    "SELECT CAST(amount AS INTEGER), amount::VARCHAR, TRY_CAST(note AS DOUBLE) FROM orders",
    "SELECT upper(name) || ' of ' || city FROM customers WHERE name ILIKE 'a%'",
    "SELECT name FROM customers WHERE city IN ('London', 'Paris') AND NOT name LIKE '%x%'",
    "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
    "SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE"
    " o.customer_id = c.customer_id)",
    "SELECT (SELECT max(amount) FROM orders) - amount FROM orders",
    "SELECT city FROM customers UNION SELECT note FROM orders",
    "SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders",
    "SELECT customer_id FROM customers INTERSECT SELECT customer_id FROM orders",
    "SELECT median(amount), stddev(amount), var_samp(amount), mode(amount) FROM orders",
    "SELECT quantile_cont(amount, 0.9), percentile_cont(0.5) WITHIN GROUP (ORDER BY"
    " amount) FROM orders",
    "SELECT corr(amount, order_id), regr_slope(amount, order_id), covar_pop(amount,"
    " order_id) FROM orders",
    "SELECT skewness(amount), kurtosis(amount), entropy(amount) FROM orders",
    "SELECT round(100.0 * amount / sum(amount) OVER (), 1) AS share FROM orders",
    "SELECT count(*) FILTER (WHERE amount > 15), sum(amount) FILTER (WHERE note IS NOT"
    " NULL) FROM orders",
    "SELECT customer_id, string_agg(note, ', ' ORDER BY order_id) FROM orders GROUP BY customer_id",
    "SELECT list(amount ORDER BY amount), arg_max(order_id, amount) FROM orders",
    "SELECT floor(amount / 10) * 10 AS bin, count(*) FROM orders GROUP BY bin ORDER BY bin",
    "SELECT city, count(*) FROM customers GROUP BY ROLLUP (city)",
    "SELECT city, name, count(*) FROM customers GROUP BY GROUPING SETS ((city), (name), ())",
    "SELECT regexp_extract(note, '[a-z]+'), regexp_replace(note, 'gift', 'x') FROM orders",
    "SELECT split_part(email, '@', 2) AS domain, length(email), substring(email, 1, 3)"
    " FROM customers",
    "SELECT g.n FROM generate_series(1, 3) AS g(n)",
    "SELECT unnest([1, 2, 3]) AS n",
    "SELECT d::DATE FROM generate_series(DATE '2021-01-01', DATE '2021-03-01', INTERVAL 1"
    " MONTH) AS t(d)",
    "SELECT * EXCLUDE (note) FROM orders",
    'SELECT name AS "Customer\'s name" FROM customers AS "C u s t"',
    "SELECT greatest(amount, 15), least(amount, 15), abs(amount), sqrt(amount),"
    " ln(amount) FROM orders",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(n, l)",
    "SELECT c.city, o.amount FROM customers c CROSS JOIN orders o WHERE o.amount > 20",
    "SELECT strptime('2021-01-05', '%Y-%m-%d')::DATE AS d",
)
