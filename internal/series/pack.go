package series

import (
	"encoding/binary"
	"math"
	"slices"
)

// A column that is a run of numbers close to each other is kept as how much their growth changes from one to the next:
// of what counters read each second that leaves one to three bytes of eight. It is exact; what does not come out as it
// went in is kept as it is.

// scales turn decimals into whole numbers: counts, and times in milliseconds, microseconds and nanoseconds.
var scales = [...]float64{1, 1e3, 1e6, 1e9}

// asItIs stands in place of a scale before values of eight bytes.
const asItIs = byte(len(scales))

// exact is up to where a float64 holds every whole number.
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
		if float64(int64(v)) != v { // few are not whole
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

// mark is how far unpacking has come before a value, so that one value does not take unpacking all before it.
type mark struct {
	at           int // in what was packed
	last, growth int64
}

// apart is how many values lie from one mark to the next.
const apart = 128

// unpackOne returns value number i of what was packed, and has these marks.
func unpackOne(i int, packed []byte, marks []mark) float64 {
	if packed[0] == asItIs {
		return math.Float64frombits(binary.LittleEndian.Uint64(packed[1+8*i:]))
	}
	var room [apart]float64
	m := mark{at: 1}
	if i >= apart {
		m = marks[i/apart-1]
	}
	return unpackFrom(m, room[:0], i%apart+1, packed)[i%apart]
}

// unpack appends the first n of what was packed.
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
	scale, rest := packed[0], packed[m.at:]
	last, growth := m.last, m.growth
	for at := 0; n > 0; n-- {
		b := rest[at]
		whole := uint64(b & 0x7f)
		for shift := 7; b >= 0x80; shift += 7 { // as binary.Varint does, which takes twice as long
			at++
			b = rest[at]
			whole |= uint64(b&0x7f) << shift
		}
		at++
		growth += int64(whole>>1) ^ -int64(whole&1)
		last += growth
		value := float64(last)
		if scale > 0 {
			value /= scales[scale]
		}
		values = append(values, value)
	}
	return values
}
