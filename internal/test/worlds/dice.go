package worlds

import (
	"math"
	"math/rand/v2"
)

// dice draws a world from its seed.
type dice struct{ *rand.Rand }

func newDice(seed uint64) *dice {
	return &dice{rand.New(rand.NewPCG(seed, 0x776f726c6473))} //nolint:gosec // a world, not a secret
}

func (d *dice) normal(deviation float64) float64 { return deviation * d.NormFloat64() }

// lognormal returns a factor around one.
func (d *dice) lognormal(deviation float64) float64 { return math.Exp(d.normal(deviation)) }

// between returns a log-uniform number.
func (d *dice) between(low, high float64) float64 {
	return low * math.Exp(d.Float64()*math.Log(high/low))
}

func (d *dice) uniform(low, high float64) float64 { return low + d.Float64()*(high-low) }

func (d *dice) chance(p float64) bool { return d.Float64() < p }

func pick[T any](d *dice, of []T) T { return of[d.IntN(len(of))] }
