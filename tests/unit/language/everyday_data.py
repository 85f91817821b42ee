"""A tea shop and its staff, small enough to count by hand, as the executor opens them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.unit.language.truth_help import Shop

_TEA_SHOP = """
create table categories (id integer primary key, name text);
create table products (id integer primary key, name text, price real, stock integer,
  discontinued integer, category_id integer references categories(id));
create table customers (id integer primary key, name text, city text, signup_date date,
  birth_date date);
create table orders (id integer primary key, customer_id integer references customers(id),
  order_date date, payment text, status text);
create table order_lines (id integer primary key, order_id integer references orders(id),
  product_id integer references products(id), quantity integer, unit_price real);
insert into categories values (1, 'Tea'), (2, 'Coffee'), (3, 'Cakes'), (4, 'Gifts');
insert into products values (1, 'Green Leaf', 4, 10, 0, 1), (2, 'Black Leaf', 6, 0, 0, 1),
  (3, 'Espresso', 8, 5, 0, 2), (4, 'Mocha', 9, 7, 1, 2), (5, 'Plum Slice', 5, 0, 0, 3),
  (6, 'Candle', 20, 3, 1, 4);
insert into customers values (1, 'Ann Abbot', 'Leeds', '2022-03-01', '1950-01-01'),
  (2, 'Bob Baker', 'Leeds', '2022-05-09', '1971-06-01'),
  (3, 'Cy Cole', 'York', '2023-02-11', '1990-02-02'),
  (4, 'Di Dunn', 'Hull', '2023-07-30', '1948-11-30'),
  (5, 'Ed Evans', 'York', '2024-01-15', '2000-12-01'),
  (6, 'Flo Ford', 'Bath', '2022-12-12', '1985-08-08');
insert into orders values (1, 1, '2023-01-10', 'card', 'paid'),
  (2, 1, '2024-02-03', 'cash', 'open'),
  (3, 2, '2023-04-05', 'card', 'paid'), (4, 2, '2023-11-20', 'cash', 'cancelled'),
  (5, 3, '2024-05-06', 'card', 'paid'), (6, 4, '2024-06-07', 'card', 'paid'),
  (7, 5, '2024-06-30', 'paypal', 'paid'), (8, 3, '2023-03-03', 'card', 'paid');
insert into order_lines values (1, 1, 1, 2, 4), (2, 1, 3, 1, 8), (3, 2, 1, 1, 4), (4, 2, 4, 2, 9),
  (5, 3, 3, 3, 8), (6, 4, 5, 1, 5), (7, 5, 2, 1, 6), (8, 5, 4, 1, 9), (9, 6, 5, 4, 5),
  (10, 7, 1, 5, 4), (11, 8, 1, 1, 4);
"""
_STAFF = """
create table departments (id integer primary key, name text, site text);
create table employees (id integer primary key, first_name text, last_name text, gender text,
  birth_date date, hire_date date, leaving_date date, contract text, salary integer,
  department_id integer references departments(id));
create table absences (id integer primary key, employee_id integer references employees(id),
  start_date date, days integer, reason text);
insert into departments values (1, 'Sales', 'Leeds'), (2, 'IT', 'York'), (3, 'Legal', 'Hull');
insert into employees values
  (1, 'Ann', 'Moss', 'female', '1961-05-05', '2015-06-01', null, 'full-time', 52000, 1),
  (2, 'Bo', 'Nash', 'male', '1985-01-09', '2018-03-05', '2023-05-31', 'part-time', 31000, 1),
  (3, 'Cat', 'Owen', 'female', '1990-10-10', '2020-02-01', null, 'full-time', 64000, 2),
  (4, 'Dov', 'Price', 'male', '1964-02-02', '2020-09-07', null, 'part-time', 41000, 2),
  (5, 'Eve', 'Reed', 'female', '1999-07-07', '2023-01-02', '2023-12-31', 'part-time', 29000, 1),
  (6, 'Fay', 'Stone', 'female', '1979-03-03', '2024-04-06', null, 'part-time', 38000, 2);
insert into absences values (1, 1, '2023-02-01', 3, 'sick'),
  (2, 1, '2024-03-01', 10, 'holiday'),
  (3, 2, '2023-03-09', 5, 'sick'), (4, 3, '2024-01-20', 2, 'sick'),
  (5, 4, '2024-07-01', 14, 'holiday');
"""
_VOYAGE = """
create table voyage (name text, sex text, age integer, class text, survived integer, port text,
  birth_year integer, cabin text);
