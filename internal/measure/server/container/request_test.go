package container

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandPutsTheUsersSettingsLast(t *testing.T) {
	got, err := Options{Settings: []string{"fsync=off", " work_mem = 5 MB ", "my.thing="}}.command()
	if err != nil {
		t.Fatal(err)
	}
	want := "postgres -c fsync=on -c full_page_writes=on -c synchronous_commit=on -c max_connections=200" +
		" -c restart_after_crash=off -c fsync=off -c work_mem=5 MB -c my.thing="
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"fsync", "=on", "", "a b=c", "a=b\nc=d", "--config=x"} {
		if _, err := Start(t.Context(), Options{Settings: []string{bad}}); err == nil ||
			!strings.Contains(err.Error(), "want name=value") {
			t.Errorf("setting %q: error is %v", bad, err)
		}
	}
}

func TestTailTellsTheCause(t *testing.T) {
	check := func(name, written, want string) {
		t.Helper()
		var log tail
		for chunk := range strings.SplitAfterSeq(written, "x") { // output comes in pieces
			fmt.Fprint(&log, chunk)
		}
		if diff := cmp.Diff(want, log.explain(errors.New("exit code 1")).Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("silence", "", "exit code 1")
	check("one line without an end", "no exec here", "exit code 1; last output: no exec here")
	check("the last three", "one\ntwo x\n\nthree\n  four\tx\n", "exit code 1; last output: two x | three | four x")
	check("grave lines before a script's own", "x\nFATAL:  no such parameter\nstopped waiting\nsee the log x\nbye\n",
		"exit code 1; last output: FATAL: no such parameter")
	check("too long ago", "FATAL:  old\n"+strings.Repeat("LOG:  x\n", 20),
		"exit code 1; last output: LOG: x | LOG: x | LOG: x")
}

func TestValue(t *testing.T) {
	environment := []string{"PATH=/bin", "PGDATA_OLD=/old", "PGDATA=/a=b", "PGDATA=/later"}
	if got := value(environment, "PGDATA"); got != "/a=b" {
		t.Errorf("PGDATA is %q, want /a=b", got)
	}
	if got := value(environment, "PG"); got != "" {
		t.Errorf("PG is %q, want nothing", got)
	}
}
