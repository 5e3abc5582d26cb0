package script

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Vars holds the variables of one client, by slot. Only one goroutine may use them at a time.
type Vars struct {
	set  *Set
	vars []variable
}

// variable holds a text, a value, or both. The missing one is derived on demand.
type variable struct {
	text  []byte // kept for its memory
	value Value
	state variableState
}

type variableState uint8

const (
	undefined variableState = iota
	onlyText                // from -D or a query; its value has not been parsed yet
	textRead                // its value has been parsed
	onlyValue               // computed
)

// NewVars returns a client's variables, all undefined. All scripts of the set must have been parsed.
func (s *Set) NewVars() *Vars { return &Vars{set: s, vars: make([]variable, len(s.names))} }

// Clone copies the variables, for example -D values to each client.
func (v *Vars) Clone() *Vars {
	c := v.set.NewVars()
	for i, from := range v.vars {
		c.vars[i] = variable{text: append([]byte(nil), from.text...), value: from.value, state: from.state}
	}
	return c
}

// Define sets a variable to a text, as -D and \gset do. The text is parsed when an expression uses it. A valid name
// that no script mentions is ignored.
func (v *Vars) Define(name, text string) error {
	slot, known, err := v.set.lookup(name)
	if err == nil && known {
		v.SetText(slot, text)
	}
	return err
}

// DefineValue is Define for a value.
func (v *Vars) DefineValue(name string, value Value) error {
	slot, known, err := v.set.lookup(name)
	if err == nil && known {
		v.SetValue(slot, value)
	}
	return err
}

// SetText is Define for a slot.
func (v *Vars) SetText(slot int, text string) {
	x := &v.vars[slot]
	x.text, x.state = append(x.text[:0], text...), onlyText
}

// SetValue is DefineValue for a slot.
func (v *Vars) SetValue(slot int, value Value) {
	x := &v.vars[slot]
	x.value, x.state = value, onlyValue
}

// AppendText appends a variable's text for a statement, and reports whether the variable is defined. As in pgbench,
// NULL is the word NULL, even as a parameter.
func (v *Vars) AppendText(dst []byte, slot int) (text []byte, defined bool) {
	switch x := &v.vars[slot]; x.state {
	case undefined:
		return dst, false
	case onlyValue:
		return x.value.AppendText(dst), true
	default:
		return append(dst, x.text...), true
	}
}

// Value returns the value of a variable, parsing its text if necessary.
func (v *Vars) Value(slot int) (Value, error) {
	if x := &v.vars[slot]; x.state >= textRead {
		return x.value, nil
	}
	return v.read(slot)
}

func (v *Vars) read(slot int) (Value, error) {
	x := &v.vars[slot]
	if x.state == undefined {
		return Value{}, fmt.Errorf("undefined variable %q", v.set.names[slot])
	}
	value, short := shortInt(x.text)
	if !short {
		var err error
		if value, err = parseValue(string(x.text)); err != nil {
			return Value{}, fmt.Errorf("variable %q: %w", v.set.names[slot], err)
		}
	}
	x.value, x.state = value, textRead
	return value, nil
}

// shortInt parses up to 18 digits, the common case, without making a string.
func shortInt(text []byte) (Value, bool) {
	if len(text) == 0 || len(text) > 18 {
		return Value{}, false
	}
	var i int64
	for _, c := range text {
		if !isDigit(c) {
			return Value{}, false
		}
		i = i*10 + int64(c-'0')
	}
	return Int(i), true
}

// parseValue parses a text as pgbench does: null, then prefixes of the words for true and
// false, then integers, then doubles.
func parseValue(text string) (Value, error) {
	switch {
	case text == "":
		return Value{}, errors.New("empty value")
	case strings.EqualFold(text, "null"):
		return Null(), nil
	case startsWord(text, "true"), startsWord(text, "yes"), strings.EqualFold(text, "on"):
		return Bool(true), nil
	case startsWord(text, "false"), startsWord(text, "no"), startsWord(text, "off") && len(text) > 1:
		return Bool(false), nil
	case strings.Trim(unsigned(text), "0123456789") ==
		"": // digits only, or none: report it as a bad integer
		return parseInt(text)
	}
	d, err := parseDouble(strings.TrimLeft(text, cSpace))
	if err != nil {
		return Value{}, fmt.Errorf("malformed value %q", text)
	}
	return Double(d), nil
}

// cSpace holds the characters that C skips before a number.
const cSpace = " \t\n\v\f\r"

// startsWord reports whether text is a prefix of word, ignoring case.
func startsWord(text, word string) bool {
	return len(text) <= len(word) && strings.EqualFold(text, word[:len(text)])
}

// unsigned returns a number without leading space and sign.
func unsigned(text string) string {
	text = strings.TrimLeft(text, cSpace)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

func parseInt(text string) (Value, error) {
	i, err := strconv.ParseInt(strings.TrimLeft(text, cSpace), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return Value{}, fmt.Errorf("value %q is out of range for type bigint", text)
	case err != nil:
		return Value{}, fmt.Errorf("invalid input syntax for type bigint: %q", text)
	}
	return Int(i), nil
}

var errDoubleRange = errors.New("out of range for type double")

// smallestNormal is the smallest double with full precision. C reports smaller results as out of range.
const smallestNormal = 0x1p-1022

// parseDouble parses what C's strtod accepts, including inf, nan and hexadecimal, but no
// underscores, and no number too small.
func parseDouble(text string) (float64, error) {
	digits := strings.ToLower(unsigned(text))
	if strings.Contains(digits, "_") {
		return 0, strconv.ErrSyntax
	}
	if strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		text += "p0"
	}
	d, err := strconv.ParseFloat(text, 64)
	if err == nil && math.Abs(d) < smallestNormal && !isZero(digits) {
		err = errDoubleRange
	}
	return d, err
}

// isZero reports whether the digits before the exponent are all zero.
func isZero(digits string) bool {
	exponent := "e"
	if strings.HasPrefix(digits, "0x") {
		exponent = "p"
	}
	mantissa, _, _ := strings.Cut(digits, exponent)
	return strings.Trim(mantissa, "0.x") == ""
}

// validName reports whether a variable may have that name: letters, digits, underscores and bytes beyond
// ASCII, not beginning with a digit.
func validName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) || i == 0 && isDigit(name[i]) {
			return false
		}
	}
	return name != ""
}

// Set holds the scripts of one run, which share their variables. Parse all of them before making the first client;
// after that, any number of goroutines may read the set.
type Set struct {
	names []string // by slot
	slots map[string]int
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{slots: map[string]int{}} }

// Names lists the variables that the scripts mention, by slot.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Slot finds a variable that some script mentions.
func (s *Set) Slot(name string) (slot int, known bool) {
	slot, known = s.slots[name]
	return slot, known
}

// lookup is Slot with an error for an invalid name.
func (s *Set) lookup(name string) (slot int, known bool, err error) {
	if slot, known = s.slots[name]; !known && !validName(name) {
		return 0, false, fmt.Errorf("invalid variable name %q", name)
	}
	return slot, known, nil
}

func (s *Set) slot(name string) int {
	if slot, known := s.slots[name]; known {
		return slot
	}
	s.names = append(s.names, name)
	s.slots[name] = len(s.names) - 1
	return len(s.names) - 1
}
