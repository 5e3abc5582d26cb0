//go:build unix

package script_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// expressions hold special cases; product adds every operator with every kind of operand.
var expressions = []string{
	// precedence
	`1 + 2 * 3`, `(1 + 2) * 3`, `10 - 4 - 3`, `100 / 7 / 2`, `2 * 3 % 4`, `-3 * -2`, `- - 5`, `+ + 7`,
	`-2 + 3`, `1 - -1`,
	`1 + 2 << 3`, `1 << 2 + 3`, `1 | 2 & 3`, `6 & 3 | 8`, `1 # 3 << 1`, `~ 1 + 2`, `~ 5 | 3`, `2 * ~ 3 + 4`, `~ ~ 9`,
	`1 + 1 = 2`, `not 1 = 2`, `not not true`, `not true and false`, `not (true and false)`,
	`true or false and false`, `(true or false) and false`, `1 = 1 and 2 = 2 or 3 = 4`, `1 < 2 is true`,
	`not null is null`,
	`1 + null is null`, `3 > 2 and not 2 > 3`, `5 = not true`, `1 is null is null`, `null isnull notnull`,
	`1 = 2 or null`, `5 % 3 * 2`, `-5 % 3`, `5 % -3`, `-7 / 2`, `7 / -2`, `- 9223372036854775808`,
	`-9223372036854775808 + 1`,
	`1 <> 2`, `1 != 1`, `1>=1`, `1<=0`, `2>1`, `1<<62`, `-1>>63`, `1<<64`, `1<<65`, `1 << -1`, `8 >> -1`,
	`true is not false`,
	`null is not null`, `null is true`, `1 is true`, `0 is false`, `1.0 is null`, `true is true`, `TRUE AND Not FALSE`,
	// constants
	`0`, `007`, `9223372036854775807`, `1.`, `.5`, `1e3`, `1.5E-3`, `2e+2`, `123456789.123456789`, `0.1 + 0.2`,
	`1e22`, `1e15`,
	`1e14`, `123456789012345678.0`, `1e-4`, `1e-5`, `0.00001234`, `100000.0`, `1000000.0`, `12345678901234.5`,
	`1e308`, `-0.0`,
	`0.0 * -1`, `1e308 * 10`, `-1e308 * 10`, `1e308 * 10 - 1e308 * 10`, `1.0 / 0`, `-1.0 / 0`, `0.0 / 0.0 = 0.0 / 0.0`,
	`2.2250738585072014e-308`,
	// null
	`null`, `null + 1`, `null and false`, `false and null`, `true and null`, `null or true`, `true or null`,
	`false or null`,
	`not null`, `null = null`, `greatest(1, null, 3)`, `least(null)`, `abs(null)`, `null + true`, `null / 0`,
	`- null`, `~ null`,
	// case
	`case when true then 1 end`, `case when false then 1 end`, `case when false then 1 else 2 end`,
	`case when null then 1 else 2 end`, `case when 0 then 1 when 1 then 2 else 3 end`,
	`case when 0.0 then 1 when 0.5 then 2 end`,
	`CASE WHEN 1 < 2 THEN NULL IS NULL ELSE 1 END`, `case when true then 5 else 1 / 0 end`,
	`case when true then 1 end + 1`,
	`case when case when true then false end then 1 else 2 end`, `true or 1 / 0 = 1`, `false and 1 / 0 = 1`,
	// functions
	`abs(-5)`, `abs(5.5)`, `abs(-0.5)`, `abs(-9223372036854775808)`, `ABS(-1)`, `double(5)`, `double(0.5)`,
	`int(2.5)`, `int(3.5)`,
	`int(-2.5)`, `int(2.4999999)`, `int(1e18)`, `int(-9223372036854775808.0)`, `int(7)`, `pi()`, `pi() * 2`,
	`sqrt(2)`, `sqrt(16)`,
	`sqrt(-1)`, `sqrt(-1) > 0`, `ln(10)`, `ln(1)`, `ln(0)`, `ln(-1)`, `exp(1)`, `exp(0)`, `exp(1000)`, `exp(-1000)`,
	`pow(2, 10)`,
	`power(2.0, 0.5)`, `pow(0, 0)`, `pow(-8, 1.0 / 3)`, `pow(10, 400)`, `mod(7, 3)`, `mod(-7, 3)`, `mod(7.5, 2)`,
	`mod(5, -1)`,
	`mod(-9223372036854775808, -1)`, `5.5 % 2`, `greatest(1, 2, 3)`, `least(3, 1, 2)`, `greatest(1, 2.5)`,
	`least(1, 2.5)`,
	`greatest(5)`, `least(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)`, `greatest(9007199254740993, 1.0)`,
	`greatest(sqrt(-1), 1)`, `greatest(1, sqrt(-1))`, `least(sqrt(-1), 1)`, `least(1, sqrt(-1))`,
	`debug(1) + debug(2.5)`, `debug(null)`, `debug(true)`, `hash(10)`, `hash(10, 5432)`, `hash(-1, -1)`, `hash(0)`,
	`hash(10.4)`,
	`hash_fnv1a(10)`, `hash_fnv1a(10, 5432)`, `hash_fnv1a(-1, 0)`, `hash_murmur2(10, 5432)`, `hash(null)`,
	`hash(1, null)`,
	`permute(0, 1)`, `permute(0, 2)`, `permute(1, 2, 5432)`, `permute(0, 20, 5432)`,
	`permute(5, 9223372036854775807, 1)`,
	`permute(-5, 10)`, `permute(15, 10)`, `permute(0, 4611686018427387904)`, `permute(1.4, 10.2)`, `permute(null, 1)`,
	`random(1, 10)`, `random(5, 5)`, `random(1.4, 2.6)`, `random(null, 1)`, `random_zipfian(1, 10, 1.001)`,
	`random_gaussian(1, 10, 2)`, `random_exponential(1, 10, 0.0001)`, `random(-9223372036854775808, -2)`,
	`random_gaussian(1, null, 1)`,
	`abs(, 3)`, `least(,2, 1)`,
	// variables
	`:scale`, `:client_id`, `:default_seed`, `:random_seed`, `:scale+:scale`, `:scale*100000`, `-:scale`, `:t`,
	`:i + 1`, `:d * 2`,
	`:n is null`, `not :f`, `:y and :on`, `:neg - 1`, `:plus`, `:sp + 1`, `:hex`, `:inf`, `:inf - :inf = 0`, `:off`,
	`:of`, `:ye`, `:NO`,
	// errors
	`1 / 0`, `1 % 0`, `mod(1, 0)`, `9223372036854775807 + 1`, `-9223372036854775808 - 1`, `9223372036854775807 * 2`,
	`-9223372036854775808 / -1`, `- (-9223372036854775808)`, `3037000500 * 3037000500`, `int(1e19)`,
	`int(9223372036854775808.0)`,
	`int(sqrt(-1))`, `int(-1e308 * 10)`, `1 and true`, `true and 1`, `not 1`, `not 1.5`, `true + 1`, `true + 1.5`,
	`- true`, `~ true`,
	`true = 1`, `true < false`, `greatest(true, 1)`, `greatest(true, 1.5)`, `least(1, true)`, `sqrt(true)`, `int(true)`,
	`double(false)`,
	`ln(true)`, `pow(true, 2)`, `1 | true`, `1.5 | 1e19`, `null and 1`, `false or 1`, `1 or true`, `1.5 or true`,
	`random(2, 1)`, `random(0, 9223372036854775807)`, `random(-9223372036854775808, 9223372036854775807)`,
	`random(-1, 9223372036854775806)`,
	`random(true, 2)`, `random_gaussian(1, 10, 1.9)`, `random_gaussian(1, 10, true)`, `random_exponential(1, 10, 0)`,
	`random_exponential(1, 10, -1.5)`, `random_zipfian(1, 10, 1)`, `random_zipfian(1, 10, 1000.5)`,
	`random_zipfian(1, 10, 1e308 * 10)`,
	`permute(0, 0)`, `permute(0, -1)`, `permute(true, 1)`, `hash(true)`, `hash(1, true)`, `:nosuch`, `:1`,
	`:nosuch + true`, `:bad`, `:o`,
	`:big`, `:under`, `:tiny`, `:blank`, `:sign`, `debug(1 / 0)`, `case when 1 / 0 then 1 end`,
}

