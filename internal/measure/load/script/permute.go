package script

import "math/bits"

// permuteRounds is the number of times that pgbench scrambles a value.
const permuteRounds = 6

// permute maps the values 0 to size-1 one to one onto themselves, in an order that the seed chooses; other values
// wrap around first. It is pgbench's permute, stable since version 14.
//
// Each round scrambles the lower power-of-two part of the range, then the upper one counted from the end, then shifts
// all of it; each step can be undone, so no two values meet.
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

// scrambler works on the values below the largest power of two in the range.
type scrambler struct {
	mask uint64
	bits int
}

// lower multiplies by an odd number, flips bits and rotates. It draws from r also where v is above the mask and stays.
func (s scrambler) lower(r *Random, v uint64) uint64 {
	multiplier := r.Uint64()&s.mask | 1
	flip := r.Uint64() & s.mask
	if v > s.mask {
		return v
	}
	v = (v*multiplier ^ flip) & s.mask
	return v<<1&s.mask | v>>(s.bits-1)
}
