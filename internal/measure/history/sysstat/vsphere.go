package sysstat

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/input"
)

// vsphereNames lists vCenter's counters of a virtual machine's disks: reads and writes a second, and their KB.
var vsphereNames = []string{"virtualdisk.numberreadaveraged.average", "virtualdisk.numberwriteaveraged.average",
	"virtualdisk.read.average", "virtualdisk.write.average"}

const askVSphere = `Get-Stat -Entity db1 -Stat virtualdisk.numberreadaveraged.average,virtualdisk.numberwriteaveraged.average,virtualdisk.read.average,virtualdisk.write.average | ` +
	`Select @{n='Entity';e={$_.Entity.Name}},MetricId,@{n='Timestamp';e={$_.Timestamp.ToUniversalTime().ToString('s')+'Z'}},Value,Instance,IntervalSecs | Export-Csv -NoTypeInformation stats.csv`

// ofVSphere reads CSV from PowerCLI's Get-Stat, and returns the machines in order of their names.
func ofVSphere(text string) (all []Host, err error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma = input.Separator([]byte(text))
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("invalid CSV of vCenter: %w", err)
	}
	column := map[string]int{}
	for k, name := range rows[0] {
		column[name] = k
	}
	for _, name := range []string{"Entity", "MetricId", "Timestamp", "Value", "Instance", "IntervalSecs"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("column %s is missing; write it with %s", name, askVSphere)
		}
	}
	type key struct {
		machine string
		length  time.Duration
	}
	machines := map[key]*sums{}
	for n, row := range rows[1:] {
		k := slices.Index(vsphereNames, strings.ToLower(row[column["MetricId"]]))
		at, errTime := time.Parse(time.RFC3339, row[column["Timestamp"]])
		v, errValue := strconv.ParseFloat(strings.Replace(row[column["Value"]], ",", ".", 1), 64) // a decimal comma
		seconds, errSeconds := strconv.ParseFloat(row[column["IntervalSecs"]], 64)
		switch {
		case k < 0:
			continue
		case errTime != nil:
			return nil, fmt.Errorf("line %d: time %q is invalid or has no zone; write it with %s", n+2, row[column["Timestamp"]],
				askVSphere)
		case errValue != nil || errSeconds != nil || !(seconds >= 1 && seconds <= longest.Seconds()):
			return nil, fmt.Errorf("line %d: want a value, and an interval of 1 s to 1 h", n+2)
		case row[column["Instance"]] == "":
			continue // the sum of all disks, which are counted one by one
		}
		const kilo = 1024
		value := &v
		switch {
		case v == -1: // a sample that vCenter lacks
			value = nil
		case k >= 2:
			v *= kilo
		}
		of := key{row[column["Entity"]], time.Duration(seconds * float64(time.Second))}
		if machines[of] == nil {
			machines[of] = &sums{}
		}
		begin := at.Add(-of.length) // vCenter stamps the end
		if err := machines[of].add(k, row[column["Instance"]], begin, value); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+2, err)
		}
	}
	for of, s := range machines {
		h := Host{Name: of.machine}
		if err := h.fill(*s, of.length); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("it has no vCenter counters of single virtual disks; write it with %s", askVSphere)
	}
	slices.SortFunc(all, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
