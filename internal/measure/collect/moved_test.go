package collect

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

// TestMoved: after a failover in the seventh minute, the other instance is asked only for the remaining time, and its
// data is separate. A second collection finds nothing open.
func TestMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fileWith()
		f.take(runfile.Run{Schema: runfile.Schema, Target: runfile.Target{
			Cloud: &runfile.Cloud{Instance: "one", Cluster: "all", Resource: "db-1"}}})
		f.take(runfile.LoadEvent{At: minutes(7), Event: runfile.Begin, Instance: "two", Cloud: &runfile.Cloud{
			Instance: "two", Cluster: "all", Resource: "db-2"}})
		f.take(runfile.LoadEvent{At: minutes(10), Event: runfile.End})
		want := []Move{{Cloud: runfile.Cloud{Instance: "two", Resource: "db-2"}, Span: runfile.Stretch{From: minutes(7), To: minutes(10)}}}
		if diff := cmp.Diff(want, f.Moves); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		two := &service{metrics: metrics()[:1], says: func(string, runfile.Stretch, time.Duration) (float64, bool) {
			return 5, true
		}}
		c, records := collecting(t, f, Moved(two, f.Moves[0]))
		time.Sleep(time.Until(minutes(80)))
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		const there = "cloudwatch.two/WriteIOPS"
		if diff := cmp.Diff([]string{there + " 7 5", there + " 8 5", there + " 9 5"}, lines(*records)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		asked := len(two.asked)
		for _, r := range *records {
			f.take(r)
		}
		if _, err := c.Run(t.Context()); err != nil || len(two.asked) != asked {
			t.Errorf("asked %d times more, %v", len(two.asked)-asked, err)
		}
	})
}
