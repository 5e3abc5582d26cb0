package workers

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// TestThreadsShareProcesses: beside the server, threads share processes unless their clients cannot share a ring, or
// compute rows.
func TestThreadsShareProcesses(t *testing.T) {
	if !sharesRings() {
		t.Skip("this kernel has no rings for it")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7)) // enough for two processes
	const local = "postgres://127.0.0.1/?sslmode=disable"
	each := []engine.Share{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 4, To: 5}}
	for _, c := range []struct {
		name, server, script string
		change               func(*engine.Options)
		apart                bool
		want                 []engine.Share
	}{
		{name: "over TCP", server: local, want: []engine.Share{{From: 0, To: 2}, {From: 2, To: 5}}},
		{name: "by socket", server: "host=/run/x sslmode=require", want: []engine.Share{{From: 0, To: 2}, {From: 2, To: 5}}},
		{name: "one thread", server: local, change: func(o *engine.Options) { o.Threads = 1 },
			want: []engine.Share{{From: 0, To: 1}}},
		{name: "elsewhere", server: "postgres://192.0.2.1/?sslmode=disable", want: each},
		{name: "encrypted", server: "postgres://127.0.0.1/", want: each},
		{name: "reconnecting", server: local, change: func(o *engine.Options) { o.Reconnect = true }, want: each},
		{name: "rows copied", server: local, script: "\\copy_rows demo (value) rows 3 values (:row)", want: each},
		{name: "rows inserted", server: local, script: "\\insert_rows demo (value) rows 3 values (:row)", want: each},
		{name: "apart", server: local, apart: true, want: each},
	} {
		endpoint, err := postgres.Parse(c.server)
		if err != nil {
			t.Fatal(err)
		}
		if c.script == "" {
			c.script = "select 1;"
		}
		o, err := options(endpoint, c.script)
		if err != nil {
			t.Fatal(err)
		}
		o.Threads = 5
		if c.change != nil {
			c.change(&o)
		}
		config, err := o.Connect(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := shares(o, config, c.apart); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
