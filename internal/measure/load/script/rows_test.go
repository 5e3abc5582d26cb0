package script_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// generated returns the first command, and its rows as text.
func generated(t *testing.T, text string) (*script.Rows, []string) {
	t.Helper()
	set := script.NewSet()
	s, err := set.Parse("x.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	env := &script.Env{Vars: set.NewVars(), Random: new(script.NewRandom(1))}
	if err := env.Vars.Define("n", "2"); err != nil {
		t.Fatal(err)
	}
	rows := s.Commands[0].Rows
	n, err := rows.NumberOf(env)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for env.Row = 1; env.Row <= n; env.Row++ {
		var values []string
		for _, item := range rows.Items {
			values = append(values, shownItem(t, item, env))
		}
		all = append(all, strings.Join(values, "|"))
	}
	return rows, all
}

func shownItem(t *testing.T, item script.Item, env *script.Env) string {
	t.Helper()
	if item.Text != nil {
		text, err := item.Text.Append(nil, env)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	v, err := item.Expr.Eval(env)
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

func TestRowsAreGenerated(t *testing.T) {
	rows, got := generated(t, "\\copy_rows s.\"t (1)\" (a, \"b,\"\"c\", d, e) \\\n"+
		"  rows :n + 1 \\\n  values (:row * 10, 'it''s', repeat('xy', :row), case when :row = 2 then null else 0.5 "+
		"end) format binary\nSELECT 1")
	if diff := cmp.Diff([]string{"int 10|it's|xy|double 0.5", "int 20|it's|xyxy|null", "int 30|it's|xyxyxy|double 0.5"},
		got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	type target struct {
		Table   string
		Columns []string
		Binary  bool
	}
	want := target{`s."t (1)"`, []string{"a", `"b,""c"`, "d", "e"}, true}
	if diff := cmp.Diff(want, target{rows.Table, rows.Columns, rows.Binary}); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
}

func TestRandomTextHasItsLength(t *testing.T) {
	_, got := generated(t, `\insert_rows t (a) ROWS 40 VALUES (random_text(:row))`)
	seen := map[string]bool{}
	for i, text := range got {
		if len(text) != i+1 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") != "" {
			t.Errorf("row %d: %q", i+1, text)
		}
		seen[text[:min(len(text), 8)]] = true
	}
	if len(seen) != len(got) {
		t.Errorf("%d different beginnings in %d texts", len(seen), len(got))
	}
}

// TestRowIsAVariableElsewhere: outside generated rows, :row is an ordinary variable.
func TestRowIsAVariableElsewhere(t *testing.T) {
	set := script.NewSet()
	if _, err := set.Parse("x.sql", "\\insert_rows t (a) rows :row values (:row)"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"row"}, set.Names()); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}

func TestRowsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`\copy_rows`:                                       `x.sql:1:11: \copy_rows: missing table name`,
		`\copy_rows t rows 1 values (1)`:                   `x.sql:1:14: \copy_rows: expected ( after t`,
		`\copy_rows t (a`:                                  `x.sql:1:16: \copy_rows: expected , or ) after a`,
		`\copy_rows t (a,) rows 1 values (1)`:              `x.sql:1:17: \copy_rows: missing column name`,
		`\copy_rows t () rows 1 values (1)`:                `x.sql:1:15: \copy_rows: missing column name`,
		`\copy_rows t ("a) rows 1 values (1)`:              `x.sql:1:15: \copy_rows: unterminated quoted identifier`,
		`\copy_rows t (a) 1 values (1)`:                    `x.sql:1:18: \copy_rows: expected "rows", found "1"`,
		`\copy_rows t (a) rows values (1)`:                 `x.sql:1:23: \copy_rows: unknown function "values"`,
		`\copy_rows t (a) rows 1 (1)`:                      `x.sql:1:25: \copy_rows: expected "values", found "("`,
		`\copy_rows t (a) rows 1 values (1, 2)`:            `x.sql:1:32: \copy_rows: 1 columns, but 2 values`,
		`\copy_rows t (a) rows 1 values (1) format x`:      `x.sql:1:43: \copy_rows: expected text or binary after format, found "x"`,
		`\copy_rows t (a) rows 1 values ('a)`:              `x.sql:1:33: \copy_rows: unterminated text`,
		`\copy_rows t (a) rows 1 values (1 + 'a')`:         `x.sql:1:37: \copy_rows: unexpected "a"`,
		`\copy_rows t (a) rows 1 values (repeat(1, 2))`:    `x.sql:1:40: \copy_rows: repeat needs a non-empty text in single quotes, found "1"`,
		`\insert_rows t (a) rows 1 values (1) format text`: `x.sql:1:38: \insert_rows: unexpected "format"`,
	} {
		if _, err := script.NewSet().Parse("x.sql", text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestNumbersOfRowsAreChecked(t *testing.T) {
	for count, want := range map[string]string{
		"-1": "number of rows: -1 is negative", "null": "number of rows: cannot coerce null to int", "0.4": "",
		"1 / 0": "number of rows: division by zero",
	} {
		set := script.NewSet()
		s, err := set.Parse("x.sql", `\insert_rows t (a) rows `+count+` values (1)`)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Commands[0].Rows.NumberOf(&script.Env{Vars: set.NewVars()})
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", count, err, want)
		}
	}
}
