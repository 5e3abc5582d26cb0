//go:build unix

package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// These tests run the same script in pgbench and here. pgbench shows values and their types by debug().

// shown returns the values that debug() printed, without its prefix.
func shown(stderr string) []string {
	var values []string
	for _, m := range regexp.MustCompile(`(?m)^debug\(script=\d+,command=\d+\): (.*)$`).FindAllStringSubmatch(stderr,
		-1) {
		values = append(values, m[1])
	}
	return values
}

// client returns the environment of one client of a run with that seed.
func client(t *testing.T, set *script.Set, seed uint64, number, clients int) (*script.Env, *strings.Builder) {
	t.Helper()
	streams := script.Derive(seed, clients, 1, false)
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

// ours runs the \set and \if commands of a script that many times, and returns debug()'s output.
func ours(t *testing.T, text string, seed uint64, number, clients, times int) ([]string, error) {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("script.sql", text)
	if err != nil {
		return nil, err
	}
	env, out := client(t, set, seed, number, clients)
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

// walk runs a script without sending anything.
func walk(s *script.Script, env *script.Env) error {
	return send(s, env, func(*script.Statement) {})
}

// send runs a script and passes its statements to statement.
func send(s *script.Script, env *script.Env, statement func(*script.Statement)) (err error) {
	for i := 0; i < len(s.Commands) && err == nil; {
		switch c := &s.Commands[i]; c.Kind {
		case script.KindIf, script.KindElif, script.KindElse, script.KindEndif:
			i, err = s.Branch(env, i)
			continue
		case script.KindSet:
			err = c.Assignment.Run(env)
		case script.KindSQL:
			statement(c.Statement)
		}
		i++
	}
	return err
}

// sequences are random expressions, each drawn many times.
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
		got, err := ours(t, b.String(), seed, 0, 1, times)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, fmt.Sprintf("seed %d", seed), shown(stderr), got, times*len(sequences))
	}
}

// compare reports the first difference and the number of differences.
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
	stderr := p.run(t, text, "-c", fmt.Sprint(clients), "-t", fmt.Sprint(times), "--random-seed=99")
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
		values, err := ours(t, text, 99, number, clients, times)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, values)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("draws by client (-pgbench +we):\n%s", diff)
	}
}

