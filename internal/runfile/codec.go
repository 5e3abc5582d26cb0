package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// decodeKind maps kinds to their decoders.
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
		Transactions, Statements, Rows *int64
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
	var p Period
	var told struct {
		Value *float64 `json:"value"`
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, &told); err != nil || told.Value == nil {
		return nil, err
	}
	return p, nil
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
