// Package sysstat reads what sysstat kept of the disks of machines, as its program sadf -j -- -b writes it: files of any days of any
// machines. What they say of a machine is added up over its disks, those that are made of others left out.
package sysstat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Host is what a file says of a machine.
type Host struct {
	Name      string
	Intervals []Interval // in the order of the file
}

// Interval is a stretch of time and the means over it, a second.
type Interval struct {
	From, To                             time.Time
	Reads, Writes, ReadBytes, WriteBytes float64
}

// exported is the part of sadf's JSON that is about disks.
type exported struct {
	Sysstat *struct {
		Hosts []struct {
			Nodename   string `json:"nodename"`
			Statistics []struct {
				Timestamp timestamp `json:"timestamp"`
				IO        *struct {
					Reads struct {
						Requests float64 `json:"rtps"`
						Blocks   float64 `json:"bread"`
					} `json:"io-reads"`
					Writes struct {
						Requests float64 `json:"wtps"`
						Blocks   float64 `json:"bwrtn"`
					} `json:"io-writes"`
				} `json:"io"`
			} `json:"statistics"`
		} `json:"hosts"`
	} `json:"sysstat"`
}

// timestamp is when an interval ended.
type timestamp struct {
	Date    string  `json:"date"`
	Time    string  `json:"time"`
	UTC     int     `json:"utc"`
	Seconds float64 `json:"interval"`
}

const (
	// block is what bread and bwrtn count, in bytes.
	block = 512
	// longest is how long an interval may be: more is no mean of an hour.
	longest = time.Hour
	// most bounds a rate: no machine does more requests, or blocks, a second.
	most = 1e10
)

// Read reads a file.
func Read(text []byte) ([]Host, error) {
	var e exported
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, notJSON(text, err)
	}
	if e.Sysstat == nil {
		return nil, errors.New(`it is JSON of something else: sadf -j -- -b begins with "sysstat"`)
	}
	var all []Host
	for _, h := range e.Sysstat.Hosts {
		host := Host{Name: h.Nodename}
		if host.Name == "" {
			return nil, errors.New("it does not say which machine it is about")
		}
		for _, s := range h.Statistics {
			if s.IO == nil {
				return nil, errors.New("it says nothing of the disks: have it written by sadf -j -- -b")
			}
			from, to, err := s.Timestamp.interval()
			if err != nil {
				return nil, err
			}
			i := Interval{from, to, s.IO.Reads.Requests, s.IO.Writes.Requests, s.IO.Reads.Blocks * block, s.IO.Writes.Blocks * block}
			for _, rate := range i.rates() {
				if !(rate >= 0 && rate <= most*block) {
					return nil, fmt.Errorf("it shows %g a second at %s, which no disk does", rate, to.Format(time.RFC3339))
				}
			}
			if to.After(from) {
				host.Intervals = append(host.Intervals, i)
			}
		}
		all = append(all, host)
	}
	return all, nil
}

// rates are the numbers of an interval, in the order of [rows].
func (i Interval) rates() []float64 {
	return []float64{i.Reads, i.Writes, i.ReadBytes, i.WriteBytes}
}

func (t timestamp) interval() (from, to time.Time, err error) {
	to, err = time.Parse(time.DateTime, t.Date+" "+t.Time)
	switch {
	case err != nil:
		return from, to, fmt.Errorf("it has a time that is none: %q %q", t.Date, t.Time)
	case t.UTC != 1:
		return from, to, errors.New("its times are those of the machine's zone, which repeat an hour in autumn: leave out -t and -T of sadf")
	case !(t.Seconds >= 0 && t.Seconds <= longest.Seconds()):
		return from, to, fmt.Errorf("its interval that ends at %s is of %g seconds, and an hour is the longest that is taken", to.Format(time.RFC3339), t.Seconds)
	}
	return to.Add(-time.Duration(t.Seconds * float64(time.Second))), to, nil
}

// notJSON says what a file is instead.
func notJSON(text []byte, err error) error {
	begin := strings.TrimSpace(string(text[:min(len(text), 64)]))
	switch {
	case begin == "":
		return errors.New("it is empty")
	case strings.HasPrefix(string(text), "\x96\xd5"), strings.HasPrefix(string(text), "\xd5\x96"):
		return errors.New("it is a file of sysstat's own: sadf -j FILE -- -b writes it as JSON")
	case begin[0] != '{':
		return errors.New("it is no JSON: have it written by sadf -j -- -b")
	}
	return fmt.Errorf("it is JSON that ends too early or has other fields: %w", err)
}
