package script

import (
	"math"
	"math/bits"
)

// Random is one stream of pgbench's random numbers: xoroshiro128** by Blackman and Vigna, seeded by splitmix64
// (https://prng.di.unimi.it), as in pgbench 15 and later. Copying it saves the state, so that a retried transaction
// can draw the same numbers again. It serves one goroutine.
type Random struct{ s0, s1 uint64 }

// NewRandom returns the stream of a seed.
func NewRandom(seed uint64) Random {
	r := Random{s0: splitmix(&seed), s1: splitmix(&seed)}
	if r.s0 == 0 && r.s1 == 0 { // the generator cannot leave this state; PostgreSQL's values
		r.s0, r.s1 = 0x5851F42D4C957F2D, 0x14057B7EF767814F
	}
	return r
}

func splitmix(state *uint64) uint64 {
	*state += 0x9E3779B97F4A7C15
	z := *state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uint64 draws 64 bits.
func (r *Random) Uint64() uint64 {
	s0 := r.s0
	mix := r.s1 ^ s0
	r.s0 = bits.RotateLeft64(s0, 24) ^ mix ^ mix<<16
	r.s1 = bits.RotateLeft64(mix, 37)
	return bits.RotateLeft64(s0*5, 7) * 9
}

// upTo draws from 0 to limit, inclusive. A limit of 0 draws nothing.
func (r *Random) upTo(limit uint64) uint64 {
	if limit == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(limit)
	for {
		if v := r.Uint64() >> shift; v <= limit {
			return v
		}
	}
}

// Float64 draws from [0, 1) in steps of 2^-52.
func (r *Random) Float64() float64 { return float64(r.Uint64()>>12) * 0x1p-52 }

// above0 draws from (0, 1], safe for a logarithm.
func (r *Random) above0() float64 { return 1 - r.Float64() }

// normal draws from the standard normal distribution by Box and Muller, using one of the pair.
func (r *Random) normal() float64 {
	u1, u2 := r.above0(), r.above0()
	return math.Sqrt(-2*math.Log(u1)) * math.Sin(2*math.Pi*u2)
}

// Uniform draws from low to high, inclusive. The difference must fit an int64.
func (r *Random) Uniform(low, high int64) int64 { return low + int64(r.upTo(uint64(high-low))) }

// Exponential draws from low to high, favoring low values; parameter must be positive.
func (r *Random) Exponential(low, high int64, parameter float64) int64 {
	cut := math.Exp(-parameter)
	inner := cut + float64((1-cut)*r.above0()) // the conversion keeps the compiler from fusing
	return stretch(low, high, -math.Log(inner)/parameter)
}

// Gaussian draws from low to high, favoring the middle; parameter must be at least 2.
func (r *Random) Gaussian(low, high int64, parameter float64) int64 {
	z := r.normal()
	for z < -parameter || z >= parameter {
		z = r.normal()
	}
	return stretch(low, high, (z+parameter)/(parameter*2))
}

// stretch maps [0, 1) to the integers from low to high.
func stretch(low, high int64, unit float64) int64 { return low + int64(float64(high-low+1)*unit) }

// Zipfian draws from low to high, favoring low values; s lies from 1.001 to 1000. It uses rejection (Devroye,
// Non-Uniform Random Variate Generation, 1986, page 550), which is slow if s is close to 1.
func (r *Random) Zipfian(low, high int64, s float64) int64 {
	n := high - low + 1
	if n <= 1 {
		return low
	}
	power := s - 1
	b := math.Pow(2, power)
	for {
		u, v := r.Float64(), r.Float64()
		x := math.Floor(math.Pow(u, -1/power))
		if t := math.Pow(1+1/x, power); v*x*(t-1)/(b-1) <= t/b && x <= float64(n) {
			return low - 1 + int64(x)
		}
	}
}

// Poisson draws the time to the next event of a Poisson process with a mean interval of center, in the same unit.
func (r *Random) Poisson(center float64) int64 {
	return int64(float64(-math.Log(r.above0())*center) + 0.5)
}

// Choose draws an index in proportion to the weights. A single weight draws nothing. Some weight must be positive.
func (r *Random) Choose(weights []int) int {
	if len(weights) == 1 {
		return 0
	}
	var total int64
	for _, w := range weights {
		total += int64(w)
	}
	rest := r.Uniform(0, total-1)
	for i, w := range weights {
		if rest -= int64(w); rest < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// Streams holds a run's random numbers, one independent stream for each purpose.
type Streams struct {
	Clients     []Random // for the random functions of each client's scripts
	DefaultSeed int64    // the value of :default_seed, unless -D sets one
	Threads     []Thread
}

// Thread holds the streams that pgbench keeps for each thread of -j.
type Thread struct {
	Choose   Random // of scripts
	Throttle Random // of the times of transactions under -R
	Sample   Random // of transactions for --sampling-rate
}

// Derive returns the streams in pgbench's order. givenSeed means that -D sets default_seed: then no number is drawn
// for it, which changes the threads' streams.
func Derive(seed uint64, clients, threads int, givenSeed bool) Streams {
	base := NewRandom(seed)
	next := func() Random { return NewRandom(base.Uint64()) }
	s := Streams{Clients: make([]Random, clients), Threads: make([]Thread, min(threads, clients))}
	for i := range s.Clients {
		s.Clients[i] = next()
	}
	if !givenSeed {
		s.DefaultSeed = int64(base.Uint64())
	}
	for i := range s.Threads {
		s.Threads[i] = Thread{Choose: next(), Throttle: next(), Sample: next()}
	}
	return s
}