func TestScriptsAreChosenAsByPgbench(t *testing.T) {
	p := newPgbench(t)
	const times = 300
	second := filepath.Join(t.TempDir(), "second.sql")
	if err := os.WriteFile(second, []byte("\\set x debug(1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	stderr := p.run(t, "\\set x debug(0)\n", "-f", second+"@3", "-f", second+"@0", "-t", fmt.Sprint(times),
		"--random-seed=5")
	choose := script.Derive(5, 1, 1, false).Threads[0].Choose
	var got []string
	for range times {
		got = append(got, fmt.Sprintf("int %d", choose.Choose([]int{1, 3, 0})))
	}
	if diff := cmp.Diff(shown(stderr), got); diff != "" {
		t.Errorf("choices (-pgbench +we):\n%s", diff)
	}
}

func TestBuiltinsArePgbenchs(t *testing.T) {
	p := newPgbench(t)
	for _, b := range script.Builtins() {
		want := p.run(t, "SELECT 1", "--show-script="+b.Name)
		if got := fmt.Sprintf("-- %s: %s\n%s\n", b.Name, b.Description, b.Text); got != want {
			t.Errorf("%s (-pgbench +we):\n%s", b.Name, cmp.Diff(want, got))
		}
	}
}

// sentTexts run without an error on an empty database. None ends in a variable, beyond which pgbench would read.
var sentTexts = []string{
	"SELECT 1; SELECT 2;",
	"SELECT 1;\n SELECT 2 \n",
	"-- one; two\n\n -- three\nSELECT 1; -- end",
	"SELECT -- ; '\n 1;\n/* a ; /* ' */ b */ SELECT 2 /* c */",
	`SELECT 'a;b''c;' AS "d;e""f;"; SELECT 2`,
	`SELECT 'a\'; SELECT E'a\';b''\\', e'\'' ; SELECT 2`,
	"SELECT E'a'\n 'b\\';c'; SELECT E'x' -- ;\n  'b\\';c'; SELECT 'a'\n'b'; SELECT E'a''b\\';c'; SELECT 2",
	`SELECT date'2020-01-01'; SELECT B'01', X'1F', N'a;', U&'d\0061;', U&"d\0061;" FROM (SELECT 1 AS "da;") x`,
	"SELECT $$a;'b$$, $x$;$y$;$x$, $x$ $$;$$ $x$; SELECT 2",
	"SELECT 1 AS a$b$; SELECT 2 AS c$b$",
	"SELECT (1 \n); SELECT ((2)); SELECT 1-(-1); SELECT 1 -/* ; */- 1",
	"DO $do$ BEGIN PERFORM 1; END; $do$; SELECT 1",
	"CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; SELECT 2",
	"BEGIN; CREATE PROCEDURE p(a int, b int) BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 3; ROLLBACK",
	`SELECT 1 \; SELECT 2\;SELECT 3 ; SELECT '5'\:\:int; ;`,
	"SELECT 1 \\set x 1\nSELECT :x;",
	"SELECT 1 AS a \\gset\nSELECT 2 AS a; \\gset p_\nSELECT :p_a AS c\\; SELECT 4 AS b \\aset q\nSELECT :qb, :a;",
	"\\set x \\\n  1 + \\\r\n 2\nSELECT :x;\\set\\\ny 5\r\n\\sleep 1\\\n us\nSELECT :y \\\n SELECT 2",
	"\\set x 1\n\\if :x = 1\nSELECT 1;\n\\elif 1/0\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\nSELECT 4",
	"\\if 0\n\\if 1\nSELECT 1;\n\\else\nSELECT 2;\n\\endif\n\\elif null\nSELECT 3;\n\\elif 2\nSELECT " +
		"4;\n\\else\nSELECT 5;\n\\endif",
	"\\if 0\nSELECT 1;\n\\else\n\\if false\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\n\\endif\n\\if 0\n\\endif\nSELECT 4",
	`SELECT ':scale', ':nosuch', 1::int, 'x::scale', 'x:scale', ':1', ': scale', ':::scale' -- :scale :`,
	"\\set a null\n\\set b true\n\\set c 0.1 + 0.2\n\\set d 1e20\n\\set e -5\n\\set f 1.0/0\nSELECT ':a :b :c :d :e " +
		":f', :a, :b, :c, :d, :e;",
	`SELECT ':t:i :d';SELECT ':n'`,
	"\\set i :i + 1\n\\set t not :t\nSELECT ':t:i :d'",
}

func TestStatementsAreSentAsByPgbench(t *testing.T) {
	p := newPgbench(t)
	for _, text := range sentTexts {
		args := []string{"-t", "1", "--debug"}
		for _, name := range []string{"t", "i", "d", "n"} {
			args = append(args, "-D", name+"="+given[name])
		}
		stderr := p.run(t, text, args...)
		if strings.Contains(stderr, "pgbench: error") {
			t.Errorf("%s: pgbench did not run this: %s", text, stderr)
		}
		if diff := cmp.Diff(sentIn(stderr), sendable(t, text)); diff != "" {
			t.Errorf("%s: statements (-pgbench +we):\n%s", text, diff)
		}
	}
}

func TestParametersAreNumberedAsByPgbench(t *testing.T) {
	p := newPgbench(t)
	for _, text := range []string{
		"SELECT :scale, ':scale', :nosuch, 1::int, 'x::scale', 'x:scale', ':1', ': scale', ':::scale' -- :client_id ;",
		`SELECT :a:b,:c/*:d*/+":e";`,
		"SELECT " + strings.Repeat(":scale::int + ", 254) + ":scale;",
	} {
		set, err := script.NewSet().Parse("x.sql", text)
		if err != nil {
			t.Fatal(err)
		}
		stderr := p.run(t, text, "-t", "1", "--debug", "-M", "extended") // the server may reject it
		if diff := cmp.Diff(sentIn(stderr), []string{set.Commands[0].Statement.Query}); diff != "" {
			t.Errorf("%s: query (-pgbench +we):\n%s", text, diff)
		}
	}
	text := "SELECT " + strings.Repeat(":scale::int + ", 255) + ":scale;"
	if stderr := p.run(t, text, "-t", "1", "-M", "extended"); !strings.Contains(stderr, "too many arguments") {
		t.Errorf("pgbench takes 256 variables: %s", stderr)
	}
}

// sentIn returns the statements that pgbench says it sent.
func sentIn(stderr string) []string {
	var sent []string
	for _, m := range regexp.MustCompile(`(?s)pgbench: client 0 sending (.*?)\npgbench: client 0 receiving`).
		FindAllStringSubmatch(stderr, -1) {
		sent = append(sent, m[1])
	}
	return sent
}

// sendable returns the statements that an engine would send.
func sendable(t *testing.T, text string) []string {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("x.sql", text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	env, _ := client(t, set, 7, 0, 1)
	for name, text := range given {
		if err := env.Vars.Define(name, text); err != nil {
			t.Fatal(err)
		}
	}
	var sent []string
	err = send(s, env, func(st *script.Statement) {
		// pgbench's log drops one newline.
		sent = append(sent, strings.TrimSuffix(string(st.AppendSimple(nil, env.Vars)), "\n"))
		answer(t, st, env.Vars)
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return sent
}

// answer sets the variables of \gset and \aset as a server would, for columns written as: 1 AS a.
func answer(t *testing.T, st *script.Statement, vars *script.Vars) {
	t.Helper()
	if st.Gather == script.GatherNone {
		return
	}
	for _, m := range regexp.MustCompile(`(\d+) AS (\w+)`).FindAllStringSubmatch(st.Text, -1) {
		if err := vars.Define(st.Prefix+m[2], m[1]); err != nil {
			t.Fatal(err)
		}
	}
}
