package main

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// doctor warns of a disk that is too full for a run.
func TestDoctorSeesADiskThatIsNearlyFull(t *testing.T) {
	dataDir, leave := servertest.SmallDisk(t)
	s := servertest.Start(t, embedded.Options{Version: "17", DataDir: dataDir, AllowRAM: true})
	for free, want := range map[int64]int{200 << 20: 3, 400 << 20: 0} {
		leave(free)
		printed, code := doctor(t, s.DSN())
		const refusal = "NO RUN WOULD BEGIN HERE: the disk with the server's data has"
		if code != want || strings.Contains(printed, refusal) != (want == 3) {
			t.Errorf("with %d MB free: exit code %d, want %d\n%s", free/1e6, code, want, printed)
		}
	}
}
