package run

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/layout"
)

// The loads end early enough that the clients' last writes still fit, however fast they write.
func TestLoadsEndBeforeADiskIsFull(t *testing.T) {
	const mebibyte = 1 << 20
	for name, of := range map[string]struct {
		free []int64 // in MiB, at each look; the first is before the loads
		want string
	}{
		"enough":                     {[]int64{1000, 990, 980, 979}, ""},
		"too little at first":        {[]int64{255}, "the disk with the server's WAL has 267 MB free, but a run needs 268 MB"},
		"nothing is written":         {[]int64{256, 256, 256}, ""},
		"slow, 128 and 5 x 10 left":  {[]int64{256, 248, 238, 228, 218, 208, 198, 188, 178}, ""},
		"slow, less than that left":  {[]int64{256, 246, 236, 226, 216, 206, 196, 186, 176}, "the disk with the server's WAL has only 184 MB left"},
		"fast, 128 and 5 x 200 left": {[]int64{2000, 1928, 1728, 1528, 1328, 1128}, ""},
		"fast, less than that left":  {[]int64{2000, 1927, 1727, 1527, 1327, 1127}, "the disk with the server's WAL has only 1,181 MB left"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisks(&layout.Layout{Roots: []layout.Root{{Role: layout.WAL, Path: "wal"}, {Role: layout.Log, Path: "log"}}})
			var err error
			for i, free := range of.free {
				d.free = func(path string) (int64, error) {
					if path != "wal" {
						t.Errorf("%s is looked at", path)
					}
					return free * mebibyte, nil
				}
				look := d.look
				if i == 0 {
					look = d.refuse
				}
				if err = look(); err != nil {
					break
				}
			}
			if (err == nil) != (of.want == "") || err != nil && !strings.HasPrefix(err.Error(), of.want) {
				t.Errorf("%v, want %q", err, of.want)
			}
		})
	}
}
