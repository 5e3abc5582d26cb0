package measuring

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Flag types that pgbench has and pflag lacks. Their errors describe valid values.

type wholeFlag struct {
	value       *int
	least, most int
}

func (f *wholeFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.Itoa(*f.value)
}
func (f *wholeFlag) Type() string { return "number" }
func (f *wholeFlag) Set(s string) error {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < f.least || n > f.most {
		return fmt.Errorf("it must be an integer in range %d..%d", f.least, f.most)
	}
	*f.value = n
	return nil
}

// positiveFlag is a number above 0, up to most if that is set.
type positiveFlag struct {
	value *float64
	most  float64
}

func (f *positiveFlag) String() string { return "" }
func (f *positiveFlag) Type() string   { return "number" }
func (f *positiveFlag) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || !(n > 0) || math.IsInf(n, 0):
		return errors.New("it must be a number greater than 0")
	case f.most > 0 && n > f.most:
		return fmt.Errorf("it must be a number greater than 0 and not above %g", f.most)
	}
	*f.value = n
	return nil
}

// secondsFlag is a duration: a number of seconds as in pgbench, or a fraction, or with a unit.
type secondsFlag struct {
	value    *time.Duration
	positive bool
}

func (f *secondsFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.FormatFloat(f.value.Seconds(), 'g', -1, 64)
}
func (f *secondsFlag) Type() string { return "seconds" }
func (f *secondsFlag) Set(s string) error {
	d, err := command.ParseTime(s)
	if err != nil {
		d, err = command.ParseTime(s + "s")
	}
	switch {
	case err != nil || d < 0:
		return errors.New("it must be a number of seconds, or a time like 90s or 10m")
	case f.positive && d == 0:
		return errors.New("it must be more than 0 seconds")
	}
	*f.value = d
	return nil
}

type limitFlag struct{ value *time.Duration }

func (f *limitFlag) String() string { return "" }
func (f *limitFlag) Type() string   { return "milliseconds" }
func (f *limitFlag) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || n > float64(math.MaxInt64/time.Millisecond) {
		return errors.New("it must be a number of milliseconds greater than 0")
	}
	*f.value = time.Duration(n * float64(time.Millisecond))
	return nil
}

type modeFlag struct{ value *engine.Mode }

func (f *modeFlag) String() string {
	if f.value == nil {
		return ""
	}
	return string(*f.value)
}
func (f *modeFlag) Type() string { return "protocol" }
func (f *modeFlag) Set(s string) error {
	switch m := engine.Mode(s); m {
	case engine.Simple, engine.Extended, engine.Prepared:
		*f.value = m
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", engine.Simple, engine.Extended, engine.Prepared)
}

// parseSeed parses a number as pgbench does by the C library, including negative ones, which wrap around.
func parseSeed(s string) (uint64, error) {
	digits, negative := strings.CutPrefix(s, "-")
	value, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, errors.New("it must be an integer, time or rand")
	}
	if negative {
		value = -value
	}
	return value, nil
}

// seed is --random-seed, and the message about it; the default has none.
type seed struct {
	value uint64
	given bool
}

func (f *seed) set(s string) (err error) {
	switch s {
	case "time":
		f.value = uint64(time.Now().UnixMicro())
	case "rand":
		var b [8]byte
		_, err = rand.Read(b[:])
		f.value = binary.LittleEndian.Uint64(b[:])
	default:
		f.value, err = parseSeed(s)
	}
	f.given = err == nil
	return err
}

// seedVariable is the environment variable from which pgbench takes a seed if its flag is not given.
const seedVariable = "PGBENCH_RANDOM_SEED"

// resolve takes the seed from the flag, the environment or the clock.
func (f *seed) resolve(env command.Env) error {
	if f.given {
		return nil
	}
	if text := env.Getenv(seedVariable); text != "" {
		if err := f.set(text); err != nil {
			return fmt.Errorf("%s is %q: %w", seedVariable, text, err)
		}
		return nil
	}
	f.value = uint64(env.Now().UnixMicro())
	return nil
}
