package postgres

import (
	"strings"
	"testing"
)

func TestStatementsLoseTheirValues(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		if got := WithoutLiterals(sql); got != want {
			t.Errorf("%q became %q, want %q", sql, got, want)
		}
	}
	check("update t set a = $1 where b = $2", "update t set a = $1 where b = $2")
	check("alter role me password 'se''cret'", "alter role me password ?")
	check(`select e'it\'s a secret' || 'x'`, "select e?")
	check("do $body$ secret $x$ $body$ language plpgsql", "do ? language plpgsql")
	check("select $$a$$, t1.c2, \"odd '5' name\" from t1 limit 10", `select ?, t1.c2, "odd '5' name" from t1 limit ?`)
	check("select 1.5e10, 0xFF, -7 -- 42 secrets\n/* and /* more */ 9 */ from t_9", "select ?, ?, -? from t_9")
	check("insert into t\n\tvalues ('never ended", "insert into t values (?")
	wide := "select " + strings.Repeat("x, ", 400)
	check(wide+"1", wide[:1000-12]+"… (ccd49675)")
	if WithoutLiterals(wide+"x") == WithoutLiterals(wide+"y") {
		t.Error("two look the same that differ behind what is kept")
	}
}

// FuzzNoLiteralStays: quoted text is removed. A secret with a ? may seem to stay, since a ? replaces it.
func FuzzNoLiteralStays(f *testing.F) {
	f.Add("select ", "se''cret")
	f.Fuzz(func(t *testing.T, before, secret string) {
		if strings.ContainsAny(before, "'\"$-/\\eE") || strings.ContainsAny(secret, "'?\\") || len(secret) < 8 {
			return
		}
		if got := WithoutLiterals(before + "'" + secret + "'"); strings.Contains(got, secret) &&
			!strings.Contains(before, secret) {
			t.Errorf("%q is still in %q", secret, got)
		}
	})
}
