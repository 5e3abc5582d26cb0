package script

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

type function struct {
	least, most int  // arguments
	seeded      bool // the last argument defaults to :default_seed
	build       func(args []node) node
}

// maxArguments is pgbench's limit for least and greatest.
const maxArguments = 16

// functions are pgbench 17's, by name in lower case.
var functions = map[string]function{
	"abs":                unary(absolute),
	"sqrt":               unary(onDouble(math.Sqrt)),
	"ln":                 unary(onDouble(math.Log)),
	"exp":                unary(onDouble(math.Exp)),
	"double":             unary(onDouble(func(d float64) float64 { return d })),
	"int":                unary(asInt),
	"pow":                binary(power),
	"power":              binary(power),
	"mod":                binary(modulo),
	"pi":                 {build: func([]node) node { return constant(Double(math.Pi)) }},
	"least":              extremum(isLess[float64], isLess[int64]),
	"greatest":           extremum(isGreater[float64], isGreater[int64]),
	"debug":              {least: 1, most: 1, build: func(a []node) node { return debugNode{a[0]} }},
	"random":             random(uniform, 2),
	"random_exponential": random(exponential, 3),
	"random_gaussian":    random(gaussian, 3),
	"random_zipfian":     random(zipfian, 3),
	"hash":               hash(hashMurmur),
	"hash_murmur2":       hash(hashMurmur),
	"hash_fnv1a":         hash(hashFNV),
	"permute":            {least: 2, most: 3, seeded: true, build: newPermute},
}

// checkCount returns what is wrong with a number of arguments, or "".
func (f function) checkCount(n int) string {
	switch {
	case f.least <= n && n <= f.most:
		return ""
	case f.most == maxArguments && n == 0:
		return "needs at least one argument"
	case f.most == maxArguments:
		return fmt.Sprintf("takes at most %d arguments, found %d", maxArguments, n)
	case f.least < f.most:
		return fmt.Sprintf("takes %d or %d arguments, found %d", f.least, f.most, n)
	case f.most == 1:
		return fmt.Sprintf("takes one argument, found %d", n)
	default:
		return fmt.Sprintf("takes %d arguments, found %d", f.most, n)
	}
}

func unary(apply func(Value) (Value, error)) function {
	return function{least: 1, most: 1, build: func(a []node) node { return fold1(apply, a[0]) }}
}

func binary(apply func(a, b Value) (Value, error)) function {
	return function{least: 2, most: 2, build: func(a []node) node { return fold2(apply, a[0], a[1]) }}
}

func hash(apply func(value, seed int64) int64) function {
	return function{least: 1, most: 2, seeded: true, build: func(a []node) node {
		return fold2(onInts(apply), a[0], a[1])
	}}
}

func onDouble(apply func(float64) float64) func(Value) (Value, error) {
	return func(v Value) (Value, error) {
		d, err := v.toDouble()
		if err != nil {
			return Value{}, err
		}
		return Double(apply(d)), nil
	}
}

// absolute of the smallest integer is that integer.
func absolute(v Value) (Value, error) {
	if v.kind == KindInt {
		return Int(int64(magnitude(v.Int()))), nil
	}
	d, err := v.toDouble()
	if d < 0 {
		d = -d
	}
	return Double(d), err
}

func asInt(v Value) (Value, error) {
	i, err := v.toInt()
	return Int(i), err
}

func power(a, b Value) (Value, error) {
	x, y, err := toDoubles(a, b)
	if err != nil {
		return Value{}, err
	}
	return Double(math.Pow(x, y)), nil
}

// extremumNode is least and greatest, of doubles if one argument is a double.
type extremumNode struct {
	args       []node
	beats      func(a, b float64) bool
	beatsAsInt func(a, b int64) bool
}

func extremum(beats func(a, b float64) bool, beatsAsInt func(a, b int64) bool) function {
	return function{least: 1, most: maxArguments, build: func(args []node) node {
		return folded(&extremumNode{args, beats, beatsAsInt}, args...)
	}}
}

