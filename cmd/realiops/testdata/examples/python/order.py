"""The application: places an order. ORM_WRITES stands for an upgrade of what it is written with."""

import os

import psycopg


def place_order(customer):
    with psycopg.connect(os.environ["DATABASE_URL"]) as db:
        for _ in range(int(os.environ.get("ORM_WRITES", "1"))):
            db.execute("insert into orders (customer) values (%s)", [customer])


if __name__ == "__main__":
    place_order(7)
