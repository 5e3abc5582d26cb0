package sizing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// flushesOfOneLeast and flushesOfOneMost bound the sequential flushes per second of a cloud volume, at 1 to 0.5 ms
// each.
const (
	flushesOfOneLeast = 1000
	flushesOfOneMost  = 2000
)

// omitted lists what the need leaves out, if it would change the answer.
func (s Sizing) omitted() (all []string) {
	add := func(when bool, text string) {
		if when {
			all = append(all, text)
		}
	}
	need := s.Target.Most
	asked, memory := s.Need.FromMemory()
	add(memory > 0, fmt.Sprintf("Reads answered by memory: of %s pages a second not in shared_buffers, this "+
		"machine's memory had %s. With less memory, add them.",
		number.Rate(asked), number.Percent(memory)))
	warm := s.warm()
	add(len(warm) > 0, "What memory answered: "+s.Need.Load+" kept its table out of memory, but not all of it ("+
		strings.Join(warm, "; ")+"). A server with less memory needs more.")
	add(keptCold(s.Run)(s.Need) && len(warm) == 0, "What memory answers: "+s.Need.Load+" kept its table out of "+
		"memory on purpose. A server whose memory holds the data needs less.")
	toldAbove := s.Basis != BySaying && s.Run.Observed == nil
	add(need.Reads == 0 && !toldAbove, "Reads: none were seen, because a cache answered them or they were not "+
		"recorded. If memory does not hold the data, add them: measure with more data than memory, or use --need with "+
		"reads=.")
	add(s.flushesUncounted(), "Flushes: the source does not count them (Linux before 5.5, CloudWatch). Only a run on such "+
		"a volume shows whether it flushes fast enough.")
	onRDS := s.onRDS()
	add(onRDS && !s.Ask.MultiAZ && !s.recordedMultiAZ(), "A standby: --multi-az doubles RDS's price of storage.")
	add(onRDS, "Growth across 400 GiB: RDS then moves from one volume to four, and copies all data for hours. If you "+
		"are near that size, order 400 GiB at once.")
	io2 := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Name == "io2" && o.Standing == Carries })
	add(io2, "Durability: AWS designs io2 to lose one volume in 100,000 a year (99.999%), and other EBS volumes to "+
		"lose one or two in 1,000 (99.8 to 99.9%).")
	add(s.auroraUnknown() && len(s.Options) > 0, onAurora+".")
	readers := "Readers"
	if onRDS {
		readers += " (storage of their own on RDS, none on Aurora)"
	}
	add(true, readers+", backups, and vacuum or index builds beyond this load's: add them with --growth.")
	return all
}

// mostRequest is the largest request that most kernels make, in bytes.
const mostRequest = 1 << 20

// onAurora says why a need alone orders nothing on Aurora.
const onAurora = "Aurora bills its own reads and writes, whose number a need does not show: use realiops size on a " +
	"run, or --from-metric VolumeReadIOPs=AMOUNT/month"

// auroraUnknown reports whether Aurora was requested but its bill is unknown.
func (s Sizing) auroraUnknown() bool { return s.Basis == BySaying && s.Aurora == nil && s.asksAurora() }

func (s Sizing) asksAurora() bool {
	return slices.ContainsFunc(s.Ask.Volumes, func(v catalog.Volume) bool { return v.Provider == auroraStandard })
}

