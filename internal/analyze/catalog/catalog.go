// Package catalog knows what volumes, machines and databases carry and cost, and how reliable that is for an order.
//
// It is data, each row with the keys of its sources, which are in internal/metric beside those of metrics. Nothing here
// was measured by the run at hand.
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
