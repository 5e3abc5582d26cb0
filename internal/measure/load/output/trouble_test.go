package output_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

func TestTroubles(t *testing.T) {
	failed := engine.Trouble{
		Client: 3, Script: 1, Command: 2, Try: 2, Latency: 50 * time.Millisecond, Err: errors.New("ERROR:\n  no"),
		Then: engine.FailsTransaction,
	}
	repeats, aborts := failed, failed
	repeats.Then, aborts.Then = engine.TriesAgain, engine.Aborts
	check := func(name, want string, o output.Troubles, troubles ...engine.Trouble) {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			o.Say = func(format string, values ...any) { fmt.Fprintf(&b, "realiops: "+format+"\n", values...) }
			for _, x := range troubles {
				o.Tell(x)
			}
			if diff := cmp.Diff(want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	check("quiet", "", output.Troubles{}, failed, repeats)
	check("verbose", `realiops: client 3 got an error in command 2 of script 1; ERROR: no
realiops: client 3 ends the failed transaction (try 2/3, 25.000% of the maximum time of tries was used)
`, output.Troubles{Verbose: true, Asked: output.Asked{Options: engine.Options{MaxTries: 3, LatencyLimit: 200 * time.Millisecond}}}, failed)
	check("unlimited", `realiops: client 3 got an error in command 2 of script 1; ERROR: no
realiops: client 3 repeats the transaction after the error (try 2)
`, output.Troubles{Verbose: true, Asked: output.Asked{Options: engine.Options{Unlimited: true}}}, repeats)
	one := "realiops: error: client 3 script 1 aborted in command 2: ERROR: no\n"
	check("many aborts", strings.Repeat(one, 5)+
		"realiops: error: more clients aborted; --verbose-errors shows all of them\n",
		output.Troubles{}, aborts, aborts, aborts, aborts, aborts, aborts, aborts)
	check("all aborts", strings.Repeat(one, 7), output.Troubles{Verbose: true}, aborts, aborts, aborts, aborts, aborts,
		aborts, aborts)
}

func TestFaults(t *testing.T) {
	check := func(name string, change func(*output.Report), want ...string) {
		t.Run(name, func(t *testing.T) {
			r := everything()
			change(&r)
			if diff := cmp.Diff(want, r.Faults()); diff != "" {
				t.Error(diff)
			}
		})
	}
	check("each told when a client aborted", func(*output.Report) {})
	check("too many to be told", func(r *output.Report) { r.Result.Faults[1].Count = 6 },
		"canceled (57014): 6 times, first: canceling statement")
	check("clients go on", func(r *output.Report) { r.Asked.ContinueOnError = true },
		"canceled (57014): 2 times, first: canceling statement")
}
