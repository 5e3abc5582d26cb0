package workers

import (
	"crypto/tls"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
)

// TestFewClientsShareAWorker: a worker serves eight clients before another is started, and half of the processors are
// never idle for want of workers.
func TestFewClientsShareAWorker(t *testing.T) {
	set := script.NewSet()
	parse := func(text string) []engine.Weighted {
		s, err := set.Parse("script", text)
		if err != nil {
			t.Fatal(err)
		}
		return []engine.Weighted{{Script: s, Weight: 1}}
	}
	plain := parse("select 1;")
	if o := (engine.Options{Scripts: plain}); o.Rideable() != nil {
		t.Skip(o.Rideable())
	}
	rows := parse(`\copy_rows t (a) rows 10 values (:row)`)
	encrypted := &pgx.ConnConfig{}
	encrypted.TLSConfig = &tls.Config{} //nolint:gosec // nobody connects
	open := &pgx.ConnConfig{}
	for _, test := range []struct {
		name       string
		crew       Crew
		options    engine.Options
		config     *pgx.ConnConfig
		processors int
		want       int
	}{
		{"eight", Crew{}, engine.Options{Clients: 8, Threads: 2, Scripts: plain}, open, 2, 1},
		{"nine", Crew{}, engine.Options{Clients: 9, Threads: 2, Scripts: plain}, open, 2, 2},
		{"fifty", Crew{}, engine.Options{Clients: 50, Threads: 4, Scripts: plain}, open, 2, 4},
		{"sixteen", Crew{}, engine.Options{Clients: 16, Threads: 16, Scripts: plain}, open, 2, 2},
		{"many processors", Crew{}, engine.Options{Clients: 8, Threads: 8, Scripts: plain}, open, 12, 6},
		{"one thread", Crew{}, engine.Options{Clients: 8, Threads: 1, Scripts: plain}, open, 12, 1},
		{"encrypted", Crew{}, engine.Options{Clients: 8, Threads: 2, Scripts: plain}, encrypted, 2, 2},
		{"reconnecting", Crew{}, engine.Options{Clients: 8, Threads: 2, Scripts: plain, Reconnect: true}, open, 2, 2},
		{"streaming", Crew{}, engine.Options{Clients: 8, Threads: 2, Scripts: rows}, open, 2, 2},
		{"logging", Crew{Log: &Log{}}, engine.Options{Clients: 8, Threads: 2, Scripts: plain}, open, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(test.processors))
			if got := test.crew.count(&test.options, test.config); got != test.want {
				t.Errorf("%d workers, want %d", got, test.want)
			}
		})
	}
}
