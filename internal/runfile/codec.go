package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// encode renders a record as one line, its kind first.
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

// decodeKind reads a line of each kind.
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

// decode reads one line. A kind this version does not know gives nil and no error: a newer realiops may add kinds.
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

// oldWords reports whether a line has a key that went before the first release. Its other keys would be taken for what
// they no longer mean.
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

// kindOf is found without a look at the rest of a line that begins with it, as all do that this package writes.
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

// decodeAnyWork refuses work of which an amount is missing: it is not 0.
func decodeAnyWork(line []byte) (Record, error) {
	var told struct {
		Transactions, Statements, Rows *int64
	}
	switch err := json.Unmarshal(line, &told); {
	case err != nil:
		return nil, err
	case told.Transactions == nil || told.Statements == nil || told.Rows == nil:
		return nil, errors.New("it does not say all of the transactions, statements and rows of this work")
	}
	return decodeAs[Work](line)
}

// hasAmounts reports the same of a line that has no null.
func hasAmounts(line []byte) bool {
	return bytes.Contains(line, []byte(`"transactions":`)) && bytes.Contains(line, []byte(`"statements":`)) &&
		bytes.Contains(line, []byte(`"rows":`))
}

// decodeReading leaves out what is null: it was not read, and is not 0.
func decodeReading(line []byte) (Record, error) {
	var r Reading
	err := json.Unmarshal(line, &r)
	withoutNull(line, r.Values)
	return r, err
}

func decodeTotal(line []byte) (Record, error) {
	var t Total
	err := json.Unmarshal(line, &t)
	withoutNull(line, t.Values)
	return t, err
}

// decodePeriod returns nothing for a period without a value: its source did not tell it.
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

func withoutNull(line []byte, values map[string]float64) {
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

// decodeRun looks at the schema before anything else, because a newer one may have other fields in other shapes.
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
