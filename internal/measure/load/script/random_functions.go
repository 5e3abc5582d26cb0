package script

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

type distribution uint8

const (
	uniform distribution = iota
	exponential
	gaussian
	zipfian
)

// Bounds of the parameters, as in pgbench.
const (
	minGaussian = 2.0
	minZipfian  = 1.001
	maxZipfian  = 1000.0
)

var (
	errEmptyRange = errors.New("empty range given to random")
	errWideRange  = errors.New("random range is too large")
)

// randomNode draws from the client's stream, unless its arguments are invalid.
type randomNode struct {
	kind distribution
	args []node // low, high and, except for uniform, a parameter
}

func random(kind distribution, arguments int) function {
	return function{least: arguments, most: arguments, build: func(a []node) node { return &randomNode{kind, a} }}
}

func (n *randomNode) eval(env *Env) (Value, error) {
	var values [3]Value
	if null, err := evalAll(env, n.args, values[:]); null || err != nil {
		return Value{}, err
	}
	return n.draw(env.Random, values[0], values[1], values[2])
}

func (n *randomNode) draw(r *Random, low, high, parameter Value) (Value, error) {
	from, to, err := toInts(low, high)
	if err != nil {
		return Value{}, err
	}
	switch {
	case from > to:
		return Value{}, errEmptyRange
	case uint64(to-from) >= math.MaxInt64: // more numbers than an integer can count
		return Value{}, errWideRange
	case n.kind == uniform:
		return Int(r.Uniform(from, to)), nil
	}
	shape, err := parameter.toDouble()
	if err != nil {
		return Value{}, err
	}
	if err := n.kind.check(shape); err != nil {
		return Value{}, err
	}
	switch n.kind {
	case exponential:
		return Int(r.Exponential(from, to, shape)), nil
	case gaussian:
		return Int(r.Gaussian(from, to, shape)), nil
	default:
		return Int(r.Zipfian(from, to, shape)), nil
	}
}

// check refuses parameters that a distribution cannot use. NaN passes pgbench's
// comparisons and makes it loop for ever.
func (k distribution) check(shape float64) error {
	switch {
	case k == gaussian && !(shape >= minGaussian && shape <= math.MaxFloat64):
		return fmt.Errorf("gaussian parameter must be at least %f (not %s)", minGaussian, fixed(shape))
	case k == zipfian && !(shape >= minZipfian && shape <= maxZipfian):
		return fmt.Errorf("zipfian parameter must be in range [%.3f, %.0f] (not %s)", minZipfian, maxZipfian,
			fixed(shape))
	case k == exponential && !(shape > 0):
		return fmt.Errorf("exponential parameter must be greater than zero (not %s)", fixed(shape))
	default:
		return nil
	}
}

// fixed formats a number as pgbench's errors do.
func fixed(d float64) string {
	if math.IsInf(d, 0) || math.IsNaN(d) {
		return string(appendDouble(nil, d))
	}
	return strconv.FormatFloat(d, 'f', 6, 64)
}
