package script

import "math/bits"

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
