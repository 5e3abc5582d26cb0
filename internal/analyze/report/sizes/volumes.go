package sizes

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
)

var filesOf = map[string]string{
	metric.DataRole: "data", metric.WALRole: "WAL", metric.TablespacesRole: "tablespaces",
	metric.TempRole: "temporary files",
}

// Volumes returns a run's demand on each volume of its server; empty if there is one, or the run does not distinguish
// them.
func Volumes(run *counts.Run) []Volume {
	return append([]Volume{}, words.Each(volume, sizing.Volumes(run))...)
}

func volume(v sizing.Volume) Volume {
	all := Volume{Name: words.Enumerated(held(v), " and "), Devices: v.Devices, Shared: v.Shared}
	for _, n := range v.Needs {
		l := VolumeLoad{Load: n.Load, Missing: n.Missing}
		if n.Missing == nil {
			l.Mean, l.Lowest, l.Highest = new(n.Mean), new(n.Lowest), new(n.Highest)
		}
		all.Loads = append(all.Loads, l)
	}
	return all
}

// held names the contents of a volume, with tablespaces by name if they are on different devices.
func held(v sizing.Volume) (all []string) {
	for _, role := range v.Holds {
		if files := filesOf[role]; files != "" {
			all = append(all, files)
		}
	}
	if len(v.Spaces) == 0 {
		return all
	}
	spaces := "tablespace"
	if len(v.Spaces) > 1 {
		spaces += "s"
	}
	return append(all, spaces+" "+words.Enumerated(words.Few(v.Spaces), ", "))
}

func (v Volume) called() string {
	return v.Name + " volume" + words.InBrackets(strings.Join(v.Devices, ", "))
}

// VolumesIn describes a load's demand on each volume in a line; empty if they are not distinguished.
func VolumesIn(volumes []Volume, load string) string {
	var texts []string
	for _, v := range volumes {
		for _, l := range v.Loads {
			switch {
			case l.Load != load:
			case l.Missing != nil:
				texts = append(texts, v.called()+": cannot be told")
			default:
				texts = append(texts, v.called()+": "+rateText(*l.Mean))
			}
		}
	}
	return words.Capital(strings.Join(texts, "; "))
}

// VolumeSection shows each load's demand on each volume.
func VolumeSection(volumes []Volume) document.Block {
	type row struct {
		Volume
		VolumeLoad
	}
	var t document.Grid[row]
	shared := ""
	for _, v := range volumes {
		for _, l := range v.Loads {
			t.Of = append(t.Of, row{v, l})
		}
		if v.Shared {
			shared = " Volumes that share a device show the same figures."
		}
	}
	if len(t.Of) == 0 {
		return nil
	}
	t.Wordy("volume", func(r row) string { return r.Volume.Name })
	t.Wordy("devices", func(r row) string { return strings.Join(r.Devices, ", ") })
	t.Wordy("load", func(r row) string { return r.Load })
	for _, c := range bothWays() {
		t.Numeric(c.header, func(r row) document.Cell {
			if r.Missing != nil {
				return document.Missing(r.Missing.Error())
			}
			mean := c.of(*r.Mean)
			return document.Number(number.Within(mean, c.of(*r.Lowest), c.of(*r.Highest)), mean).Sure(spreadAround(mean, c.of(*r.Lowest), c.of(*r.Highest)))
		})
	}
	return document.Titled("What each volume did (per second)", document.Together{t.Table, words.Faint(
		"The kernel's counts for the devices, all programs included, minus their background. ± half the range " +
			"of repetitions. Writes carry data; flushes are counted separately." + shared)})
}

func spreadAround(mean, lowest, highest float64) string {
	if mean == 0 || lowest == highest {
		return ""
	}
	return "±" + number.Percent((highest-lowest)/2/mean)
}

// apart returns the orders by volume in the form that is shown.
func apart(from sizing.Sizing, region func(sizing.Option) string) []SizeApart {
	all := []SizeApart{}
	for _, a := range from.Apart {
		order := SizeApart{Volume: volume(a.Volume), Why: a.Why}
		if a.Sizing != nil {
			order.Rate, order.GiB = new(a.Sizing.Target.Most), a.Sizing.Ask.GiB
			if c := a.Sizing.Choice; c != nil {
				order.Order = new(sizeOption(c.Option, region(c.Option)).chosen())
			}
		}
		all = append(all, order)
	}
	return all
}

// apartSection shows the orders by volume, and their total cost.
func apartSection(all []SizeApart, of Sized) document.Block {
	if len(all) == 0 {
		return nil
	}
	var lines []string
	total, currency, priced, several := 0.0, "", true, 0
	for _, a := range all {
		text := words.Capital(a.called()) + ": "
		switch {
		case a.Why != "":
			text += a.Why + "."
		case a.Order == nil:
			text += "no known volume carries " + rateText(*a.Rate) + "."
		default:
			text += rateText(*a.Rate) + ": " + a.Order.Text() + "."
		}
		lines = append(lines, text)
		if a.Order == nil || a.Order.Monthly == nil || currency != "" && currency != a.Order.Currency {
			priced = false
			continue
		}
		total, currency = total+*a.Order.Monthly, a.Order.Currency
		if a.GiB == of.GiB {
			several++
		}
	}
	text := "The order above is for one volume that holds everything."
	if priced {
		text += fmt.Sprintf(" Separate volumes cost %s %s a month together.", number.Rate(total), currency)
	}
	if several > 1 {
		text += fmt.Sprintf(" Each volume with tables is sized for all %s GiB, because the run does not show how "+
			"the data is divided.", number.Grouped(of.GiB, 0))
	}
	text += " A volume for WAL alone is sized for twice max_wal_size; replication slots and a failing archiver " +
		"need more."
	return document.Titled("Ordered as separate volumes, as on this server", document.List(lines), words.Faint(text))
}

func rateText(r needs.Rate) string {
	text := fmt.Sprintf("%s requests/s, %s MB/s", number.Rate(r.Requests()), number.Rate(r.Bytes()/number.Mega))
	if math.IsNaN(r.Flushes) {
		return text
	}
	return number.Rate(r.Flushes) + " flushes/s, " + text
}
