package runfile

import (
	"testing"
	"time"
)

func TestOnlyOurIDsAreSuggested(t *testing.T) {
	for _, id := range []string{NewID(time.Now()), "20261123-012941-77kp", "run-0123456789ab", "published-aurora",
		"loads-pg17"} {
		if FileOf(id) != id+".jsonl.zst" || ShownID(id) != id {
			t.Errorf("%q: the file is %q, and it is shown as %q", id, FileOf(id), ShownID(id))
		}
	}
	for _, id := range []string{
		"", "x", "-x", "20261123;touch${IFS}PWNED;$(id)", "20261123-012941-77kp\n", " 20261123-012941-77kp",
		"20261123-012941-77KP", "20261123-012941-77kp.jsonl;id",
		"run-", "run-1", "run-0123456789ab ", "published-", "../20261123-012941-77kp", "２0261123-012941-77kp",
	} {
		if FileOf(id) != "" || ShownID(id) != id+" (an invalid id)" {
			t.Errorf("%q: the file is %q, and it is shown as %q", id, FileOf(id), ShownID(id))
		}
	}
}