func (n *extremumNode) eval(env *Env) (Value, error) {
	var all [maxArguments]Value
	values := all[:len(n.args)]
	switch null, err := evalAll(env, n.args, values); {
	case null || err != nil:
		return Null(), err
	case slices.ContainsFunc(values, func(v Value) bool { return v.kind == KindDouble }):
		return n.ofDoubles(values)
	default:
		return n.ofInts(values)
	}
}

func (n *extremumNode) ofDoubles(values []Value) (Value, error) {
	best, err := values[0].toDouble()
	for i := 1; i < len(values) && err == nil; i++ {
		var d float64
		if d, err = values[i].toDouble(); !n.beats(best, d) { // also for NaN, as in C
			best = d
		}
	}
	return Double(best), err
}

func (n *extremumNode) ofInts(values []Value) (Value, error) {
	best, err := values[0].toInt()
	for k := 1; k < len(values) && err == nil; k++ {
		var i int64
		if i, err = values[k].toInt(); n.beatsAsInt(i, best) {
			best = i
		}
	}
	return Int(best), err
}

// permuteNode is permute(value, size, seed). It is NULL if one of them is.
type permuteNode struct{ args []node }

func newPermute(a []node) node { return folded(&permuteNode{a}, a...) }

var errPermuteSize = errors.New("permute size parameter must be greater than zero")

func (n *permuteNode) eval(env *Env) (Value, error) {
	var values [3]Value
	if null, err := evalAll(env, n.args, values[:]); null || err != nil {
		return Value{}, err
	}
	v, many, err := toInts(values[0], values[1])
	if err != nil {
		return Value{}, err
	}
	s, err := values[2].toInt()
	if err != nil {
		return Value{}, err
	}
	if many <= 0 {
		return Value{}, errPermuteSize
	}
	return Int(permute(v, many, s)), nil
}

// hashFNV is FNV-1a over the eight bytes of a value, low byte first, with the seed in the offset basis
// (http://www.isthe.com/chongo/tech/comp/fnv).
func hashFNV(value, seed int64) int64 {
	const basis, prime = 0xcbf29ce484222325, 0x100000001b3
	h := uint64(seed) ^ basis
	for range 8 {
		h = (h ^ uint64(value&0xff)) * prime
		value >>= 8
	}
	return int64(h)
}

// hashMurmur is the 64-bit MurmurHash2 of one eight-byte value (https://github.com/aappleby/smhasher).
func hashMurmur(value, seed int64) int64 {
	const multiplier, shift = 0xc6a4a7935bd1e995, 47
	const start = 0x35253c9ade8f4ca8 // the multiplier times the length, eight bytes
	k := uint64(value)
	k *= multiplier
	k ^= k >> shift
	k *= multiplier
	h := uint64(seed) ^ start ^ k
	h *= multiplier
	h ^= h >> shift
	h *= multiplier
	return int64(h ^ h>>shift)
}

// permuteRounds is how often pgbench scrambles a value.
const permuteRounds = 6

// permute returns value's place in a permutation of 0 to size-1 that the seed chooses; values outside wrap around
// first. It is pgbench's permute, stable since version 14.
//
// Each round scrambles the lower power-of-two part of the range, then the upper one counted from the end, then shifts
// all of it. Each step is invertible, so no two values collide.
func permute(value, size, seed int64) int64 {
	if size < 2 {
		return 0
	}
	r, n := NewRandom(uint64(seed)), uint64(size)
	width := bits.Len64(n) - 1
	s := scrambler{mask: 1<<width - 1, bits: width}
	v := uint64(value) % n
	for range permuteRounds {
		v = s.lower(&r, v)
		v = n - 1 - s.lower(&r, n-1-v)
		v = (v + r.upTo(n-1)) % n
	}
	return int64(v)
}

// scrambler works on values below the largest power of two in the range.
type scrambler struct {
	mask uint64
	bits int
}

// lower multiplies by an odd number, flips bits and rotates. It draws from r even if v is above the mask and stays.
func (s scrambler) lower(r *Random, v uint64) uint64 {
	multiplier := r.Uint64()&s.mask | 1
	flip := r.Uint64() & s.mask
	if v > s.mask {
		return v
	}
	v = (v*multiplier ^ flip) & s.mask
	return v<<1&s.mask | v>>(s.bits-1)
}
