package script

import (
	"math"
	"math/bits"
)

// operations are the meanings of the operators that take two values.
var operations = map[string]func(a, b Value) (Value, error){
	"+":  add,
	"-":  subtract,
	"*":  multiply,
	"/":  divide,
	"%":  modulo,
	"=":  equal,
	"<":  less,
	"<=": lessOrEqual,
	"<>": unequal,
	"!=": unequal,
	"&":  onInts(func(x, y int64) int64 { return x & y }),
	"|":  onInts(func(x, y int64) int64 { return x | y }),
	"#":  onInts(func(x, y int64) int64 { return x ^ y }),
	// the processor takes the distance modulo 64, and pgbench what the processor gives
	"<<": onInts(func(x, y int64) int64 { return x << uint(y&63) }),
	">>": onInts(func(x, y int64) int64 { return x >> uint(y&63) }),
}

func onInts(apply func(x, y int64) int64) func(a, b Value) (Value, error) {
	return func(a, b Value) (Value, error) {
		x, y, err := toInts(a, b)
		if err != nil {
			return Value{}, err
		}
		return Int(apply(x, y)), nil
	}
}

// double reports whether an operator that knows both kinds of numbers works on doubles here.
func double(a, b Value) bool { return a.kind == KindDouble || b.kind == KindDouble }

func add(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Double(x + y), err
	}
	x, y, err := toInts(a, b)
	sum := x + y
	if err == nil && (sum > x) != (y > 0) && y != 0 {
		err = errAddRange
	}
	return Int(sum), err
}

func subtract(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Double(x - y), err
	}
	x, y, err := toInts(a, b)
	difference := x - y
	if err == nil && (difference < x) != (y > 0) && y != 0 {
		err = errSubtractRange
	}
	return Int(difference), err
}

func multiply(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Double(x * y), err
	}
	x, y, err := toInts(a, b)
	if err == nil && multiplyOverflows(x, y) {
		err = errMultiplyRange
	}
	return Int(x * y), err
}

func multiplyOverflows(x, y int64) bool {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	limit := uint64(math.MaxInt64)
	if (x < 0) != (y < 0) {
		limit++
	}
	return high != 0 || low > limit
}

// magnitude returns the absolute value, which for the smallest integer only an unsigned one can hold.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func divide(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Double(x / y), err
	}
	x, y, err := toInts(a, b)
	switch {
	case err != nil:
		return Value{}, err
	case y == 0:
		return Value{}, errDivisionBy0
	case x == math.MinInt64 && y == -1:
		return Value{}, errDivideRange
	}
	return Int(x / y), nil
}

// modulo works on integers always.
func modulo(a, b Value) (Value, error) {
	x, y, err := toInts(a, b)
	switch {
	case err != nil:
		return Value{}, err
	case y == 0:
		return Value{}, errDivisionBy0
	}
	return Int(x % y), nil
}

func equal(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Bool(x == y), err
	}
	x, y, err := toInts(a, b)
	return Bool(x == y), err
}

func unequal(a, b Value) (Value, error) {
	v, err := equal(a, b)
	return Bool(!v.Bool()), err
}

func less(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Bool(x < y), err
	}
	x, y, err := toInts(a, b)
	return Bool(x < y), err
}

func lessOrEqual(a, b Value) (Value, error) {
	if double(a, b) {
		x, y, err := toDoubles(a, b)
		return Bool(x <= y), err
	}
	x, y, err := toInts(a, b)
	return Bool(x <= y), err
}

func not(v Value) (Value, error) {
	b, err := v.toBool()
	return Bool(!b), err
}
