package script_test

import (
	"errors"
	"testing"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// fuzzEnv returns a client whose variables all have a value.
func fuzzEnv(set *script.Set) *script.Env {
	vars := set.NewVars()
	for slot := range set.Names() {
		vars.SetValue(slot, []script.Value{script.Int(3), script.Double(1.5), script.Null(), script.Bool(true)}[slot%4])
	}
	r := script.NewRandom(1)
	return &script.Env{Vars: vars, Random: &r, Row: 1}
}

// FuzzParse looks for scripts that make the parser panic, or fail without naming the place.
func FuzzParse(f *testing.F) {
	for _, test := range append(rejected, refused...) {
		f.Add(test.text)
	}
	for _, b := range script.Builtins() {
		f.Add(b.Text)
	}
	f.Add("SELECT E'a'\n 'b\\';c', $x$;$x$, \"a\"\"b\" /* /* */ */ -- x\n; \\; SELECT 1 \\gset p")
	f.Add("\\copy_rows t(a, \"b c\") rows :n values (:row, repeat('x', 3)) format binary\n\\sleep 1ms\n\\if " +
		"1\n\\else\n\\endif")
	f.Fuzz(func(t *testing.T, text string) {
		set := script.NewSet()
		s, err := set.Parse("x.sql", text)
		if err != nil {
			if e, ok := errors.AsType[*script.ParseError](err); !ok || e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Fatalf("error without a place: %#v", err)
			}
			return
		}
		env := fuzzEnv(set)
		for i := range s.Commands {
			runAnything(t, s, i, env)
		}
	})
}

// runAnything calls everything that an engine may call for a command, whether or not it would reach it.
func runAnything(t *testing.T, s *script.Script, i int, env *script.Env) {
	switch c := &s.Commands[i]; c.Kind {
	case script.KindSQL:
		c.Statement.AppendSimple(nil, env.Vars)
	case script.KindSet:
		_ = c.Assignment.Run(env)
	case script.KindSleep:
		_, _ = c.Sleep.Duration(env.Vars)
	case script.KindIf, script.KindElif, script.KindElse, script.KindEndif:
		if next, err := s.Branch(env, i); err == nil && (next <= i || next > len(s.Commands)) {
			t.Fatalf("command %d of %d branches to %d", i, len(s.Commands), next)
		}
	case script.KindCopyRows, script.KindInsertRows:
		_, _ = c.Rows.NumberOf(env)
		for _, item := range c.Rows.Items {
			if item.Expr != nil {
				_, _ = item.Expr.Eval(env)
			}
		}
	}
}

// FuzzEval looks for expressions whose evaluation panics or is not repeatable.
func FuzzEval(f *testing.F) {
	for _, e := range fuzzSeeds {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		set := script.NewSet()
		s, err := set.Parse("x.sql", "\\set x "+expression)
		if err != nil || s.Commands[0].Kind != script.KindSet {
			return
		}
		e := s.Commands[0].Assignment.Expr
		first, err1 := e.Eval(fuzzEnv(set))
		again, err2 := e.Eval(fuzzEnv(set))
		if first != again || (err1 == nil) != (err2 == nil) {
			t.Fatalf("%v, %v and then %v, %v", first, err1, again, err2)
		}
		if err1 == nil && len(first.AppendText(nil)) == 0 {
			t.Fatalf("%v has no text", first)
		}
	})
}

var fuzzSeeds = []string{
	`random(1, 100000 * :scale)`, `case when :a > 1 then -1 else ~:b end`, `1 << :a | 2 # 3 & 4`,
	`not :x is not null and :y or :z`,
	`permute(:a, :b, 3)`, `hash(:a)`, `random_zipfian(1, :a, 1.001)`, `random_gaussian(1, 10, 1e308 * 10)`,
	`least(1, :b, 2.5)`,
	`int(1e18) / -1 % :a`, `-9223372036854775808 / :a`, `random_exponential(:a, 99, 0.1)`,
	`debug(sqrt(ln(exp(pow(pi(), 2)))))`,
	`:a >= 1.5e3 <> false`, `(((1)))`, `1e400`, `abs(, :a)`,
}
