package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// eval evaluates one expression with the given variables.
func eval(t *testing.T, expression string, texts map[string]string) (script.Value, error) {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("x.sql", `\set result `+expression)
	if err != nil {
		t.Fatal(err)
	}
	vars, r := set.NewVars(), script.NewRandom(1)
	for name, text := range texts {
		if err := vars.Define(name, text); err != nil {
			t.Fatal(err)
		}
	}
	return s.Commands[0].Assignment.Expr.Eval(&script.Env{Vars: vars, Random: &r})
}

func TestTextsBecomeValues(t *testing.T) {
	for text, want := range map[string]string{
		"1": "int 1", "-5": "int -5", "+5": "int 5", " 7": "int 7", "123456789012345678": "int 123456789012345678",
		"9223372036854775807": "int 9223372036854775807", "1.5": "double 1.5", "1e3": "double 1000",
		"inf":  "double Infinity",
		"0x10": "double 16", "0": "int 0", "0.0": "double 0", "null": "null", "NULL": "null", "t": "boolean true",
		"yes": "boolean true", "on": "boolean true", "f": "boolean false", "n": "boolean false", "of": "boolean false",
	} {
		got, err := eval(t, ":v", map[string]string{"v": text})
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestTextsThatAreNoValues(t *testing.T) {
	for text, want := range map[string]string{
		"":                    `variable "v": empty value`,
		"o":                   `variable "v": malformed value "o"`,
		"trueish":             `variable "v": malformed value "trueish"`,
		"5 ":                  `variable "v": malformed value "5 "`,
		"9223372036854775808": `variable "v": value "9223372036854775808" is out of range for type bigint`,
		"-":                   `variable "v": invalid input syntax for type bigint: "-"`,
	} {
		_, err := eval(t, ":v + 1", map[string]string{"v": text})
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if _, err := eval(t, ":w", nil); err == nil || err.Error() != `undefined variable "w"` {
		t.Errorf("undefined: %v", err)
	}
}

// TestGuardsWherePgbenchHasNone: values for which pgbench reads undefined memory or never ends.
func TestGuardsWherePgbenchHasNone(t *testing.T) {
	for expression, want := range map[string]string{
		"abs(true)":                           "cannot coerce boolean to double",
		"random_zipfian(1, 9, sqrt(-1))":      "zipfian parameter must be in range [1.001, 1000] (not NaN)",
		"random_gaussian(1, 9, sqrt(-1))":     "gaussian parameter must be at least 2.000000 (not NaN)",
		"random_gaussian(1, 9, 1e308 * 10)":   "gaussian parameter must be at least 2.000000 (not Infinity)",
		"random_exponential(1, 9, 0.0 / 0.0)": "exponential parameter must be greater than zero (not NaN)",
	} {
		if _, err := eval(t, expression, nil); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", expression, err, want)
		}
	}
}

func TestDefineChecksNames(t *testing.T) {
	set := script.NewSet()
	if _, err := set.Parse("x.sql", "SELECT :a"); err != nil {
		t.Fatal(err)
	}
	vars := set.NewVars()
	for name, ok := range map[string]bool{"a": true, "unused_1": true, "é": true, "1a": false, "": false,
		"?column?": false} {
		if err := vars.Define(name, "1"); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCloneIsApart(t *testing.T) {
	set := script.NewSet()
	s, err := set.Parse("x.sql", ":a :b :c")
	if err != nil {
		t.Fatal(err)
	}
	first := set.NewVars()
	first.SetText(0, "one")
	first.SetValue(1, script.Int(2))
	second := first.Clone()
	first.SetText(0, "ONE")
	first.SetValue(1, script.Int(3))
	if got := string(s.Commands[0].Statement.AppendSimple(nil, second)); got != "one 2 :c" {
		t.Errorf("the copy says %q", got)
	}
}

func TestSleepTakesItsTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1": time.Second, "2 s": 2 * time.Second, "3 MS": 3 * time.Millisecond, "4us": 4 * time.Microsecond, "-5": 0,
		":five ms": 5 * time.Millisecond, ":half": 0, ":trailing us": 7 * time.Microsecond, ":five": 5 * time.Second,
	} {
		set := script.NewSet()
		s, err := set.Parse("x.sql", `\sleep `+text)
		if err != nil {
			t.Fatal(err)
		}
		vars := set.NewVars()
		for name, value := range map[string]string{"five": "5", "half": "0.5", "trailing": " 7x"} {
			if err := vars.Define(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Commands[0].Sleep.Duration(vars); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestSleepNeedsANumber(t *testing.T) {
	for text, want := range map[string]string{
		":no": `undefined variable "no"`, ":word": `invalid sleep time "x" in variable "word"`,
		"9223372036854775807 s": `sleep time 9223372036854775807 is too long`,
	} {
		set := script.NewSet()
		s, err := set.Parse("x.sql", `\sleep `+text)
		if err != nil {
			t.Fatal(err)
		}
		vars := set.NewVars()
		if err := vars.Define("word", "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commands[0].Sleep.Duration(vars); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestErrorsNameTheCommand(t *testing.T) {
	set := script.NewSet()
	s, err := set.Parse("x.sql", "SELECT 1;\n\\if 1 / 0\n\\endif")
	if err != nil {
		t.Fatal(err)
	}
	r := script.NewRandom(1)
	_, err = s.Branch(&script.Env{Vars: set.NewVars(), Random: &r}, 1)
	if diff := cmp.Diff(`x.sql:2: \if 1 / 0: division by zero`, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestFindBuiltinByPrefix(t *testing.T) {
	for prefix, want := range map[string]string{"tpcb-like": "tpcb-like", "t": "tpcb-like", "si": "simple-update",
		"se": "select-only"} {
		if b, err := script.FindBuiltin(prefix); err != nil || b.Name != want {
			t.Errorf("%s: %s, %v", prefix, b.Name, err)
		}
	}
	for prefix, want := range map[string]string{
		"x": `no built-in script found for name "x"; use one of tpcb-like, simple-update, select-only`,
		"s": `2 built-in scripts found for prefix "s"; use one of tpcb-like, simple-update, select-only`,
	} {
		if _, err := script.FindBuiltin(prefix); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", prefix, err, want)
		}
	}
}

func TestSplitWeight(t *testing.T) {
	for argument, want := range map[string]struct {
		name   string
		weight int
	}{"a.sql": {"a.sql", 1}, "a.sql@3": {"a.sql", 3}, "a@b.sql@0": {"a@b.sql", 0}, "-@2": {"-", 2}} {
		if name, weight, err := script.SplitWeight(argument); err != nil || name != want.name || weight != want.weight {
			t.Errorf("%s: %s, %d, %v", argument, name, weight, err)
		}
	}
	for _, argument := range []string{"a@", "a@x", "a@-1", "a@2147483648", "a@1.5"} {
		_, _, err := script.SplitWeight(argument)
		if err == nil || !strings.HasPrefix(err.Error(), `invalid weight "`) {
			t.Errorf("%s: %v", argument, err)
		}
	}
}
