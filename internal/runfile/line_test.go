package runfile

import "testing"

func TestOneLine(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := OneLine(text); got != want {
			t.Errorf("%q is folded into %q, want %q", text, got, want)
		}
	}
	check("write the run file: no space", "write the run file: no space")
	check("load bulk: write the run file: no space\nwrite the run file: no space",
		"load bulk: write the run file: no space")
	check("no space\nrecord a reading: no space", "no space")
	check("ERROR: bad\n\tLINE 1: x\n", "ERROR: bad; LINE 1: x")
	check("", "")
}
