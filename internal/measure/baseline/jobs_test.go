package baseline

import (
	"math"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/fio"
)

// Between two reports lie 2 s with 600 reads and 400 writes of 8 KiB, 4 ms each, and 100
// flushes, which transfer no bytes.
func TestASecondOfAJob(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before := fio.Status{At: at, Seconds: 7}
	before.Read.Operations, before.Read.Bytes, before.Read.Time = 50, 50*8192, 0.2
	now := fio.Status{At: at.Add(2 * time.Second), Seconds: 9}
	now.Read.Operations, now.Read.Bytes, now.Read.Time = 650, 650*8192, 0.2+2.4
	now.Write.Operations, now.Write.Bytes, now.Write.Time = 400, 400*8192, 1.6
	now.Sync.Operations = 100
	s, is := secondOf(before, now)
	if !is || !s.At.Equal(now.At) || s.Seconds != 9 || s.Operations != 500 || s.Bytes != 500*8192 ||
		math.Abs(s.Latency-0.004) > 1e-9 {
		t.Errorf("%v %+v", is, s)
	}
	now.Seconds = 7.4
	if s, is := secondOf(before, now); is {
		t.Errorf("0.4 s are taken for a second: %+v", s)
	}
}
