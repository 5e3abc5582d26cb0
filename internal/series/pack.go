package series

import (
	"encoding/binary"
	"math"
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

func pack(values []float64) []byte {
	for i, scale := range scales {
		if packed, ok := packWhole(byte(i), values, scale); ok {
			return packed
		}
	}
	packed := append(make([]byte, 0, 1+8*len(values)), asItIs)
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint64(packed, math.Float64bits(v))
	}
	return packed
}

func packWhole(which byte, values []float64, scale float64) ([]byte, bool) {
	var room [1 + longestRun*binary.MaxVarintLen64]byte
	packed := append(room[:0], which)
	var last, growth int64
	for _, v := range values {
		scaled := v * scale
		if float64(int64(v)) != v { // few are not whole
			if scaled = math.Round(scaled); scaled/scale != v {
				return nil, false
			}
		}
		if math.Abs(scaled) > exact {
			return nil, false
		}
		grown := int64(scaled) - last
		packed = binary.AppendVarint(packed, grown-growth)
		last, growth = int64(scaled), grown
	}
	return append(make([]byte, 0, len(packed)), packed...), true
}

// unpack appends the first n of what was packed.
func unpack(values []float64, n int, packed []byte) []float64 {
	scale, rest := packed[0], packed[1:]
	if scale == asItIs {
		for ; n > 0; n, rest = n-1, rest[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
		}
		return values
	}
	var last, growth int64
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
