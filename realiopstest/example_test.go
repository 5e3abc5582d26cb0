package realiopstest_test

import (
	"os"
	"testing"

	"github.com/realiops/realiops/realiopstest"
)

// A test of an application that holds an operation to what it may cost.
func Example() {
	_ = func(t *testing.T) { // func TestPlaceOrder(t *testing.T)
		db := realiopstest.Open(t, os.Getenv("DATABASE_URL"))
		got := db.Measure(t, func() { placeOrder(t) })
		got.AtMost(t, realiopstest.OwnWALBytes(24<<10), realiopstest.Fsyncs(3))
	}
}

func placeOrder(*testing.T) {}
