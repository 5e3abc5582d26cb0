//go:build unix

package script_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// These tests run the same script under pgbench and here. pgbench shows values, with their types, by debug().

// shown are the lines that debug() prints, without what stands before the value.
func shown(stderr string) []string {
	var values []string
	for _, m := range regexp.MustCompile(`(?m)^debug\(script=\d+,command=\d+\): (.*)$`).FindAllStringSubmatch(stderr, -1) {
		values = append(values, m[1])
	}
	return values
}

// client evaluates as the first client of a run with that seed.
func client(t *testing.T, set *script.Set, seed uint64, number int) (*script.Env, *strings.Builder) {
	t.Helper()
	streams := script.Derive(seed, number+1, 1, false)
	vars := set.NewVars()
	for name, value := range map[string]int64{
		"scale": 1, "client_id": int64(number), "default_seed": streams.DefaultSeed, "random_seed": int64(seed),
	} {
		if err := vars.DefineValue(name, script.Int(value)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	return &script.Env{Vars: vars, Random: &streams.Clients[number], Debug: &out}, &out
}

// ours runs the \set and \if commands of a script that many times, and gives what debug() showed.
func ours(t *testing.T, text string, seed uint64, number, times int) ([]string, error) {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("script.sql", text)
	if err != nil {
		return nil, err
	}
	env, out := client(t, set, seed, number)
	for range times {
		if err := walk(s, env); err != nil {
			return lines(out), err
		}
	}
	return lines(out), nil
}

func lines(out *strings.Builder) []string {
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// walk is an engine that sends nothing.
func walk(s *script.Script, env *script.Env) (err error) {
	for i := 0; i < len(s.Commands) && err == nil; {
		switch c := &s.Commands[i]; c.Kind {
		case script.KindSet:
			err = c.Assignment.Run(env)
			i++
		case script.KindIf, script.KindElif, script.KindElse, script.KindEndif:
			i, err = s.Branch(env, i)
		default:
			i++
		}
	}
	return err
}

// sequences of random numbers, each drawn many times.
var sequences = []string{
	`random(1, 100000)`,
	`random(-5000, 5000)`,
	`random(0, 9223372036854775806)`,
	`random(7, 7) + random(1, 2)`,
	`random(1, 100000 * :scale)`,
	`random_gaussian(1, 1000000, 2.0)`,
	`random_gaussian(-10, 10, 5)`,
	`random_exponential(1, 1000000, 0.1)`,
	`random_exponential(1, 1000000000, 10)`,
	`random_zipfian(1, 1000000, 1.07)`,
	`random_zipfian(1, 100, 1.5)`,
	`random_zipfian(0, 1000000, 2.5)`,
	`random_zipfian(5, 5, 1.5) + random(1, 3)`,
	`permute(random(0, 999), 1000)`,
	`permute(random(-1000, 999999), 123456789, 42)`,
	`permute(random(0, 4), 5, random(1, 1000000))`,
	`hash(random(1, 1000))`,
	`hash_fnv1a(random(-10, 10))`,
	`hash_murmur2(random(-10, 10), 5432)`,
	`:default_seed + random(1, 2)`,
	`:random_seed + random(1, 2) + :client_id`,
}

func TestRandomNumbersArePgbenchs(t *testing.T) {
	p := newPgbench(t)
	const times = 200
	var b strings.Builder
	for _, e := range sequences {
		fmt.Fprintf(&b, "\\set x debug(%s)\n", e)
	}
	for _, seed := range []uint64{0, 1, 42, 20240229, 1<<63 + 12345, 1<<64 - 1} {
		stderr := p.run(t, b.String(), "-t", fmt.Sprint(times), fmt.Sprintf("--random-seed=%d", seed))
		got, err := ours(t, b.String(), seed, 0, times)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, fmt.Sprintf("seed %d", seed), shown(stderr), got, times*len(sequences))
	}
}

// compare names the first difference and counts all.
func compare(t *testing.T, what string, want, got []string, n int) {
	t.Helper()
	if len(want) != n || len(got) != n {
		t.Fatalf("%s: pgbench showed %d values and we %d, of %d", what, len(want), len(got), n)
	}
	different := 0
	for i := range want {
		if want[i] != got[i] {
			if different == 0 {
				t.Errorf("%s: value %d (%s): pgbench %s, we %s", what, i, sequences[i%len(sequences)], want[i], got[i])
			}
			different++
		}
	}
	if different > 0 {
		t.Errorf("%s: %d of %d values differ", what, different, n)
	}
}

// TestClientsHaveTheStreamsOfPgbench runs several clients, each printing its number beside its draws.
func TestClientsHaveTheStreamsOfPgbench(t *testing.T) {
	p := newPgbench(t)
	const clients, times, base = 5, 20, 1000000
	text := "\\set x debug(:client_id * 1000000 + random(0, 999999))\n"
	stderr := p.run(t, text, "-c", fmt.Sprint(clients), "-j", "2", "-t", fmt.Sprint(times), "--random-seed=99")
	want := make([][]string, clients)
	for _, v := range shown(stderr) {
		var i int
		if _, err := fmt.Sscanf(v, "int %d", &i); err != nil {
			t.Fatal(err)
		}
		want[i/base] = append(want[i/base], v)
	}
	var got [][]string
	for number := range clients {
		values, err := ours(t, text, 99, number, times)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, values)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("draws by client (-pgbench +we):\n%s", diff)
	}
}
