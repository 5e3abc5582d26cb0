package runfile

import (
	"bytes"
	"strconv"
)

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

// say sets a text field.
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

// count sets a numeric field.
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
