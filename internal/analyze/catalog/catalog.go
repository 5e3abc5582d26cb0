// Package catalog knows what volumes, machines and databases carry and cost, and how much of it an order may rest on.
//
// It is data, each row with the keys of its sources, which stand in internal/metric beside those of what metrics mean;
// nothing here was measured by the run at hand.
package catalog

import (
	"bytes"
	"encoding/json"
)

func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
