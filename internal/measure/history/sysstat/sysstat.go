// Package sysstat reads the disk statistics of machines from sysstat and other monitors, in files of any days and
// machines: the output of sadf -j -- -b and iostat, Azure Monitor's metrics from the az program, and vCenter's from
// PowerCLI. It adds up a machine's disks, without devices made of others.
package sysstat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/shell"
)

// Host is a file's data on one machine.
type Host struct {
	Name      string
	Intervals []Interval // in the order of the file
	partial   []span     // stretches with missing parts
	// disks counts the intervals of each disk; nil: the file does not separate disks.
	disks map[string]int
	raid  float64 // bytes written to software RAID (md), whose disks count
}

type span struct{ from, to time.Time }

// Interval is a stretch of time and its mean rates per second.
type Interval struct {
	From, To                             time.Time
	Reads, Writes, ReadBytes, WriteBytes float64
}

// exported is the part of sadf's or iostat's JSON about disks.
type exported struct {
	Sysstat *struct {
		Hosts []struct {
			Nodename   string            `json:"nodename"`
			Statistics []json.RawMessage `json:"statistics"`
		} `json:"hosts"`
	} `json:"sysstat"`
	azure
}

type statistic struct {
	Timestamp timestamp `json:"timestamp"`
	IO        *struct {
		Reads struct {
			Requests *float64 `json:"rtps"`
			Blocks   *float64 `json:"bread"`
		} `json:"io-reads"`
		Writes struct {
			Requests *float64 `json:"wtps"`
			Blocks   *float64 `json:"bwrtn"`
		} `json:"io-writes"`
	} `json:"io"`
}

// over returns the work between two moments; false: a number is missing.
func (s statistic) over(from, to time.Time) (Interval, bool) {
	r, w := s.IO.Reads, s.IO.Writes
	if r.Requests == nil || r.Blocks == nil || w.Requests == nil || w.Blocks == nil {
		return Interval{}, false
	}
	return Interval{from, to, *r.Requests, *w.Requests, *r.Blocks * block, *w.Blocks * block}, true
}

type timestamp struct {
	Date    string  `json:"date"`
	Time    string  `json:"time"`
	UTC     int     `json:"utc"`
	Seconds float64 `json:"interval"`
}

const (
	// block is the unit of bread and bwrtn, in bytes.
	block = 512
	// longest bounds an interval: a longer mean says nothing about an hour.
	longest = time.Hour
	// most bounds a rate: no machine has more requests, or blocks, a second.
	most = 1e10
)

// Read reads a file and recognizes its program by its content.
func Read(text []byte) ([]Host, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	all, err := read(text)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if h.Name == "" {
			return nil, errors.New("it does not name its machine")
		}
		for _, i := range h.Intervals {
			for _, rate := range i.rates() {
				if !(rate >= 0 && rate <= most*block) {
					return nil, fmt.Errorf("%g a second at %s is more than any disk does", rate, i.To.Format(time.RFC3339))
				}
			}
		}
	}
	return all, nil
}

func read(text []byte) (all []Host, err error) {
	switch keeper := Keeper(text); {
	case keeper == "iostat" && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		h, err := ofIostatText(string(bytes.TrimSpace(text)))
		return []Host{h}, err
	case keeper == "vCenter":
		return ofVSphere(string(text))
	}
	var e exported
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, notJSON(text, err)
	}
	switch {
	case e.Sysstat == nil && len(e.Value) > 0:
		h, err := e.host()
		return []Host{h}, err
	case e.Sysstat == nil:
		return nil, errors.New(`it is not sadf's JSON, which begins with "sysstat"`)
	}
	for _, h := range e.Sysstat.Hosts {
		host, err := ofHost(h.Nodename, h.Statistics)
		if err != nil {
			return nil, err
		}
		all = append(all, host)
	}
	return all, nil
}

