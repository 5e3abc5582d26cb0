package script

import (
	"math"
	"math/bits"
)

// operations implements the binary operators.
var operations = map[string]func(a, b Value) (Value, error){
	"+":  arithmetic(func(x, y float64) float64 { return x + y }, addInts),
	"-":  arithmetic(func(x, y float64) float64 { return x - y }, subtractInts),
	"*":  arithmetic(func(x, y float64) float64 { return x * y }, multiplyInts),
	"/":  arithmetic(func(x, y float64) float64 { return x / y }, divideInts),
	"%":  modulo,
	"=":  comparison(isEqual[float64], isEqual[int64]),
	"<":  comparison(isLess[float64], isLess[int64]),
	"<=": comparison(isLessOrEqual[float64], isLessOrEqual[int64]),
	"<>": comparison(isUnequal[float64], isUnequal[int64]),
	"!=": comparison(isUnequal[float64], isUnequal[int64]),
	"&":  onInts(func(x, y int64) int64 { return x & y }),
	"|":  onInts(func(x, y int64) int64 { return x | y }),
	"#":  onInts(func(x, y int64) int64 { return x ^ y }),
	// like the processor under pgbench, take the distance modulo 64
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

// double reports whether arithmetic on a and b uses doubles.
func double(a, b Value) bool { return a.kind == KindDouble || b.kind == KindDouble }

// arithmetic returns an operator that works on doubles if an operand is a double, and on integers otherwise.
func arithmetic(doubles func(x, y float64) float64,
	ints func(x, y int64) (int64, error)) func(a, b Value) (Value, error) {
	return func(a, b Value) (Value, error) {
		if double(a, b) {
			x, y, err := toDoubles(a, b)
			return Double(doubles(x, y)), err
		}
		x, y, err := toInts(a, b)
		if err != nil {
			return Value{}, err
		}
		result, err := ints(x, y)
		return Int(result), err
	}
}

// comparison is arithmetic for operators that return a boolean.
func comparison(doubles func(x, y float64) bool, ints func(x, y int64) bool) func(a, b Value) (Value, error) {
	return func(a, b Value) (Value, error) {
		if double(a, b) {
			x, y, err := toDoubles(a, b)
			return Bool(doubles(x, y)), err
		}
		x, y, err := toInts(a, b)
		return Bool(ints(x, y)), err
	}
}

func isEqual[N int64 | float64](x, y N) bool       { return x == y }
func isUnequal[N int64 | float64](x, y N) bool     { return x != y }
func isLess[N int64 | float64](x, y N) bool        { return x < y }
func isLessOrEqual[N int64 | float64](x, y N) bool { return x <= y }
func isGreater[N int64 | float64](x, y N) bool     { return x > y }

func addInts(x, y int64) (int64, error) {
	sum := x + y
	if (sum > x) != (y > 0) && y != 0 {
		return 0, errAddRange
	}
	return sum, nil
}

func subtractInts(x, y int64) (int64, error) {
	difference := x - y
	if (difference < x) != (y > 0) && y != 0 {
		return 0, errSubtractRange
	}
	return difference, nil
}

func multiplyInts(x, y int64) (int64, error) {
	if multiplyOverflows(x, y) {
		return 0, errMultiplyRange
	}
	return x * y, nil
}

func multiplyOverflows(x, y int64) bool {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	limit := uint64(math.MaxInt64)
	if (x < 0) != (y < 0) {
		limit++
	}
	return high != 0 || low > limit
}

// magnitude returns the absolute value. It is unsigned for the sake of the smallest integer.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func divideInts(x, y int64) (int64, error) {
	switch {
	case y == 0:
		return 0, errDivisionBy0
	case x == math.MinInt64 && y == -1:
		return 0, errDivideRange
	}
	return x / y, nil
}

// modulo always works on integers.
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

func not(v Value) (Value, error) {
	b, err := v.toBool()
	return Bool(!b), err
}
