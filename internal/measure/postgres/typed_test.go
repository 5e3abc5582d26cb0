package postgres

import "testing"

func TestStatementsThatPeopleType(t *testing.T) {
	for user, want := range map[string]string{
		"joe": "joe", "Joe": `"Joe"`, "joe@example.com": `"joe@example.com"`, "o'hara; x": `"o'hara; x"`,
		"für": `"für"`, "user": `"user"`, "public": `"public"`,
		"": "ROLE", `a"; drop table x; --`: "ROLE", "$(id)": "ROLE", "`id`": "ROLE", `a\b`: "ROLE", "a!b": "ROLE",
		"a\nb": "ROLE", "\x1b[2J": "ROLE",
		"\u202ea": "ROLE", "\u3164": "ROLE", "\xff": "ROLE",
	} {
		if got := Grant("pg_monitor", user); got != "grant pg_monitor to "+want {
			t.Errorf("%q: %s, want %s", user, got, want)
		}
	}
}
