package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// outline describes a script, one command a line.
func outline(s *script.Script) []string {
	var all []string
	for _, c := range s.Commands {
		line := fmt.Sprintf("%d %s", c.Line, c.Text)
		if c.Statement != nil {
			line = fmt.Sprintf("%d %q", c.Line, c.Statement.Text)
			if c.Statement.Gather != script.GatherNone {
				line += fmt.Sprintf(" gather %d %q", c.Statement.Gather, c.Statement.Prefix)
			}
		}
		all = append(all, line)
	}
	return all
}

func TestParseCutsWherePsqlCuts(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"two on a line", "SELECT 1; SELECT 2;", []string{`1 "SELECT 1;"`, `1 "SELECT 2;"`}},
		{"the last needs no semicolon", "SELECT 1;\n SELECT 2 \n", []string{`1 "SELECT 1;"`, `2 "SELECT 2 \n"`}},
		{"a statement over lines", "SELECT\n\n 1;\nSELECT 2;", []string{`1 "SELECT\n\n 1;"`, `4 "SELECT 2;"`}},
		{"comments before it go", "-- one; two\n\n -- three\nSELECT 1; -- end", []string{`4 "SELECT 1;"`}},
		{"comments in it stay", "SELECT -- ; '\n 1;", []string{`1 "SELECT -- ; '\n 1;"`}},
		{"nested comments", "SELECT /* ; /* ' */ ; */ 1; SELECT 2", []string{`1 "SELECT /* ; /* ' */ ; */ 1;"`,
			`1 "SELECT 2"`}},
		{"quotes", `SELECT 'a;b''c;', "d;e""f;"; SELECT 2`, []string{`1 "SELECT 'a;b''c;', \"d;e\"\"f;\";"`,
			`1 "SELECT 2"`}},
		{"a backslash in quotes", `SELECT 'a\'; SELECT 2`, []string{`1 "SELECT 'a\\';"`, `1 "SELECT 2"`}},
		{"escapes", `SELECT E'a\';b''\\', e'\'' ; SELECT 2`, []string{`1 "SELECT E'a\\';b''\\\\', e'\\'' ;"`,
			`1 "SELECT 2"`}},
		{"escapes go on", "SELECT E'a'\n 'b\\';c'; SELECT 2", []string{`1 "SELECT E'a'\n 'b\\';c';"`, `2 "SELECT 2"`}},
		{"no escapes after a name", `SELECT date'a\'; SELECT 2`, []string{`1 "SELECT date'a\\';"`, `1 "SELECT 2"`}},
		{"dollars", "SELECT $$a;'b$$, $x$;$y$;$x$; SELECT $1", []string{`1 "SELECT $$a;'b$$, $x$;$y$;$x$;"`,
			`1 "SELECT $1"`}},
		{"a dollar in a name", "SELECT a$b$; SELECT c$b$;", []string{`1 "SELECT a$b$;"`, `1 "SELECT c$b$;"`}},
		{"parentheses", "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3", []string{
			`1 "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);"`, `1 "SELECT 3"`}},
		{"a function body", "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 " +
			"END; END; SELECT 2", []string{
			`1 "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END;"`,
			`1 "SELECT 2"`}},
		{"a transaction is no body", "BEGIN; SELECT 1; END;", []string{`1 "BEGIN;"`, `1 "SELECT 1;"`, `1 "END;"`}},
		{"joined", `SELECT 1 \; SELECT 2\;SELECT 3 ; SELECT \:a`, []string{`1 "SELECT 1 ; SELECT 2;SELECT 3 ;"`,
			`1 "SELECT :a"`}},
		{"a lone semicolon", ";SELECT 1", []string{`1 ";"`, `1 "SELECT 1"`}},
		{"meta ends a statement", "SELECT 1 \\set x 1\nSELECT 2",
			[]string{`1 "SELECT 1 "`, `1 \set x 1`, `2 "SELECT 2"`}},
		{"gset", "SELECT 1 AS a \\gset\nSELECT 2 AS a; \\gset p_\nSELECT 3\\; SELECT 4 \\aset", []string{
			`1 "SELECT 1 AS a " gather 1 ""`, `2 "SELECT 2 AS a;" gather 1 "p_"`,
			`3 "SELECT 3; SELECT 4 " gather 2 ""`}},
		{"continued", "\\set x \\\n  1 + \\\r\n 2\nSELECT :x", []string{"1 \\set x \\\n  1 + \\\r\n 2",
			`4 "SELECT :x"`}},
		{"a word continued", "\\set\\\nx 1\n\\sleep 1\\\n ms", []string{"1 \\set\\\nx 1", "3 \\sleep 1\\\n ms"}},
		{"any case", "\\SET x 1\r\n\\Sleep 1 MS\n\\StartPipeline\n\\syncpipeline\n\\EndPipeline", []string{
			`1 \SET x 1`, `2 \Sleep 1 MS`, `3 \StartPipeline`, `4 \syncpipeline`, `5 \EndPipeline`}},
		{"a lone backslash", "SELECT 1 \\\n SELECT 2", []string{`1 "SELECT 1 "`, `2 "SELECT 2"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := script.NewSet().Parse("x.sql", test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outline(s)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariablesAreReplacedWherePgbenchDoes(t *testing.T) {
	const text = `SELECT :a, ':a', "x:b", :a::int, x::a, a:b, :1, :no, : a, :::a, :é -- :a`
	set := script.NewSet()
	s, err := set.Parse("x.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	vars := set.NewVars()
	for name, value := range map[string]script.Value{"a": script.Int(7), "b": script.Double(0.5), "é": script.Null()} {
		if err := vars.DefineValue(name, value); err != nil {
			t.Fatal(err)
		}
	}
	st := s.Commands[0].Statement
	wantSimple := `SELECT 7, '7', "x0.5", 7::int, x::a, a0.5, :1, :no, : a, :::a, NULL -- 7`
	if diff := cmp.Diff(wantSimple, string(st.AppendSimple(nil, vars))); diff != "" {
		t.Errorf("simple (-want +got):\n%s", diff)
	}
	wantQuery := `SELECT $1, '$2', "x$3", $4::int, x::a, a$5, :1, $6, : a, :::a, $7 -- $8`
	if diff := cmp.Diff(wantQuery, st.Query); diff != "" {
		t.Errorf("extended (-want +got):\n%s", diff)
	}
	var params []string
	for _, slot := range st.Params {
		params = append(params, set.Names()[slot])
	}
	if diff := cmp.Diff([]string{"a", "a", "b", "a", "b", "no", "é", "a"}, params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

func TestExtendedTakes255Variables(t *testing.T) {
	for _, test := range []struct {
		n  int
		ok bool
	}{{255, true}, {256, false}} {
		s, err := script.NewSet().Parse("x.sql", "SELECT "+strings.Repeat(":a,", test.n))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commands[0].Statement.Extended(); (err == nil) != test.ok {
			t.Errorf("%d variables: %v", test.n, err)
		}
	}
}

func TestReportsShowOneShortLine(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT\n1;":                            "SELECT",
		"SELECT 1;\r\n":                         "SELECT 1;",
		strings.Repeat("x", 200):                strings.Repeat("x", 127),
		strings.Repeat("x", 126) + "é is a cut": strings.Repeat("x", 126),
	} {
		s, err := script.NewSet().Parse("x.sql", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Commands[0].Text); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
