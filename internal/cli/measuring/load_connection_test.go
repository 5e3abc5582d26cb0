package measuring

import "testing"

// A connection string overrides the flags, as in libpq.
func TestConnectionOptions(t *testing.T) {
	check := func(c connectionOptions, want string) {
		t.Helper()
		if got := c.dsn(); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
	check(connectionOptions{}, "")
	check(connectionOptions{database: "shop"}, "dbname='shop'")
	check(connectionOptions{"db1", "5433", `o'n\eil`, "shop"}, `host='db1' port='5433' user='o\'n\\eil' dbname='shop'`)
	check(connectionOptions{"db1", "", "me", "host=db2 dbname=shop"}, "host='db1' user='me' host=db2 dbname=shop")
	check(connectionOptions{"db1", "1", "me", "postgres://you@db2:2/shop"}, "postgres://you@db2:2/shop")
	check(connectionOptions{"db1", "1", "me", "postgres:///shop"}, "postgres://db1/shop?port=1&user=me")
	check(connectionOptions{"db1", "", "", "postgres://:2/shop"}, "postgres://db1:2/shop")
	check(connectionOptions{"/run/pg", "1", "", "postgres:///shop"}, "postgres:///shop?host=%2Frun%2Fpg&port=1")
	check(connectionOptions{"/run/my pg", "1", "", "postgres:///shop?options=-cx=a+b"},
		"postgres:///shop?host=%2Frun%2Fmy%20pg&options=-cx%3Da%2Bb&port=1")
	check(connectionOptions{database: "postgres://"}, "postgres://")
	check(connectionOptions{database: "postgres://?sslmode=disable"}, "postgres://?sslmode=disable")
	check(connectionOptions{"db1", "1", "me", "postgres://"}, "postgres://?host=db1&port=1&user=me")
	check(connectionOptions{"db1", "1", "me", "postgres://a:2,b:3/shop?sslmode=disable"},
		"postgres://a:2,b:3/shop?sslmode=disable&user=me")
	check(connectionOptions{"db1", "1", "me", "postgres:///shop?host=db2&user=you&port=2"},
		"postgres:///shop?host=db2&user=you&port=2")
	check(connectionOptions{"db1", "", "me", "postgres:///shop?host=db2&user=you"}, "postgres:///shop?host=db2&user=you")
}