// given holds variables as texts, as -D sets them.
var given = map[string]string{
	"t": "t", "i": "41", "d": "1.25", "n": "NULL", "f": "false", "y": "y", "on": "On", "neg": "-12", "plus": "+5",
	"sp":  "  17",
	"hex": "0x10", "inf": "inf", "off": "off", "of": "of", "ye": "YE", "NO": "No",
	"bad": "abc", "o": "o", "big": "9223372036854775808", "under": "1_000", "tiny": "1e-310",
	"blank": "5 ", "sign": "-",
}

// product returns every binary operator with operands of every kind.
func product() []string {
	operands := []string{"0", "(-1)", "2.5", "1e300", "9223372036854775807", "(-9223372036854775808)", "null", "true"}
	operators := []string{"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "=", "<>", "&", "|", "#", "<<",
		">>", "and", "or"}
	var all []string
	for _, a := range operands {
		for _, b := range operands {
			for _, op := range operators {
				all = append(all, a+" "+op+" "+b)
			}
		}
	}
	return all
}

// outcome is the result of an expression: debug()'s output, or an error.
type outcome struct {
	Shown []string
	Error string
}

// mark precedes an expression in a client's output, to identify it.
const mark = 7000000

// withMarks returns a script that evaluates expressions in order. With clientForEach, every client evaluates its own,
// so that an error does not hide later ones.
func withMarks(expressions []string, clientForEach bool) string {
	var b strings.Builder
	for i, e := range expressions {
		command := fmt.Sprintf("\\set before debug(%d)\n\\set x debug(%s)\n", mark+i, e)
		if clientForEach {
			command = fmt.Sprintf("\\if :client_id = %d\n%s\\endif\n", i, command)
		}
		b.WriteString(command)
	}
	return b.String()
}