// cautions returns reasons why an order may be wrong although it fits the stated need.
func (s Sizing) cautions() (all []string) {
	need := s.Target.Most
	all = append(append(all, s.Ask.Doubts...), s.unseen()...)
	if s.flushesUncounted() {
		all = append(all, "Flushes were not counted apart from writes: this order may be too large")
	}
	if s.onRDS() && s.recordedMultiAZ() && !s.Ask.MultiAZ {
		all = append(all, "The server is Multi-AZ, but prices of RDS here are without its standby: --multi-az doubles them")
	}
	volume := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Provider != auroraStandard })
	if need.Flushes > flushesOfOneLeast && volume {
		all = append(all, fmt.Sprintf("%s flushes a second come one after another, and one volume does %s to %s "+
			"(0.5 to 1 ms each): commits wait unless several share a flush",
			number.Grouped(need.Flushes, 0), number.Grouped(flushesOfOneLeast, 0), number.Grouped(flushesOfOneMost, 0)))
	}
	if s.Aurora != nil && s.Aurora.Forecast.PagesAsked == nil && !volume {
		all = append(all, "The pages that the load asked for are unknown, and Aurora bills those missing from its buffers: "+
			"its I/O may cost more")
	}
	ordered := need.Times(1 + s.Ask.Headroom/100)
	if m := machineOf(s.Ask.Instance, s.Ask.Instances); m.beforeNitro() && (ordered.Requests() > iopsBeforeNitro || ordered.Bytes()/mib > mibpsBeforeNitro) {
		all = append(all, fmt.Sprintf("Behind the %s, which is without AWS's Nitro system, a volume reaches %s "+
			"IOPS, and io1 and io2 %d MiB/s",
			m.class, number.Grouped(iopsBeforeNitro, 0), mibpsBeforeNitro))
	}
	if len(s.Ask.Volumes) == 0 && len(s.Ask.Distributed) > 0 {
		all = append(all, s.noDistributedOrder()...)
	}
	if s.Aurora == nil && s.asksAurora() && len(s.Options) == 0 {
		why := onAurora
		if s.Basis != BySaying {
			why = "Aurora bills its own reads and writes, whose number requests to a disk do not show: a run with " +
				"loads does"
		}
		all = append(all, "Order: no storage, because Aurora sizes its own", why)
	}
	most := float64(mostRequest)
	if s.Basis != BySaying { // scans were measured at 1.02 MiB
		most *= 4
	}
	if size := need.Bytes() / need.Requests(); size < needs.LeastRequest || size > most {
		all = append(all, fmt.Sprintf("Its requests have %s bytes on average, but a database's have 512 bytes to %.0f "+
			"MiB: a unit is probably wrong", number.Significant(size, 3), most/mib))
	}
	if s.flushesUncounted() && (need.Reads == 0 && need.ReadBytes > 0 || need.Writes == 0 && need.WriteBytes > 0) {
		all = append(all, "Its bytes were read or written in 0 requests: the source's requests or bytes are another "+
			"metric, and this order may be too small")
	}
	if s.Basis != BySaying {
		return all
	}
	if need.Flushes > flushesForRequest*need.Requests() {
		all = append(all, fmt.Sprintf("It has more flushes/s (%s) than requests/s (%s), but only writes are "+
			"flushed: a unit is probably wrong",
			number.Rate(need.Flushes), number.Rate(need.Requests())))
	}
	if s.Ask.Repeated {
		all = append(all, "Its reads equal its writes exactly: a figure was probably entered twice")
	}
	return all
}

// flushesUncounted reports whether the source of the need counts flushes as writes.
func (s Sizing) flushesUncounted() bool { return s.Run != nil && math.IsNaN(s.Target.Most.Flushes) }

// flushesForRequest is the largest number of flushes per write request: a kernel counts some twice.
const flushesForRequest = 2

// noDistributedOrder says why nothing is ordered for databases that spread rows over nodes.
func (s Sizing) noDistributedOrder() []string {
	var titles []string
	for _, d := range s.Ask.Distributed {
		titles = append(titles, d.Title)
	}
	text := "Of " + strings.Join(titles, " and ") + " only rules of thumb are published, by rows a second"
	if s.Need.Rows == nil {
		text += ", which are unknown here: use realiops size on a run"
	}
	return []string{"Order: nothing", text}
}

// warm says why the sized load may have found its data in memory.
func (s Sizing) warm() []string {
	if s.Run == nil {
		return nil
	}
	load, _ := s.Run.Load(s.Need.Load)
	return load.Warm
}

// onRDS reports whether storage of RDS carries the need.
func (s Sizing) onRDS() bool {
	return slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Provider == "rds" && o.Standing == Carries })
}

// recordedMultiAZ reports whether the server of a run has a standby.
func (s Sizing) recordedMultiAZ() bool {
	return slices.ContainsFunc(s.Parts, func(p Part) bool {
		return p.Run != nil && p.Run.Header.Target.Cloud != nil && p.Run.Header.Target.Cloud.MultiAZ
	})
}
