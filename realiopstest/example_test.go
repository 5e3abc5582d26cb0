package realiopstest_test

import (
	"os"
	"testing"

	"github.com/realiops/realiops/realiopstest"
)

// A test of an application that holds an operation to what it may cost, on a server that is there.
func ExampleOpen() {
	_ = func(t *testing.T) { // func TestPlaceOrder(t *testing.T)
		db := realiopstest.Open(t, os.Getenv("DATABASE_URL"))
		got := db.Measure(t, func() { placeOrder(t, os.Getenv("DATABASE_URL")) })
		got.AtMost(t, realiopstest.OwnWALBytes(24<<10), realiopstest.Fsyncs(3))
	}
}

// The same on a server that is started for the test. The package has a TestMain that calls Main.
func ExampleStart() {
	_ = func(t *testing.T) { // func TestPlaceOrder(t *testing.T)
		db := realiopstest.Start(t, "17")
		got := db.Measure(t, func() { placeOrder(t, db.DSN()) })
		got.AtMost(t, realiopstest.OwnWALBytes(24<<10), realiopstest.Fsyncs(3))
	}
}

func placeOrder(*testing.T, string) {}