// evaluate runs a withMarks script here, as one of the clients.
func evaluate(t *testing.T, text string, number, clients int) string {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("script.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	env, out := client(t, set, 7, number, clients)
	env.Where = "debug(script=0,command=0): "
	for name, text := range given {
		if err := env.Vars.Define(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := walk(s, env); err != nil {
		fmt.Fprintf(out, "pgbench: error: %v\n", err)
	}
	return out.String()
}

func defines() []string {
	args := []string{"--random-seed=7", "-t", "1"}
	for name, text := range given {
		args = append(args, "-D", name+"="+text)
	}
	return args
}

func TestExpressionsEvaluateAsInPgbench(t *testing.T) {
	p := newPgbench(t)
	var failing, succeeding []string
	for _, e := range append(product(), expressions...) {
		if strings.Contains(evaluate(t, withMarks([]string{e}, false), 0, 1), "error") {
			failing = append(failing, e)
		} else {
			succeeding = append(succeeding, e)
		}
	}
	t.Logf("%d values and %d errors", len(succeeding), len(failing))
	text := withMarks(succeeding, false)
	compareOutcomes(t, succeeding, p.run(t, text, defines()...), evaluate(t, text, 0, 1))
	const perRun = 90 // as many clients as a server takes by default
	for batch := range slices.Chunk(failing, perRun) {
		text := withMarks(batch, true)
		var got strings.Builder
		for i := range batch {
			got.WriteString(evaluate(t, text, i, len(batch)))
		}
		compareOutcomes(t, batch, p.run(t, text, append(defines(), "-c", fmt.Sprint(len(batch)))...), got.String())
	}
}

func compareOutcomes(t *testing.T, expressions []string, pgbench, ours string) {
	t.Helper()
	want, got := outcomes(pgbench, len(expressions)), outcomes(ours, len(expressions))
	for i, e := range expressions {
		if !sameOutcome(e, want[i], got[i]) {
			t.Errorf("%s: (-pgbench +we):\n%s", e, cmp.Diff(want[i], got[i]))
		}
	}
}

var (
	debugLine = regexp.MustCompile(`^debug\(script=\d+,command=\d+\): (.*)$`)
	markLine  = regexp.MustCompile(`^int 700(\d\d\d\d)$`)
	errorLine = regexp.MustCompile(`^pgbench: error: (.*)$`)
	abortLine = regexp.MustCompile(`^pgbench: error: (client \d+ aborted|Run was aborted)`)
)

// outcomes groups the output of a withMarks script by expression. Clients take turns between expressions.
func outcomes(stderr string, n int) []outcome {
	all := make([]outcome, n)
	current := &outcome{}
	for line := range strings.Lines(stderr) {
		line = strings.TrimSuffix(line, "\n")
		if m := debugLine.FindStringSubmatch(line); m != nil {
			if mark := markLine.FindStringSubmatch(m[1]); mark != nil {
				i, _ := strconv.Atoi(mark[1])
				current = &all[i]
				continue
			}
			current.Shown = append(current.Shown, m[1])
		} else if m := errorLine.FindStringSubmatch(line); m != nil && !abortLine.MatchString(line) &&
			current.Error == "" {
			current.Error = m[1]
		}
	}
	return all
}

// numberShown is the number in an overflow. pgbench shows 300 digits of it, we show 15.
var numberShown = regexp.MustCompile(`^(double to int overflow for).*`)

// libraryFunction matches expressions whose last digit depends on the C library.
var libraryFunction = regexp.MustCompile(`\b(ln|exp|pow|power)\(`)

func sameOutcome(expression string, want, got outcome) bool {
	if i := strings.Index(got.Error, `": `); strings.HasPrefix(got.Error, "variable ") && i > 0 {
		got.Error = got.Error[i+3:] // we name the variable
		if strings.HasPrefix(want.Error, "malformed variable") && strings.HasPrefix(got.Error, "malformed value") {
			got.Error = want.Error
		}
	}
	want.Error, got.Error = numberShown.ReplaceAllString(want.Error, "$1"),
		numberShown.ReplaceAllString(got.Error, "$1")
	if cmp.Equal(want, got) {
		return true
	}
	if !libraryFunction.MatchString(expression) || want.Error != got.Error || len(want.Shown) != len(got.Shown) {
		return false
	}
	for i := range want.Shown {
		if !close15(want.Shown[i], got.Shown[i]) {
			return false
		}
	}
	return true
}

// close15 allows a difference of one in the last of 15 digits.
func close15(a, b string) bool {
	x, err1 := strconv.ParseFloat(strings.TrimPrefix(a, "double "), 64)
	y, err2 := strconv.ParseFloat(strings.TrimPrefix(b, "double "), 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-14*math.Abs(x)
}

func TestPgbenchRejectsWhatWeReject(t *testing.T) {
	p := newPgbench(t)
	for _, test := range rejected {
		stderr := p.run(t, test.text, "-t", "1")
		if !strings.Contains(stderr, "error: ") || strings.Contains(stderr, "aborted") {
			t.Errorf("%q: pgbench takes it: %s", test.text, stderr)
		}
	}
}
