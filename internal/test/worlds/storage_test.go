package worlds

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/realiops/realiops/internal/metric"
)

func TestASeedIsAWorldOnItsStorage(t *testing.T) {
	if diff := cmp.Diff(NewStorage(1, 5).Records(), NewStorage(1, 5).Records()); diff != "" {
		t.Error(diff)
	}
}

// TestLayers computes ten requests of 1 MiB with two flushes.
func TestLayers(t *testing.T) {
	const mib = 1 << 20
	plain := variation{extra: 1, merging: 1}
	for _, c := range []struct {
		on   storage
		want amounts
	}{
		{storage{layer: Striped, unit: mib / 4, copies: 4}, amounts{DiskRequests: 50, DiskBytes: 10 * mib,
			DiskFlushes: 8}},
		{storage{layer: Encrypted, unit: 4096, copies: 1, ratio: 1}, amounts{DiskRequests: 80, DiskBytes: 10 * mib,
			DiskFlushes: 2}},
		{storage{layer: CopyOnWrite, unit: mib / 8, copies: 1, beside: 1, ratio: 0.5},
			amounts{DiskRequests: 12, DiskBytes: 5*mib + 2*16384, DiskFlushes: 2}},
		{storage{layer: InUnits, unit: mib / 4, copies: 1, merged: 2}, amounts{DiskRequests: 40, DiskBytes: 10 * mib,
			DiskFlushes: 2}},
		{storage{layer: Replicated, copies: 3, ratio: 1, beside: 0.5}, amounts{DiskRequests: 33, DiskBytes: 30 * mib,
			DiskFlushes: 6}},
		{storage{layer: Compressed, unit: 4096, copies: 1, ratio: 0.25}, amounts{DiskRequests: 10, DiskBytes: 2.5 * mib,
			DiskFlushes: 2}},
	} {
		device := amounts{metric.DeviceRequests: 10, metric.DeviceBytes: 10 * mib, metric.DeviceFlushes: 2}
		if diff := cmp.Diff(c.want, c.on.does(plain, 10, 10*mib, 2)); diff != "" {
			t.Errorf("%s: %s", c.on.layer, diff)
		}
		c.on.beneath = true
		if c.on.put(device, plain, device)[metric.DeviceRequests] != c.want[DiskRequests] {
			t.Errorf("%s: the kernel beneath it counts %v", c.on.layer, device)
		}
	}
	if small := (&storage{layer: InUnits, unit: mib / 4, copies: 1, merged: 4}).does(plain, 100, 100*4096,
		0); small[DiskRequests] != 25 {
		t.Errorf("100 requests of 4 KiB, four of which are one: %v", small)
	}
}

// TestOtherStorageIsDrawn: each layer, backups, samples, rounding and switches, and meters of the work of disks.
func TestOtherStorageIsDrawn(t *testing.T) {
	layers, troubles, disks, backups := map[Layer]int{}, map[Trouble]int{}, 0, 0
	for seed := range uint64(30) {
		w := NewStorage(seed, 10)
		layers[w.Layer]++
		if w.Visited {
			backups++
		}
		for _, m := range w.Meters {
			troubles[m.Trouble]++
			if m.Rule.quantity() == DiskRequests || m.Rule.quantity() == DiskBytes || m.Rule.quantity() == DiskFlushes {
				disks++
			}
			if last := m.sum[len(m.sum)-1]; math.IsNaN(last) || math.IsInf(last, 0) {
				t.Errorf("world %d: %v comes to %g", seed, m.Rule, last)
			}
		}
	}
	for _, layer := range Layers() {
		if layers[layer] == 0 {
			t.Errorf("no world on %s", layer)
		}
	}
	if troubles[Sampled]*troubles[Rounded]*troubles[Switched] == 0 || disks < 90 || backups == 0 {
		t.Errorf("%v, %d meters of disks, %d worlds with a visitor or a backup", troubles, disks, backups)
	}
}
