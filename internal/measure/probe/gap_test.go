package probe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func TestGapOf(t *testing.T) {
	check := func(err error, want runfile.Gap) {
		t.Helper()
		if diff := cmp.Diff(want, probe.GapOf(err)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	remote := &probe.Error{Reason: runfile.NotLocal, Code: "X1", Err: errors.New("it is elsewhere")}
	check(remote, runfile.Gap{Reason: runfile.NotLocal, Code: "X1", Detail: "it is elsewhere"})
	check(fmt.Errorf("find the device: %w", remote),
		runfile.Gap{Reason: runfile.NotLocal, Code: "X1", Detail: "find the device: it is elsewhere"})
	check(fmt.Errorf("ask: %w", context.DeadlineExceeded),
		runfile.Gap{Reason: runfile.Late, Detail: "ask: context deadline exceeded"})
	check(&os.PathError{Op: "open", Path: "/x", Err: os.ErrPermission},
		runfile.Gap{Reason: runfile.Permission, Detail: "open /x: permission denied"})
	check(errors.New("out of order"), runfile.Gap{Reason: runfile.Failed, Detail: "out of order"})
}

func TestAbsentSaysWhyInEverySample(t *testing.T) {
	metrics := []runfile.Metric{{Name: "block/writes", Type: runfile.Counter}}
	why := &probe.Error{Reason: runfile.NotLocal, Err: errors.New("the server runs on another machine")}
	s := probe.Absent("block", metrics, why)
	want := probe.Sample{Gaps: []runfile.Gap{{Reason: runfile.NotLocal, Detail: "the server runs on another machine"}}}
	for range 2 {
		got, err := s.Sample(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("sample, %v (-want +got):\n%s", err, diff)
		}
	}
	if diff := cmp.Diff(metrics, s.Metrics()); diff != "" || s.Name() != "block" {
		t.Errorf("%s announces (-want +got):\n%s", s.Name(), diff)
	}
}
