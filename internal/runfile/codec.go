package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// encode returns a record as one line, its kind first.
func encode(r Record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %s record: %w", r.Kind(), err)
	}
	var line bytes.Buffer
	line.Grow(len(body) + 24)
	fmt.Fprintf(&line, `{"kind":%q,`, r.Kind())
	line.Write(body[1:])
	line.WriteByte('\n')
	return line.Bytes(), nil
}

var decodeKind = map[Kind]func(line []byte) (Record, error){
	KindRun:    decodeRun,
	KindMetric: decodeAs[Metric],
	KindGap:    decodeAs[Gap],
	KindLoad:   decodeAs[LoadEvent],
	KindRead:   decodeReading,
	KindWork:   decodeAnyWork,
	KindProof:  decodeAs[Proof],
	KindPeriod: decodePeriod,
	KindTotal:  decodeTotal,
	KindOrigin: decodeAs[Origin],
	KindTop:    decodeAs[Top],
	KindWAL:    decodeAs[WAL],
	KindChange: decodeAs[SettingChange],
	KindEnd:    decodeAs[Ended],
}

// decode decodes one line. It returns nil without an error for a kind unknown to this version: a newer realiops may add
// kinds.
func decode(line []byte) (Record, error) {
	kind, err := kindOf(line)
	if err != nil {
		return nil, err
	}
	if oldWords(kind, line) {
		return nil, ErrOldWords
	}
	if kind == "" {
		return nil, fmt.Errorf("no kind")
	}
	if of := decodeKind[kind]; of != nil {
		return of(line)
	}
	return nil, json.Unmarshal(line, &struct{}{})
}

// oldWords reports whether a line has a key from before the first release. Its other keys would be misread.
func oldWords(kind Kind, line []byte) bool {
	switch kind {
	case "arm":
		return true
	case KindLoad, KindWork, KindProof, KindTotal, KindOrigin:
		return bytes.Contains(line, []byte(`"arm":`))
	default:
		return false
	}
}