insert into voyage values ('Ada', 'female', 29, 'First', 1, 'Cherbourg', 1883, null),
  ('Ben', 'male', 61, 'First', 0, 'Southampton', 1851, null),
  ('Cleo', 'female', 63, 'First', 1, 'Southampton', 1849, 'A1'),
  ('Dan', 'male', 22, 'Second', 0, 'Southampton', 1890, null),
  ('Edie', 'female', 35, 'Second', 1, 'Cherbourg', 1877, null),
  ('Fred', 'male', 66, 'Third', 0, 'Southampton', 1846, 'A1'),
  ('Gus', 'male', 19, 'Third', 1, 'Queenstown', 1893, null),
  ('Hal', 'male', 44, 'Third', 0, 'Southampton', 1868, null),
  ('Ida', 'female', 70, 'Third', 0, 'Queenstown', 1842, 'A1');
"""
_MARKS = """
create table marks (student text, subject text, mark integer, result text);
insert into marks values ('Ann', 'Art', 41, 'fail'), ('Ann', 'Maths', 73, 'pass'),
  ('Bob', 'Art', 55, 'pass'), ('Bob', 'Maths', 38, 'fail'), ('Cy', 'Maths', 44, 'fail');
"""
_SUBSCRIBERS = """
create table subscribers (id integer primary key, sex text, senior_citizen integer, age integer,
  role text, smoker text, contract text, tenure integer, monthly_charges real, salary real,
  churn text);
insert into subscribers values
  (1, 'Male', 0, 23, 'Clerk', 'Yes', 'monthly', 2, 70, 21000, 'Yes'),
  (2, 'Female', 0, 31, 'Manager', 'No', 'yearly', 30, 20, 62000, 'No'),
  (3, 'Male', 1, 68, 'Clerk', 'No', 'monthly', 5, 80, 24000, 'Yes'),
  (4, 'Female', 1, 71, 'Cook', 'Yes', 'yearly', 60, 25, 33000, 'No'),
  (5, 'Male', 0, 39, 'Manager', 'Yes', 'monthly', 12, 55, 58000, 'No'),
  (6, 'Female', 0, 25, 'Cook', 'No', 'monthly', 1, 95, 30000, 'No');
"""
_SALES = """
create table orders (order_id text, order_date date, ship_mode text, country text,
  sub_category text, category text, sales real, profit real, discount real);
insert into orders values
  ('A', '2023-01-04', 'First Class', 'Peru', 'Chairs', 'Furniture', 100, 10, 0.0),
  ('A', '2023-01-04', 'First Class', 'Peru', 'Phones', 'Technology', 300, 90, 0.2),
  ('B', '2023-02-11', 'Same Day', 'Peru', 'Phones', 'Technology', 200, 50, 0.05),
  ('B', '2023-02-11', 'Same Day', 'Peru', 'Chairs', 'Furniture', 50, -5, 0.3),
  ('C', '2023-02-20', 'First Class', 'Chile', 'Chairs', 'Furniture', 80, 8, 0.1),
  ('C', '2023-02-20', 'First Class', 'Chile', 'Phones', 'Technology', 120, 12, 0.0);
"""


def tea_shop(home: Path) -> Shop:
    """Customers, what they ordered, and what there is to order."""
    return _made(home, "tea_shop", _TEA_SHOP)


def staff(home: Path) -> Shop:
    """Employees of departments, and when they were away."""
    return _made(home, "staff", _STAFF)


def voyage(home: Path) -> Shop:
    """Passengers of a ship, who are not called so in the data."""
    return _made(home, "voyage", _VOYAGE)


def exams(home: Path) -> Shop:
    """Marks, in a column called after them."""
    return _made(home, "exams", _MARKS)


def subscribers(home: Path) -> Shop:
    """People with a contract, of whom some have left."""
    return _made(home, "subscribers", _SUBSCRIBERS)


def sales(home: Path) -> Shop:
    """Lines of orders, in the one table that such data often comes in."""
    return _made(home, "sales", _SALES)


_MADE: dict[str, Shop] = {}
"""Nobody changes a shop: whoever asks one after others finds it read and described."""


def _made(home: Path, name: str, script: str) -> Shop:
    if name not in _MADE:
        path = home / f"{name}.sqlite"
        with sqlite3.connect(path) as database:
            database.executescript(script)
        _MADE[name] = Shop(path, home)
    return _MADE[name]
