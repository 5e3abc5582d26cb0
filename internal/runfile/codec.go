package runfile

import (
	"bytes"
	"encoding/json"
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

// inUTC returns the record with its times in UTC, so that those of a file compare as text, wherever it was written.
func inUTC(r Record) Record {
	switch r := r.(type) {
	case Run:
		r.Start = r.Start.UTC()
		return r
	case Gap:
		r.At = r.At.UTC()
		return r
	case LoadEvent:
		r.At = r.At.UTC()
		return r
	case Reading:
		r.At = r.At.UTC()
		return r
	case Work:
		r.From, r.To = r.From.UTC(), r.To.UTC()
		return r
	case Proof:
		r.At = r.At.UTC()
		return r
	case Period:
		r.From, r.To, r.Fetched = r.From.UTC(), r.To.UTC(), r.Fetched.UTC()
		return r
	case Total:
		r.From, r.To = r.From.UTC(), r.To.UTC()
		return r
	case Top:
		r.From, r.At = r.From.UTC(), r.At.UTC()
		return r
	case WAL:
		r.From, r.To = r.From.UTC(), r.To.UTC()
		return r
	case SettingChange:
		r.At, r.Since = r.At.UTC(), r.Since.UTC()
		return r
	case Ended:
		r.At = r.At.UTC()
		return r
	default:
		return r
	}
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
	switch kind {
	case KindRun:
		return decodeRun(line)
	case KindMetric:
		return decodeAs[Metric](line)
	case KindGap:
		return decodeAs[Gap](line)
	case KindLoad:
		return decodeAs[LoadEvent](line)
	case KindRead:
		return decodeAs[Reading](line)
	case KindWork:
		return decodeAs[Work](line)
	case KindProof:
		return decodeAs[Proof](line)
	case KindPeriod:
		return decodeAs[Period](line)
	case KindTotal:
		return decodeAs[Total](line)
	case KindOrigin:
		return decodeAs[Origin](line)
	case KindTop:
		return decodeAs[Top](line)
	case KindWAL:
		return decodeAs[WAL](line)
	case KindChange:
		return decodeAs[SettingChange](line)
	case KindEnd:
		return decodeAs[Ended](line)
	case "":
		return nil, fmt.Errorf("no kind")
	default:
		return nil, json.Unmarshal(line, &struct{}{})
	}
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
