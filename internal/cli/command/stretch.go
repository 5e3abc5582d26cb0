package command

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/printable"
)

var daysOrWeeks = regexp.MustCompile(`(\d+\.?\d*|\.\d+)([dw])`)

// ParseTime parses a duration as package time does, and also days and weeks: 90s, 36h, 7d, 1w2d12h.
func ParseTime(text string) (time.Duration, error) {
	return time.ParseDuration(daysOrWeeks.ReplaceAllStringFunc(text, func(part string) string {
		n, unit := part[:len(part)-1], part[len(part)-1]
		days, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return part
		}
		if unit == 'w' {
			days *= 7
		}
		return strconv.FormatFloat(days*24, 'f', -1, 64) + "h"
	}))
}

// lengthFlag is a flag for a duration, parsed by [ParseTime].
type lengthFlag struct{ pflag.Value }

func (l lengthFlag) Set(text string) error {
	if d, err := ParseTime(text); err == nil {
		text = d.String()
	}
	return l.Value.Set(text)
}

// spellTimes makes all duration flags of a command use [ParseTime].
func spellTimes(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, done := f.Value.(lengthFlag); !done && f.Value.Type() == "duration" {
			f.Value = lengthFlag{f.Value}
		}
	})
}

// Stretch is a duration of days and weeks: 30d, 12w, 36h.
type Stretch time.Duration

// Longest bounds the stretch of a request.
const Longest = cloudwatch.Longest

func (s *Stretch) Set(text string) error {
	d, err := ParseTime(text)
	if err != nil || d < time.Minute || d > Longest {
		return fmt.Errorf("want 1m to 455d, such as 36h, 30d or 12w")
	}
	*s = Stretch(d)
	return nil
}

// OfHours returns the duration for a source of whole hours.
func (s Stretch) OfHours() (time.Duration, error) {
	if d := time.Duration(s); d >= time.Hour {
		return d, nil
	}
	return 0, fmt.Errorf("--for %s is too short: this reads whole hours, so ask for at least 1h",
		printable.Duration(time.Duration(s)))
}

func (s *Stretch) String() string { return fmt.Sprintf("%gd", time.Duration(*s).Hours()/24) }

func (s *Stretch) Type() string { return "time" }

const Day = 24 * time.Hour
