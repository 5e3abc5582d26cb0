package realiopstest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/realiops/realiops/realiopstest"
)

// An application's test that limits the cost of an operation, on a server started for the test. The package
// has a TestMain that calls Main.
func ExampleStart() {
	testPlaceOrder := func(t testing.TB) { // func TestPlaceOrder(t *testing.T)
		db := realiopstest.Start(t, "17")
		execute(t, db.DSN(), "create table orders (id int generated always as identity primary key, customer int)")
		got := db.Measure(t, func() {
			execute(t, db.DSN(), "insert into orders (customer) values (7)")
		})
		got.AtMost(t, realiopstest.OwnWALBytes(200), realiopstest.OwnWALRecords(3), realiopstest.Rows(1))
	}
	fmt.Println(goTest(testPlaceOrder))
	// Output: PASS
}

// The same on an existing server, such as one from testcontainers-go, with a pool of connections that stays open.
func ExampleOpen() {
	testPlaceOrders := func(t testing.TB) { // func TestPlaceOrders(t *testing.T)
		dsn := aServer(t) // os.Getenv("DATABASE_URL")
		pool, err := pgxpool.New(context.Background(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		db := realiopstest.Open(t, dsn)
		got := db.Measure(t, func() {
			if _, err := pool.Exec(context.Background(),
				"insert into orders (customer) select 7 from generate_series(1, 3)"); err != nil {
				t.Fatal(err)
			}
		}, realiopstest.PgxPool(pool))
		got.AtMost(t, realiopstest.Rows(3), realiopstest.OwnWALRecords(7))
	}
	fmt.Println(goTest(testPlaceOrders))
	// Output: PASS
}
