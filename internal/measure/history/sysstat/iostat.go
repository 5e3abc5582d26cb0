package sysstat

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
)

// askIostat is the command whose output [Read] accepts.
const askIostat = "S_TIME_FORMAT=ISO iostat -o JSON -dxkty 10 360 > io.json"

// disks matches Linux disks, excluding devices made of them, which would count requests twice.
var disks = regexp.MustCompile(`^([shv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+|dasd[a-z]+)$`)

// raids matches Linux' software RAID.
var raids = regexp.MustCompile(`^md\d+$`)

// iostatTimes is iostat's layout of an interval's end with S_TIME_FORMAT=ISO.
const iostatTimes = "2006-01-02T15:04:05-0700"

// iostat is a report of iostat -o JSON.
type iostat struct {
	Timestamp string           `json:"timestamp"`
	Disks     []map[string]any `json:"disk"`
}

// ofIostat adds up the disks of a machine. It skips the first report, whose begin is unknown.
func ofIostat(name string, statistics []json.RawMessage) (Host, error) {
	host := Host{Name: name, disks: map[string]int{}}
	var before time.Time
	for _, text := range statistics {
		var s iostat
		if err := json.Unmarshal(text, &s); err != nil {
			return host, fmt.Errorf("it is iostat's JSON without the fields of -x; write it with %s", askIostat)
		}
		at, err := time.Parse(iostatTimes, s.Timestamp)
		if err != nil {
			return host, fmt.Errorf("iostat's time %q has no zone or an ambiguous date; write it with %s", s.Timestamp,
				askIostat)
		}
		i := Interval{From: before.UTC(), To: at.UTC()}
		found, idle, paths := false, map[string]bool{}, map[string]Interval{} // by the disk that they lead to
		var raid Interval
		for _, d := range s.Disks {
			name, _ := d["disk_device"].(string)
			name = strings.TrimPrefix(name, "/dev/")
			head := history.HeadOf(name)
			if raids.MatchString(name) {
				if err := raid.add(d); err != nil {
					return host, err
				}
			}
			if head == "" && !disks.MatchString(name) {
				continue
			}
			found = true
			to := &i
			if head != "" {
				of := paths[head]
				to = &of
			}
			before := to.Reads + to.Writes
			if err := to.add(d); err != nil {
				return host, err
			}
			if head != "" {
				paths[head] = *to
			} else {
				idle[name] = to.Reads+to.Writes == before
			}
		}
		for head, of := range paths {
			if nothing, ok := idle[head]; nothing || !ok {
				i.Reads, i.Writes, i.ReadBytes, i.WriteBytes = i.Reads+of.Reads, i.Writes+of.Writes, i.ReadBytes+
					of.ReadBytes, i.WriteBytes+of.WriteBytes
			}
		}
		switch {
		case !found:
			return host, errors.New("iostat shows no disk, only devices made of disks (dm-, md, loop); leave out -N and " +
				"device names")
		case !before.IsZero() && (!at.After(before) || at.Sub(before) > longest):
			return host, fmt.Errorf("iostat's times go from %s to %s; the longest interval is an hour",
				before.Format(time.RFC3339), at.Format(time.RFC3339))
		case !before.IsZero():
			host.Intervals = append(host.Intervals, i)
			host.raid += raid.WriteBytes * i.To.Sub(i.From).Seconds()
			for name := range idle {
				host.disks[name]++
			}
		}
		before = at
	}
	return host, nil
}

func (i *Interval) add(disk map[string]any) error {
	const kilo = 1024
	number := func(names map[string]float64) (float64, error) {
		for name, unit := range names {
			if v, ok := disk[name].(float64); ok {
				return v * unit, nil
			}
		}
		return 0, fmt.Errorf("iostat shows no requests and bytes of %v; write it with %s", disk["disk_device"], askIostat)
	}
	for to, names := range map[*float64]map[string]float64{
		&i.Reads: {"r/s": 1}, &i.Writes: {"w/s": 1},
		&i.ReadBytes:  {"rkB/s": kilo, "rMB/s": kilo * kilo, "rsec/s": block},
		&i.WriteBytes: {"wkB/s": kilo, "wMB/s": kilo * kilo, "wsec/s": block},
	} {
		v, err := number(names)
		if err != nil {
			return err
		}
		*to += v
	}
	return nil
}

func ofIostatText(text string) (Host, error) {
	first, rest, _ := strings.Cut(text, "\n")
	_, name, _ := strings.Cut(first, "(")
	name, _, named := strings.Cut(name, ")")
	if !named || name == "" {
		return Host{}, errors.New("the first line of iostat's table does not name the machine; write it with " + askIostat)
	}
	var all []json.RawMessage
	var now iostat
	var columns []string
	keep := func() error {
		if len(now.Disks) == 0 {
			return nil
		}
		text, err := json.Marshal(map[string]any{"timestamp": now.Timestamp, "disk": now.Disks})
		all, now.Disks = append(all, text), nil
		return err
	}
	for line := range strings.Lines(rest) {
		switch fields := strings.Fields(line); {
		case len(fields) == 1:
			if err := keep(); err != nil {
				return Host{}, err
			}
			now.Timestamp = fields[0]
		case len(fields) > 1 && strings.HasPrefix(fields[0], "Device"):
			columns = fields
		case len(fields) > 1 && len(fields) == len(columns):
			disk := map[string]any{"disk_device": fields[0]}
			for k, field := range fields[1:] {
				if v, err := strconv.ParseFloat(strings.Replace(field, ",", ".", 1), 64); err == nil {
					disk[columns[k+1]] = v
				}
			}
			now.Disks = append(now.Disks, disk)
		}
	}
	if err := keep(); err != nil {
		return Host{}, fmt.Errorf("read iostat's table: %w", err)
	}
	if len(all) == 0 {
		return Host{}, errors.New("iostat's table has no disks; write it with " + askIostat)
	}
	return ofIostat(name, all)
}
