package script

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Kind is the type of a value.
type Kind uint8

// The types of the language. The zero Value is NULL.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindDouble
)

func (k Kind) String() string { return [...]string{"null", "boolean", "int", "double"}[k] }

// Value is NULL, a boolean, a 64-bit integer or a double.
type Value struct {
	kind Kind
	bits uint64
}

// Null returns NULL.
func Null() Value { return Value{} }

// Int returns an integer value.
func Int(i int64) Value { return Value{KindInt, uint64(i)} }

// Double returns a floating-point value.
func Double(d float64) Value { return Value{KindDouble, math.Float64bits(d)} }

// Bool returns a boolean value.
func Bool(b bool) Value {
	if b {
		return Value{KindBool, 1}
	}
	return Value{KindBool, 0}
}

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// Int returns the integer. It is undefined for other kinds.
func (v Value) Int() int64 { return int64(v.bits) }

// Double returns the floating-point number. It is undefined for other kinds.
func (v Value) Double() float64 { return math.Float64frombits(v.bits) }

// Bool returns the boolean. It is undefined for other kinds.
func (v Value) Bool() bool { return v.bits != 0 }

// Truth returns v as a condition of \if and CASE: zero and NULL are false, all other numbers true.
func (v Value) Truth() bool {
	if v.kind == KindDouble {
		return v.Double() != 0
	}
	return v.bits != 0
}

// AppendText appends the value as a statement shows it. A double has 15 digits.
func (v Value) AppendText(dst []byte) []byte {
	switch v.kind {
	case KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case KindInt:
		return strconv.AppendInt(dst, v.Int(), 10)
	case KindDouble:
		return appendDouble(dst, v.Double())
	default:
		return append(dst, "NULL"...)
	}
}

func appendDouble(dst []byte, d float64) []byte {
	switch {
	case math.IsNaN(d):
		return append(dst, "NaN"...)
	case math.IsInf(d, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(d, -1):
		return append(dst, "-Infinity"...)
	default:
		return strconv.AppendFloat(dst, d, 'g', 15, 64)
	}
}

// String returns the kind and the value, as debug() prints it: int 5, double 0.1, boolean true, null.
func (v Value) String() string {
	if v.kind == KindNull {
		return "null"
	}
	return v.kind.String() + " " + string(v.AppendText(nil))
}

// Errors are allocated once, so that a script that meets them in every transaction allocates nothing.
var (
	errNullToInt     = errors.New("cannot coerce null to int")
	errBoolToInt     = errors.New("cannot coerce boolean to int")
	errNullToDouble  = errors.New("cannot coerce null to double")
	errBoolToDouble  = errors.New("cannot coerce boolean to double")
	errNullToBool    = errors.New("cannot coerce null to boolean")
	errIntToBool     = errors.New("cannot coerce int to boolean")
	errDoubleToBool  = errors.New("cannot coerce double to boolean")
	errDivisionBy0   = errors.New("division by zero")
	errAddRange      = errors.New("bigint add out of range")
	errSubtractRange = errors.New("bigint sub out of range")
	errMultiplyRange = errors.New("bigint mul out of range")
	errDivideRange   = errors.New("bigint div out of range")
)

// toInt rounds a double to the nearest integer, and halves to even.
func (v Value) toInt() (int64, error) {
	switch v.kind {
	case KindInt:
		return v.Int(), nil
	case KindDouble:
		return roundToInt(v.Double())
	case KindBool:
		return 0, errBoolToInt
	default:
		return 0, errNullToInt
	}
}

func roundToInt(d float64) (int64, error) {
	d = math.RoundToEven(d)
	if d >= -0x1p63 && d < 0x1p63 { // false for NaN
		return int64(d), nil
	}
	return 0, fmt.Errorf("double to int overflow for %s", appendDouble(nil, d))
}

func (v Value) toDouble() (float64, error) {
	switch v.kind {
	case KindDouble:
		return v.Double(), nil
	case KindInt:
		return float64(v.Int()), nil
	case KindBool:
		return 0, errBoolToDouble
	default:
		return 0, errNullToDouble
	}
}

func (v Value) toBool() (bool, error) {
	switch v.kind {
	case KindBool:
		return v.Bool(), nil
	case KindInt:
		return false, errIntToBool
	case KindDouble:
		return false, errDoubleToBool
	default:
		return false, errNullToBool
	}
}

func toInts(a, b Value) (x, y int64, err error) {
	if x, err = a.toInt(); err == nil {
		y, err = b.toInt()
	}
	return x, y, err
}

func toDoubles(a, b Value) (x, y float64, err error) {
	if x, err = a.toDouble(); err == nil {
		y, err = b.toDouble()
	}
	return x, y, err
}
