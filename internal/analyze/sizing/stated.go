package sizing

import (
	"fmt"
	"math"
	"strconv"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Stated is a need given by the user, per second. NaN means not given; two of the first three are enough.
type Stated struct {
	Requests, Bytes float64
	RequestSize     float64 // bytes
	Reads           float64 // share of requests and of bytes
	Flushes         float64 // NaN: not given
	Hours           float64 // of each day that it lasts
}

// statedOff is the factor by which requests times their size may differ from the bytes if all three were stated.
const statedOff = 1.05

// Rate returns the need as a rate; the error says what is missing or inconsistent.
func (s Stated) Rate() (needs.Rate, error) {
	requests, bytes := s.Requests, s.Bytes
	switch {
	case math.IsNaN(s.RequestSize):
	case math.IsNaN(bytes):
		bytes = requests * s.RequestSize
	case math.IsNaN(requests):
		requests = bytes / s.RequestSize
	default:
		if off := requests * s.RequestSize / bytes; off > statedOff || off < 1/statedOff {
			return needs.Rate{}, fmt.Errorf("iops=%s of kb=%s are %s MB/s, but you gave %s MB/s; leave one out",
				typed(requests), typed(s.RequestSize/1024), number.Significant(requests*s.RequestSize/number.Mega, 3), number.Significant(bytes/number.Mega,
					3))
		}
	}
	if math.IsNaN(requests) || math.IsNaN(bytes) {
		return needs.Rate{}, fmt.Errorf("give two of iops=, mbps= and kb=")
	}
	return needs.Rate{
		Reads: requests * s.Reads, Writes: requests * (1 - s.Reads), Flushes: s.Flushes,
		ReadBytes: bytes * s.Reads, WriteBytes: bytes * (1 - s.Reads),
	}, nil
}

// SizeStated returns what to order for a need given by the user.
func SizeStated(ask Ask, need Stated) (Sizing, error) {
	rate, err := need.Rate()
	if err != nil {
		return Sizing{}, err
	}
	return sized(ask, rate, need.Hours)
}

// SizeRate returns what to order for a rate that lasts for the given hours of each day.
func SizeRate(ask Ask, rate needs.Rate, hours float64) (Sizing, error) {
	ask.Repeated = rate.Reads > 0 && rate.Reads == rate.Writes && rate.ReadBytes == rate.WriteBytes
	return sized(ask, rate, hours)
}

func sized(ask Ask, rate needs.Rate, hours float64) (Sizing, error) {
	need := needs.Need{Load: "your need", Repetitions: 1, Mean: rate, Lowest: rate, Highest: rate, Seconds: day(rate, hours)}
	own := rate.Times(1 + ask.Growth/100)
	ask.Hours = hours
	p := Part{Needs: []needs.Need{need}, Need: need, Basis: BySaying, Scale: Scale{Factor: 1 + ask.Growth/100, Shared: 1},
		Own: Span{own, own, own}}
	return Sizing{Ask: ask, Parts: []Part{p}}.answered()
}

// day returns the need in each second of a day, or a single second if it is constant.
func day(rate needs.Rate, hours float64) []needs.Rate {
	const all = 24
	if hours >= all {
		return []needs.Rate{rate}
	}
	seconds := make([]needs.Rate, all*3600)
	for i := range int(hours * 3600) {
		seconds[i] = rate
	}
	return seconds
}

// typed formats a number as --need takes it: a comma would end it.
func typed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
