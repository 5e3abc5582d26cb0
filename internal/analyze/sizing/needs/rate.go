package needs

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

// Rate is the storage traffic per second.
type Rate struct {
	Reads  float64 `json:"reads"`  // requests
	Writes float64 `json:"writes"` // requests with data
	// NaN: unknown, counted among the writes, or not given
	Flushes    float64 `json:"flushes"`
	ReadBytes  float64 `json:"read_bytes"`
	WriteBytes float64 `json:"write_bytes"`
}

// MarshalJSONTo writes the rate with its sums.
func (r Rate) MarshalJSONTo(out *jsontext.Encoder) error {
	return json.MarshalEncode(out, struct {
		Requests   float64 `json:"requests"` // with data
		Reads      float64 `json:"reads"`
		Writes     float64 `json:"writes"`
		Flushes    float64 `json:"flushes"`
		Bytes      float64 `json:"bytes"`
		ReadBytes  float64 `json:"read_bytes"`
		WriteBytes float64 `json:"write_bytes"`
	}{r.Requests(), r.Reads, r.Writes, r.Flushes, r.Bytes(), r.ReadBytes, r.WriteBytes})
}

// fields returns a rate's numbers, to treat them alike.
func (r *Rate) fields() []*float64 {
	return []*float64{&r.Reads, &r.Writes, &r.Flushes, &r.ReadBytes, &r.WriteBytes}
}

// Raise takes the maximum of each number.
func (r *Rate) Raise(other Rate) {
	for i, v := range other.fields() {
		*r.fields()[i] = max(*r.fields()[i], *v)
	}
}

// Requests returns the requests with data, in both directions.
func (r Rate) Requests() float64 { return r.Reads + r.Writes }

// Bytes returns the bytes in both directions.
func (r Rate) Bytes() float64 { return r.ReadBytes + r.WriteBytes }

// Times returns the rate times factor.
func (r Rate) Times(factor float64) Rate {
	for _, f := range r.fields() {
		*f *= factor
	}
	return r
}

// Operations returns what a provider counts for the rate on a volume with a unit. At most, each request stands alone,
// of the mean size, and counts as several if it exceeds the unit. At least, a volume that merges sequential requests
// merges all, up to the unit.
func (r Rate) Operations(unitKiB float64, merges bool) (least, most float64) {
	unit := unitKiB * 1024
	for _, way := range [][2]float64{{r.Reads, r.ReadBytes}, {r.Writes, r.WriteBytes}} {
		requests, units := way[0], way[1]/unit
		if requests <= 0 {
			continue
		}
		alone := requests * max(1, math.Ceil(number.Tidy(units/requests)))
		most += alone
		if merges {
			least += min(units, alone)
		} else {
			least += alone
		}
	}
	return least, most
}

// Charged returns the bytes per second that a volume charges for the rate: on hard disks each separate operation takes
// a whole unit.
func (r Rate) Charged(v catalog.Volume) float64 {
	if !v.HardDisk {
		return r.Bytes()
	}
	_, most := r.Operations(v.UnitKiB, v.Merges)
	return most * v.UnitKiB * 1024
}

// LeastRequest is a sector: no request of a database carries less.
const LeastRequest = 512

// TooSmall reports whether the requests of a rate carry less than any request can.
func (r Rate) TooSmall() bool { return r.Requests() >= 1 && r.Bytes() < LeastRequest*r.Requests() }
