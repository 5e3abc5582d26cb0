package catalog

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzReadLists: prices and limits that were read are the same after writing and reading them again.
func FuzzReadLists(f *testing.F) {
	f.Add([]byte(`[{"volume": "gp3", "per": "gib", "region": "eu-west-1", "currency": "USD", "price": 0.09}]`))
	f.Add([]byte(
		`[{"class": "r9g.large", "provider": "ebs", "base_iops": 3600, "most_iops": 48000, "base_mb": 95, "most_mb": 1500, "bursts": true, "sources": ["x"]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if prices, err := ReadPrices(bytes.NewReader(text)); err == nil {
			again(t, prices, ReadPrices)
		}
		if limits, err := ReadLimits(bytes.NewReader(text)); err == nil {
			again(t, limits, ReadLimits)
		}
	})
}

func again[Row any](t *testing.T, rows []Row, read func(r io.Reader) ([]Row, error)) {
	t.Helper()
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatalf("%+v cannot be written: %v", rows, err)
	}
	if back, err := read(bytes.NewReader(text)); err != nil || !cmp.Equal(back, rows, cmpopts.EquateEmpty()) {
		t.Errorf("%s is read as %+v, %v", text, back, err)
	}
}
