package fio

import (
	"strings"
	"testing"
)

// The space that fio takes is known beforehand, whichever option sets it.
func TestSpaceOfTestFiles(t *testing.T) {
	const mib = int64(1) << 20
	check := func(options string, want int64, refused string) {
		t.Helper()
		jobs, err := ReadFile(strings.NewReader("[a]\n"+strings.ReplaceAll(options, " ", "\n")), t.TempDir(),
			Settings{Size: 512 * mib})
		if refused != "" || err != nil {
			if err == nil || refused == "" || !strings.Contains(err.Error(), refused) {
				t.Errorf("%s: %v, want %q", options, err, refused)
			}
			return
		}
		if got := jobs[0].Bytes; got != want {
			t.Errorf("%s: %d bytes, want %d", options, got, want)
		}
	}
	check("rw=read", 512*mib, "")
	check("size=1M", mib, "")
	check("size=1M filesize=9000G", 9000<<30, "")
	check("filesize=9000G size=1M", 9000<<30, "")
	check("size=4M filesize=1M", 4*mib, "")
	check("size=4M filesize=1M-3M nrfiles=10", 30*mib, "")
	check("size=1M offset=100M", 101*mib, "")
	check("size=1M offset=10% numjobs=3", 3*mib, "")
	check("size=1M offset_increment=1G numjobs=2", 2*(mib+1<<30), "")
	check("size=100%", 0, "want a size")
	check("size=1M filesize=4000T nrfiles=1000", 0, "pebibyte")
	check("size=1M nrfiles=0", 0, "want 1 to")
}