// Keeper names the program that wrote a file, or ""; it also knows sysstat's own files.
func Keeper(text []byte) string {
	begin := bytes.TrimSpace(bytes.TrimPrefix(text[:min(len(text), 64<<10)], []byte("\xef\xbb\xbf")))
	first, _, _ := bytes.Cut(begin, []byte("\n"))
	has := func(in []byte, words ...string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(in, []byte(word)) })
	}
	switch {
	case IsOwn(text):
		return "sysstat"
	case bytes.HasPrefix(begin, []byte("{")) && bytes.HasPrefix(bytes.TrimSpace(begin[1:]), []byte(`"sysstat"`)):
		if has(begin, `"disk_device"`) {
			return "iostat"
		}
		return "sysstat"
	case bytes.HasPrefix(begin, []byte("Linux ")) && has(begin, "Device"):
		return "iostat"
	case has(first, "MetricId", "Timestamp"):
		return "vCenter"
	case bytes.HasPrefix(begin, []byte("{")) && has(begin, `"timeseries"`, `"timeStamp"`):
		return "Azure Monitor"
	}
	return ""
}

// ofHost reads sadf's or iostat's data on a machine.
func ofHost(name string, statistics []json.RawMessage) (host Host, err error) {
	host.Name = name
	for n, text := range statistics {
		var s statistic
		if err := json.Unmarshal(text, &s); err != nil {
			if n == 0 && bytes.Contains(text, []byte(`"disk_device"`)) {
				return ofIostat(name, statistics)
			}
			return host, input.NotJSON(err)
		}
		if s.IO == nil {
			return host, errors.New("it has no disks; write it with sadf -j -- -b")
		}
		from, to, err := s.Timestamp.interval()
		if err != nil {
			return host, err
		}
		if !to.After(from) {
			continue
		}
		i, whole := s.over(from, to)
		if !whole {
			return host, fmt.Errorf("it lacks requests or blocks, read or written, at %s; write it with sadf -j -- -b",
				to.Format(time.RFC3339))
		}
		host.Intervals = append(host.Intervals, i)
	}
	return host, nil
}

// IsOwn reports whether a file is in sysstat's own format, which sar reads.
func IsOwn(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\x96\xd5")) || bytes.HasPrefix(text, []byte("\xd5\x96"))
}

// errOwn names the command that converts one of sysstat's own files.
var errOwn = errors.New("it is sysstat's binary file; convert it with sadf -j FILE -- -b")

// ToJSON returns the command that converts one of sysstat's own files for [Read].
func ToJSON(name string) string {
	return shell.InText("sadf -j").File(name, "FILE").With("-- -b >").File(filepath.Base(name)+".json",
		"FILE.json").String()
}

// rates returns the rates of an interval, in the order of [rows].
func (i Interval) rates() []float64 { return []float64{i.Reads, i.Writes, i.ReadBytes, i.WriteBytes} }

func (t timestamp) interval() (from, to time.Time, err error) {
	to, err = time.Parse(time.DateTime, t.Date+" "+t.Time)
	switch {
	case err != nil:
		return from, to, fmt.Errorf("invalid time %q %q", t.Date, t.Time)
	case t.UTC != 1:
		return from, to, errors.New("its times are local, and an hour repeats in autumn; run sadf without -t and -T")
	case !(t.Seconds >= 0 && t.Seconds <= longest.Seconds()):
		return from, to, fmt.Errorf("its interval that ends at %s is %g seconds; the longest is an hour",
			to.Format(time.RFC3339), t.Seconds)
	}
	return to.Add(-time.Duration(t.Seconds * float64(time.Second))), to, nil
}

// notJSON explains what a file is instead.
func notJSON(text []byte, err error) error {
	switch begin := strings.TrimSpace(string(text[:min(len(text), 64)])); {
	case begin == "":
		return errors.New("the file is empty")
	case IsOwn(text):
		return errOwn
	case begin[0] != '{':
		return errors.New("it is not JSON; write it with sadf -j -- -b")
	}
	return input.NotJSON(err)
}
