package cost

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Tagged is a result as in JSON. Fields may be added under the same schema.
type Tagged struct {
	Schema string `json:"schema"`
	Result
}

// Tagged returns r with its schema.
func (r Result) Tagged() Tagged { return Tagged{"realiops.measure/1", r} }

// GoBench writes each repetition as a line of a Go benchmark, for benchstat.
func GoBench(w io.Writer, r Result) error {
	name := benchName(r.Operation.Text)
	var b strings.Builder
	for i := range r.Repetitions {
		fmt.Fprintf(&b, "Benchmark%s 1", name)
		for _, c := range r.Counts {
			if c.Missing == "" {
				fmt.Fprintf(&b, " %s %s/op", strconv.FormatFloat(c.Runs[i], 'f', -1, 64), c.Name)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// benchName returns a name as go test prints it: with a capital first and without spaces.
func benchName(text string) string {
	var b strings.Builder
	capital := true
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' && capital:
			b.WriteRune(r - 'a' + 'A')
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			capital = true
			continue
		}
		capital = false
	}
	if b.Len() == 0 {
		return "Operation"
	}
	return b.String()
}

// Bencher writes Bencher's metric format: a measure with its value and bounds for each count.
func Bencher(w io.Writer, r Result) error {
	type measure struct {
		Value float64 `json:"value"`
		Low   float64 `json:"lower_value"`
		High  float64 `json:"upper_value"`
	}
	measures := map[string]measure{}
	for _, c := range r.Counts {
		if c.Missing == "" {
			measures[strings.ReplaceAll(c.Name, "_", "-")] = measure{c.Median, c.Low, c.High}
		}
	}
	text, err := json.MarshalIndent(map[string]map[string]measure{r.Operation.Text: measures}, "", "  ")
	if err == nil {
		_, err = w.Write(append(printable.JSON(text), '\n'))
	}
	return err
}