// kindOf finds the kind without parsing the rest of a line that begins with it, like all lines that this package
// writes.
func kindOf(line []byte) (Kind, error) {
	if rest, first := bytes.CutPrefix(line, []byte(`{"kind":"`)); first {
		if kind, _, ends := bytes.Cut(rest, []byte(`",`)); ends && !bytes.ContainsAny(kind, `"\`) {
			return Kind(kind), nil
		}
	}
	var head struct {
		Kind Kind `json:"kind"`
	}
	err := json.Unmarshal(line, &head)
	return head.Kind, err
}

func decodeAs[R Record](line []byte) (Record, error) {
	var r R
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	return r, nil
}

// decodeAnyWork refuses work with a missing amount: it is not 0.
func decodeAnyWork(line []byte) (Record, error) {
	var told struct {
		Transactions *int64 `json:"transactions"`
		Statements   *int64 `json:"statements"`
		Rows         *int64 `json:"rows"`
	}
	switch err := json.Unmarshal(line, &told); {
	case err != nil:
		return nil, err
	case told.Transactions == nil || told.Statements == nil || told.Rows == nil:
		return nil, errors.New("the work lacks its transactions, statements or rows")
	}
	return decodeAs[Work](line)
}

// hasAmounts reports whether no amount is missing in a line without null.
func hasAmounts(line []byte) bool {
	return bytes.Contains(line, []byte(`"transactions":`)) && bytes.Contains(line, []byte(`"statements":`)) &&
		bytes.Contains(line, []byte(`"rows":`))
}

// decodeReading drops null values: they were not read, and are not 0.
func decodeReading(line []byte) (Record, error) {
	var r Reading
	err := json.Unmarshal(line, &r)
	dropNull(line, r.Values)
	return r, err
}

func decodeTotal(line []byte) (Record, error) {
	var t Total
	err := json.Unmarshal(line, &t)
	dropNull(line, t.Values)
	return t, err
}

// decodePeriod returns nil for a period without a value: its source had none.
func decodePeriod(line []byte) (Record, error) {
	var told struct {
		Period
		Value *float64 `json:"value"`
	}
	if err := json.Unmarshal(line, &told); err != nil || told.Value == nil {
		return nil, err
	}
	told.Period.Value = *told.Value
	return told.Period, nil
}

func dropNull(line []byte, values map[string]float64) {
	var told struct {
		Values map[string]*float64 `json:"values"`
	}
	if !bytes.Contains(line, []byte("null")) || json.Unmarshal(line, &told) != nil {
		return
	}
	for name, v := range told.Values {
		if v == nil {
			delete(values, name)
		}
	}
}

// decodeRun checks the schema first, because a newer one may have different fields.
func decodeRun(line []byte) (Record, error) {
	var head struct {
		Schema string `json:"schema"`
		Plan   struct {
			OldLoads json.RawMessage `json:"arms"`
		} `json:"plan"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(head.Schema, schemaFamily) {
		return nil, ErrNotRunFile
	}
	if head.Schema != Schema {
		return nil, &SchemaError{Found: head.Schema}
	}
	if head.Plan.OldLoads != nil {
		return nil, ErrOldWords
	}
	return decodeAs[Run](line)
}

// EndOf returns the last line of a run that failed, was interrupted, or did neither.
func EndOf(failed error, interrupted bool) Ended {
	end := Ended{At: time.Now(), Status: Complete}
	switch {
	case failed == nil:
		return end
	case interrupted:
		end.Status = Interrupted
	default:
		end.Status = Broken
	}
	end.Cause = OneLine(failed.Error())
	return end
}

// OneLine folds an error text into one line: joined errors may repeat each other, and a server's message may have
// several lines.
func OneLine(text string) string {
	var told []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		repeated := slices.ContainsFunc(told, func(earlier string) bool {
			return strings.Contains(earlier, line) || strings.Contains(line, earlier)
		})
		if line != "" && !repeated {
			told = append(told, line)
		}
	}
	return strings.Join(told, "; ")
}

// decodeWork decodes a line of work that this package wrote, ten times faster than encoding/json: a long run has one
// per second, each with a histogram. It returns false if the line has another spelling.
func decodeWork(line []byte) (w Work, ok bool) {
	c := cursor{rest: bytes.TrimRight(line, "\r\n")}
	if !c.skip(`{"kind":"work"`) {
		return w, false
	}
	for !c.skip("}") {
		var name, text []byte
		if !c.skip(",") || !c.text(&name) || !c.skip(":") {
			return w, false
		}
		if len(c.rest) > 0 && c.rest[0] == '"' {
			if !c.text(&text) || !w.say(string(name), text) {
				return w, false
			}
			continue
		}
		n := numberLength(c.rest)
		if !w.count(string(name), string(c.rest[:n])) {
			return w, false
		}
		c.rest = c.rest[n:]
	}
	return w, len(c.rest) == 0
}

func (w *Work) say(name string, text []byte) bool {
	switch name {
	case "from":
		return w.From.UnmarshalText(text) == nil
	case "to":
		return w.To.UnmarshalText(text) == nil
	case "load":
		w.Load = string(text)
	case "latency":
		w.Latency = string(text)
	default:
		return false
	}
	return true
}

func (w *Work) count(name, number string) bool {
	var err error
	switch name {
	case "repetition":
		w.Repetition, err = strconv.Atoi(number)
	case "processor":
		w.Processor, err = strconv.ParseFloat(number, 64)
	default:
		field, known := workCounts[name]
		if !known {
			return false
		}
		*field(w), err = strconv.ParseInt(number, 10, 64)
	}
	return err == nil
}

// workCounts maps names in the file to the fields of counts.
var workCounts = map[string]func(*Work) *int64{
	"transactions":   func(w *Work) *int64 { return &w.Transactions },
	"statements":     func(w *Work) *int64 { return &w.Statements },
	"rows":           func(w *Work) *int64 { return &w.Rows },
	"updated":        func(w *Work) *int64 { return &w.Updated },
	"deleted":        func(w *Work) *int64 { return &w.Deleted },
	"returned":       func(w *Work) *int64 { return &w.Returned },
	"lookups":        func(w *Work) *int64 { return &w.Lookups },
	"failures":       func(w *Work) *int64 { return &w.Failures },
	"retries":        func(w *Work) *int64 { return &w.Retries },
	"late":           func(w *Work) *int64 { return &w.Late },
	"bytes_sent":     func(w *Work) *int64 { return &w.BytesSent },
	"bytes_received": func(w *Work) *int64 { return &w.BytesReceived },
}
