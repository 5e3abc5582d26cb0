package output_test

import (
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

func TestGates(t *testing.T) {
	check := func(expression string, failed bool, said string) {
		t.Helper()
		g, err := output.ParseGate(expression)
		if err != nil {
			t.Error(err)
			return
		}
		v := g.Judge(everything())
		if v.Failed != failed || !strings.HasSuffix(v.String(), said) {
			t.Errorf("failed is %v, want %v: %s", v.Failed, failed, v)
		}
	}
	check("achieved<0.95", true, ": achieved is 0.8 (80.0%)")
	check("achieved < 75%", false, ": achieved is 0.8 (80.0%)")
	check("p99>5ms", false, ": p99 is 5.000 ms")
	check("p99>=5ms", true, ": p99 is 5.000 ms")
	check("p99>=5.001ms", false, ": p99 is 5.000 ms")
	check("p50>1999us", true, ": p50 is 2.000 ms")
	check("max>1s", false, ": max is 5.000 ms")
	check("mean<=.003s", true, ": mean is 3.000 ms")
	check("lag>1ms", false, ": lag is 1.000 ms")
	check("failed>0", true, ": failed is 3")
	check("failed>3%", false, ": failed is 0.03 (3.0%)")
	check("skipped>16.9%", true, ": skipped is 0.17 (17.0%)")
	check("late>7.4%", true, ": late is 0.075 (7.5%)")
	check("retried>=4", false, ": retried is 3")
	check("tps<8", false, ": tps is 8")
	check("rows/s<61", true, ": rows/s is 60")
	check("statements/s<14", false, ": statements/s is 14")
}

// A gate that cannot be judged does not pass.
func TestGateWithoutAFigure(t *testing.T) {
	check := func(expression string, change func(*output.Report)) {
		t.Helper()
		g, err := output.ParseGate(expression)
		if err != nil {
			t.Fatal(err)
		}
		r := everything()
		change(&r)
		if v := g.Judge(r); !v.Failed || v.Known || !strings.Contains(v.String(), "not measured") {
			t.Errorf("%+v: %s", v, v)
		}
	}
	nothing := func(r *output.Report) { r.Result = engine.Result{} }
	for _, expression := range []string{"p99>1s", "mean>1s", "lag>1s", "tps<0", "rows/s<0", "failed>1%", "late>1%",
		"achieved<0"} {
		check(expression, nothing)
	}
	check("p99>1s", func(r *output.Report) { r.Result.Latency.Histogram = nil })
	check("achieved<0", func(r *output.Report) { r.Asked.Rate = 0 })
}

func TestGatesThatMeanNothing(t *testing.T) {
	check := func(expression, reason string) {
		t.Helper()
		if _, err := output.ParseGate(expression); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", expression, err, reason)
		}
	}
	check("", "want a figure")
	check("p99", "want a figure")
	check("p99=3ms", "want a figure")
	check("p99>ms", "want a figure")
	check("p99>-1ms", "want a figure")
	check("p99>20", "needs a unit")
	check("p99>20%", "needs a unit")
	check("failed>1ms", "is not a time")
	check("tps<5%", "takes a number, not a percentage")
	check("p98>1ms", `unknown figure "p98"`)
	check("speed<3", `unknown figure "speed"`)
}

func TestWarnings(t *testing.T) {
	check := func(name, want string, change func(*output.Report)) {
		t.Run(name, func(t *testing.T) {
			r := plain()
			change(&r)
			if got := strings.Join(r.Warnings(), "\n"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	at := func(rate float64, seconds int, done, skipped int64) func(*output.Report) {
		return func(r *output.Report) {
			r.Asked.Rate, r.Result.Elapsed = rate, time.Duration(seconds)*time.Second
			r.Result.Transactions, r.Result.Skipped = done, skipped
		}
	}
	check("no rate", "", func(*output.Report) {})
	check("reached", "", at(1000, 10, 9950, 0))
	check("nearly reached", "", at(10_000, 100, 995_000, 0)) // five deviations short of a million
	check("short by chance", "", at(100, 1, 75, 0))          // the deviation of 100 is 10
	check("short", "the rate was not achieved: 900.0 of 1000.0 transactions per second (90.0%)", at(1000, 10, 9000, 0))
	check("skipped", "the rate was not achieved: 900.0 of 1000.0 transactions per second (90.0%); 1000 were skipped "+
		"because they were already late", at(1000, 10, 9000, 1000))
	check("nothing", "no transaction ended during the measurement; there is nothing to report", func(r *output.Report) {
		r.Result = engine.Result{}
	})
	check("all failed", "no transaction succeeded: 9 failed, 0 were skipped", func(r *output.Report) {
		r.Result.Totals = engine.Totals{Deadlocks: 9}
	})
	check("aborted at once", "", func(r *output.Report) { r.Result, r.Status = engine.Result{}, output.Aborted })
}
