package series

import (
	"encoding/binary"
	"math"
	"slices"
)

// A column of similar numbers is stored as second differences: one to three bytes instead of eight for counters read
// every second. It is lossless; values that do not round-trip are stored as they are.

// scales turn decimals into integers: counts, and times in milliseconds, microseconds and nanoseconds.
var scales = [...]float64{1, 1e3, 1e6, 1e9}

// asItIs replaces a scale before values of eight bytes.
const asItIs = byte(len(scales))

// exact is the bound up to which a float64 holds every integer.
const exact = 1 << 53

func pack(values []float64) ([]byte, []mark) {
	for i, scale := range scales {
		if packed, marks, ok := packWhole(byte(i), values, scale); ok {
			return packed, marks
		}
	}
	packed := append(make([]byte, 0, 1+8*len(values)), asItIs)
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint64(packed, math.Float64bits(v))
	}
	return packed, nil
}

func packWhole(which byte, values []float64, scale float64) ([]byte, []mark, bool) {
	var room [1 + longestRun*binary.MaxVarintLen64]byte
	packed := append(room[:0], which)
	var at mark
	var few [longestRun/apart - 1]mark
	marks := few[:0]
	for i, v := range values {
		if at.at = len(packed); i > 0 && i%apart == 0 {
			marks = append(marks, at)
		}
		scaled := v * scale
		if float64(int64(v)) != v { // few are not integers
			if scaled = math.Round(scaled); scaled/scale != v {
				return nil, nil, false
			}
		}
		if math.Abs(scaled) > exact {
			return nil, nil, false
		}
		grown := int64(scaled) - at.last
		packed = binary.AppendVarint(packed, grown-at.growth)
		at.last, at.growth = int64(scaled), grown
	}
	return append(make([]byte, 0, len(packed)), packed...), slices.Clone(marks), true
}

// mark is the state of unpacking before a value, so that reading one value need not unpack all before it.
type mark struct {
	at           int // position in the packed bytes
	last, growth int64
}

// apart is the number of values between marks.
const apart = 128

// unpackOne returns value i of packed, with its marks.
func unpackOne(i int, packed []byte, marks []mark) float64 {
	if packed[0] == asItIs {
		return math.Float64frombits(binary.LittleEndian.Uint64(packed[1+8*i:]))
	}
	m := mark{at: 1}
	if i >= apart {
		m = marks[i/apart-1]
	}
	at, last, growth := m.at, m.last, m.growth
	for range i%apart + 1 {
		var grew int64
		grew, at = unpackDifference(packed, at)
		growth += grew
		last += growth
	}
	return unscaled(last, packed[0])
}

// unpack appends the first n values of packed.
func unpack(values []float64, n int, packed []byte) []float64 {
	if packed[0] == asItIs {
		for rest := packed[1:]; n > 0; n, rest = n-1, rest[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
		}
		return values
	}
	return unpackFrom(mark{at: 1}, values, n, packed)
}

func unpackFrom(m mark, values []float64, n int, packed []byte) []float64 {
	scale, at := packed[0], m.at
	last, growth := m.last, m.growth
	for range n {
		var grew int64
		grew, at = unpackDifference(packed, at)
		growth += grew
		last += growth
		values = append(values, unscaled(last, scale))
	}
	return values
}

// unpackDifference returns the number at a position of packed, and the next position. It is like binary.Varint, which
// takes twice as long.
func unpackDifference(packed []byte, at int) (int64, int) {
	b := packed[at]
	whole := uint64(b & 0x7f)
	for shift := 7; b >= 0x80; shift += 7 {
		at++
		b = packed[at]
		whole |= uint64(b&0x7f) << shift
	}
	return int64(whole>>1) ^ -int64(whole&1), at + 1
}

func unscaled(whole int64, scale byte) float64 {
	if scale > 0 {
		return float64(whole) / scales[scale]
	}
	return float64(whole)
}
