"""Holds an order to what it may cost. The server is the one that DATABASE_URL names."""

import subprocess
import sys


def test_place_order():
    budget = "rows=1,own_wal_records=3,waiting_commits=1"
    measured = subprocess.run(
        ["realiops", "measure", "--quiet", "-r", "3", "--max", budget, "--", sys.executable, "order.py"],
        stderr=subprocess.PIPE, text=True,
    )
    assert measured.returncode == 0, measured.stderr
