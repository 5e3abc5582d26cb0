package burst

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Outcome is the result of a simulation.
type Outcome struct {
	Seconds   int
	Demanded  Demand // total
	Served    Demand // total
	Throttled int    // seconds in which less was served than demanded
	Limits    []Fate // in the order of the limits
	Curve     []Point
}

// Fate is the course of one limit.
type Fate struct {
	Name     string
	Capacity float64 // credits of a full bucket; 0: none
	Binding  int     // seconds in which it was the tightest limit
	FirstDry int     // first second in which its bucket had too little for the demand; -1: never, or no bucket
	Lowest   float64 // least credits
	Left     float64 // credits at the end
	Dry      int     // seconds in which its bucket had too little for the demand
	Served   Demand  // per second, in those
}

// Point is one stretch of the curve: means over its seconds, and the credits at its end.
type Point struct {
	Second           int // its first
	Demanded, Served Demand
	Credits          []float64 // of each limit
}

// points is the largest number of stretches in a curve: a picture has no pixels for more.
const points = 240

// ErrNoDemand is the error for a demand without seconds.
var ErrNoDemand = errors.New("no demand to simulate")

// Play simulates a demand, given by the second and repeated for the given time, against limits that all hold. Served
// operations and bytes keep the demand's proportion: a request that waits does so with its bytes.
func Play(demand []Demand, seconds int, limits []Limit) (Outcome, error) {
	if err := check(demand, seconds, limits); err != nil {
		return Outcome{}, err
	}
	p := newPlayer(seconds, limits)
	for second := range seconds {
		d := demand[second%len(demand)]
		share, binding := p.share(d)
		for i := range p.limits {
			p.charge(i, share*d[p.limits[i].Of])
		}
		if binding >= 0 {
			p.out.Throttled++
			p.block(binding, second, d, share)
		}
		p.note(second, d, share)
	}
	return p.finish(), nil
}

func check(demand []Demand, seconds int, limits []Limit) error {
	if len(demand) == 0 || seconds <= 0 {
		return ErrNoDemand
	}
	for i, d := range demand {
		for _, v := range d {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				return fmt.Errorf("second %d demands %g; want 0 or more", i, v)
			}
		}
	}
	for _, l := range limits {
		if err := l.check(); err != nil {
			return err
		}
	}
	return nil
}

// player is the state of a simulation.
type player struct {
	limits  []Limit // with their current balances
	out     Outcome
	stretch int // seconds per point of the curve
	point   Point
}

func newPlayer(seconds int, limits []Limit) *player {
	p := &player{
		limits: slices.Clone(limits), out: Outcome{Seconds: seconds, Limits: make([]Fate, len(limits))},
		stretch: (seconds + points - 1) / points,
	}
	for i, l := range limits {
		p.out.Limits[i] = Fate{Name: l.Name, Capacity: l.Capacity, FirstDry: -1, Lowest: l.Balance}
	}
	return p
}

// share returns the share of a second's demand that all limits allow, and the tightest limit.
func (p *player) share(d Demand) (share float64, binding int) {
	share, binding = 1, -1
	for i := range p.limits {
		l := &p.limits[i]
		allowed := l.Base
		if l.Capacity > 0 {
			allowed = min(max(l.Burst, l.Base), l.Base+l.Balance)
		}
		if wanted := d[l.Of]; wanted*share > allowed {
			share, binding = allowed/wanted, i
		}
	}
	return share, binding
}

// charge subtracts what was served from a bucket and adds what it earned.
func (p *player) charge(i int, served float64) {
	l := &p.limits[i]
	if l.Capacity == 0 {
		return
	}
	l.Balance = min(l.Capacity, max(0, l.Balance+l.Base-served))
	p.out.Limits[i].Lowest = min(p.out.Limits[i].Lowest, l.Balance)
}

// block records that a limit reduced a second's demand to a share.
func (p *player) block(i, second int, d Demand, share float64) {
	fate, l := &p.out.Limits[i], &p.limits[i]
	fate.Binding++
	if l.Capacity == 0 || l.Balance > 0 {
		return
	}
	if fate.Dry++; fate.FirstDry < 0 {
		fate.FirstDry = second
	}
	for k, v := range d {
		fate.Served[k] += v * share
	}
}

// note adds a second to the sums and to the curve.
func (p *player) note(second int, d Demand, share float64) {
	if second%p.stretch == 0 {
		p.point = Point{Second: second}
	}
	for k, v := range d {
		p.out.Demanded[k] += v
		p.out.Served[k] += v * share
		p.point.Demanded[k] += v
		p.point.Served[k] += v * share
	}
	if second+1 < p.out.Seconds && (second+1)%p.stretch != 0 {
		return
	}
	seconds := float64(second + 1 - p.point.Second)
	for k := range p.point.Demanded {
		p.point.Demanded[k] /= seconds
		p.point.Served[k] /= seconds
	}
	for _, l := range p.limits {
		p.point.Credits = append(p.point.Credits, l.Balance)
	}
	p.out.Curve = append(p.out.Curve, p.point)
}

func (p *player) finish() Outcome {
	for i, l := range p.limits {
		fate := &p.out.Limits[i]
		fate.Left = l.Balance
		for k := range fate.Served {
			fate.Served[k] /= float64(max(1, fate.Dry))
		}
	}
	return p.out
}

// Carries reports whether limits serve a demand in full for the given seconds. It need not simulate all: once the
// demand has been served through and no bucket holds less than at its begin, it will always be.
func Carries(demand []Demand, seconds int, limits []Limit) (bool, error) {
	if err := check(demand, seconds, limits); err != nil {
		return false, err
	}
	p := newPlayer(seconds, limits)
	before := balances(p.limits)
	for second := range seconds {
		d := demand[second%len(demand)]
		if _, binding := p.share(d); binding >= 0 {
			return false, nil
		}
		for i := range p.limits {
			p.charge(i, d[p.limits[i].Of])
		}
		if (second+1)%len(demand) == 0 {
			now := balances(p.limits)
			if noneLess(now, before) {
				return true, nil
			}
			before = now
		}
	}
	return true, nil
}

func balances(limits []Limit) []float64 {
	all := make([]float64, len(limits))
	for i, l := range limits {
		all[i] = l.Balance
	}
	return all
}

func noneLess(now, before []float64) bool {
	for i := range now {
		if now[i] < before[i] {
			return false
		}
	}
	return true
}

// Smallest returns the first of ascending sizes whose limits serve the whole demand, if any does. It relies on larger
// sizes never serving less.
func Smallest(demand []Demand, seconds int, sizes []float64, limits func(size float64) []Limit) (size float64,
	found bool, err error) {
	i := sort.Search(len(sizes), func(i int) bool {
		carries, failed := Carries(demand, seconds, limits(sizes[i]))
		err = cmp.Or(err, failed)
		return carries
	})
	if err != nil || i == len(sizes) {
		return 0, false, err
	}
	return sizes[i], true, nil
}
