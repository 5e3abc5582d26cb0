package script_test

import (
	"testing"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// hot holds the commands of transactions that an engine evaluates over and over.
var hot = map[string]string{
	"uniform":   `\set aid random(1, 100000 * :scale)`,
	"gaussian":  `\set aid random_gaussian(1, 100000 * :scale, 5.0)`,
	"zipfian":   `\set aid random_zipfian(1, 100000 * :scale, 1.2)`,
	"hash":      `\set aid 1 + permute(abs(hash(:aid)) % 100000, 100000)`,
	"case":      `\set aid case when :aid % 2 = 0 and :scale > 0 then greatest(1, :aid, 2.5) else int(:scale * 0.5) end`,
	"statement": `UPDATE pgbench_accounts SET abalance = abalance + :scale WHERE aid = :aid;`,
}

// hotCommand returns a function that runs the command.
func hotCommand(tb testing.TB, text string) func() {
	tb.Helper()
	set := script.NewSet()
	s, err := set.Parse("x.sql", text+"\nSELECT :aid")
	if err != nil {
		tb.Fatal(err)
	}
	env := &script.Env{Vars: set.NewVars(), Random: new(script.NewRandom(1))}
	for _, name := range []string{"scale", "aid", "default_seed"} {
		if err := env.Vars.DefineValue(name, script.Int(10)); err != nil {
			tb.Fatal(err)
		}
	}
	c := &s.Commands[0]
	if c.Statement != nil {
		buffer := make([]byte, 0, 1024)
		return func() { buffer = c.Statement.AppendSimple(buffer[:0], env.Vars) }
	}
	return func() {
		if err := c.Assignment.Run(env); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestEvaluationDoesNotAllocate(t *testing.T) {
	for name, text := range hot {
		if n := testing.AllocsPerRun(1000, hotCommand(t, text)); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkEvaluation(b *testing.B) {
	for name, text := range hot {
		b.Run(name, func(b *testing.B) {
			run := hotCommand(b, text)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}
