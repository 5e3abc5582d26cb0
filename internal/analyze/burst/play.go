package burst

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Outcome is the result of playing a demand against limits.
type Outcome struct {
	Seconds   int
	Demanded  Demand // in all
	Served    Demand // in all
	Throttled int    // seconds in which less was served than demanded
	Limits    []Fate // as the limits were given
	Curve     []Point
}

// Fate is the course of one limit.
type Fate struct {
	Name     string
	Capacity float64 // credits of a full bucket; 0: none
	Binding  int     // seconds in which it was the limit in the way
	FirstDry int     // the second in which its bucket had nothing left for the demand; -1: never, or no bucket
	Lowest   float64 // credits, at the worst
	Left     float64 // credits at the end
	Refills  float64 // seconds without demand that fill it from there
	Dry      int     // seconds in which its bucket had nothing left for the demand
	Served   Demand  // a second, in those
}

// Point is one stretch of the curve: means over its seconds, and the credits at its end.
type Point struct {
	Second   int // its first
	Demanded Demand
	Served   Demand
	Credits  []float64 // of each limit
}

// points is the largest number of stretches in a curve: more than a picture has pixels for help nobody.
const points = 240

// ErrNoDemand is a demand of no seconds.
var ErrNoDemand = errors.New("there is no demand to play")

// Play repeats a demand, given second by second, for so many seconds against limits that all hold at once. What is
// served keeps the proportion of operations to bytes: a request that must wait waits with its bytes.
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
				return fmt.Errorf("second %d demands %g: a demand is a number from 0 up", i, v)
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

// player is a game under way.
type player struct {
	limits  []Limit // their balances as they go
	out     Outcome
	stretch int // seconds of a point of the curve
	point   Point
}

func newPlayer(seconds int, limits []Limit) *player {
	p := &player{
		limits:  slices.Clone(limits),
		out:     Outcome{Seconds: seconds, Limits: make([]Fate, len(limits))},
		stretch: (seconds + points - 1) / points,
	}
	for i, l := range limits {
		p.out.Limits[i] = Fate{Name: l.Name, Capacity: l.Capacity, FirstDry: -1, Lowest: l.Balance}
	}
	return p
}

// share returns which part of a second's demand all limits let through, and the limit that lets least.
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

// charge takes what was served from a bucket and puts in what it earned.
func (p *player) charge(i int, served float64) {
	l := &p.limits[i]
	if l.Capacity == 0 {
		return
	}
	l.Balance = min(l.Capacity, max(0, l.Balance+l.Base-served))
	p.out.Limits[i].Lowest = min(p.out.Limits[i].Lowest, l.Balance)
}

// block notes that a limit was in the way of a second's demand, of which it let a share through.
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
		fate.Left, fate.Refills = l.Balance, l.Refills()
		for k := range fate.Served {
			fate.Served[k] /= float64(max(1, fate.Dry))
		}
	}
	return p.out
}

// Carries reports whether limits serve a demand in full for so many seconds. It need not play them all: once the demand
// has been served through and no bucket holds less than when it began, it will be served so for ever.
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

// Smallest returns the least of ascending sizes whose limits serve the whole demand, if any does. It relies on larger
// ones never serving less.
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
