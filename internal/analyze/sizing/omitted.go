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
func (s Sizing) omitted() []string {
	var all []string
	add := func(when bool, text string) {
		if when {
			all = append(all, text)
		}
	}
	need := s.Target.Most
	asked, memory := s.Need.FromMemory()
	add(memory > 0, fmt.Sprintf("Reads that memory answered: of the %s pages a second that were not in shared_buffers, this machine's memory had %s. With less memory they come on top.",
		number.Rate(asked), number.Percent(memory)))
	warm := s.warm()
	add(len(warm) > 0, "What memory answered of "+s.Need.Load+", which was to find nothing of its table there: "+strings.Join(warm, "; ")+". A server with less memory asks for more.")
	add(keptCold(s.Run)(s.Need) && len(warm) == 0, "What memory answers: "+s.Need.Load+" was kept from finding its table there. A server whose memory holds what it reads asks for less.")
	var passed []string // cold loads that are not sized for
	if s.Ask.Load == "" {
		passed = names(slices.DeleteFunc(slices.Clone(s.Needs), func(n needs.Need) bool { return n.Load == s.Need.Load || !keptCold(s.Run)(n) }))
	}
	add(len(passed) > 0, "Reads of a table that is not in memory, as under "+strings.Join(passed, " and ")+": these ask for as much as the device gives. --load sizes for one of them.")
	add(need.Reads == 0 && len(passed) == 0, "Reads: none were seen, because a cache answered them or nobody recorded them. Where memory does not hold the data they come on top: measure with more data than memory, or use --need with reads=.")
	add(s.Run != nil && math.IsNaN(need.Flushes), "Flushes: the source does not count them (Linux before 5.5, CloudWatch). They are among the writes, so the order may be for more "+
		"requests than carry data; only a run on such a volume tells whether it flushes fast enough.")
	add(s.recordedMultiAZ() && !s.Ask.MultiAZ, "The standby: the run's server is Multi-AZ, and the prices of RDS here are not. --multi-az doubles them.")
	onRDS := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Provider == "rds" && o.Standing == Carries })
	add(onRDS && !s.Ask.MultiAZ && !s.recordedMultiAZ(), "A standby: --multi-az doubles what RDS asks for storage.")
	add(onRDS, "The step of RDS: growing past 400 GiB takes it from one volume to four, which copies all data for hours and costs operations meanwhile. If you are near it, order 400 GiB at once.")
	io2 := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Name == "io2" && o.Standing == Carries })
	add(io2, "Durability: io2 is made to lose one volume in 100,000 a year (99.999%), the others of EBS one or two in 1,000 (99.8 to 99.9%), by the EBS user guide's page of volume types. No load shows that.")
	add(s.auroraUnknown() && len(s.Options) > 0, onAurora+".")
	readers := "Readers"
	if onRDS {
		readers += " (storage of their own on RDS, none on Aurora)"
	}
	add(true, readers+", backups, and vacuum or index builds beyond what ran in this load: add to the need with --growth.")
	return all
}

// mostRequest is the largest request that a kernel makes, in bytes.
const mostRequest = 1 << 20

// onAurora says why a need alone orders nothing on Aurora.
const onAurora = "Aurora bills each read and write of its own, and a need does not tell how many: realiops size on a run does, and so does " +
	"--from-metric VolumeReadIOPs=AMOUNT/month"

// auroraUnknown reports whether Aurora was requested but its bill is unknown.
func (s Sizing) auroraUnknown() bool {
	return s.Basis == BySaying && s.Aurora == nil && s.asksAurora()
}

func (s Sizing) asksAurora() bool {
	return slices.ContainsFunc(s.Ask.Volumes, func(v catalog.Volume) bool { return v.Provider == auroraStandard })
}

// cautions returns reasons why an order may be wrong although it fits the stated need.
func (s Sizing) cautions() (all []string) {
	need := s.Target.Most
	all = append(append(all, s.Ask.Doubts...), s.unseen()...)
	if need.Flushes > flushesOfOneLeast {
		all = append(all, fmt.Sprintf("%s flushes a second follow one another, and one volume does %s to %s, at 0.5 to 1 ms each: commits wait, unless several share a flush",
			number.Grouped(need.Flushes, 0), number.Grouped(flushesOfOneLeast, 0), number.Grouped(flushesOfOneMost, 0)))
	}
	ordered := need.Times(1 + s.Ask.Headroom/100)
	if m := machineOf(s.Ask.Instance, s.Ask.Instances); m.beforeNitro() && (ordered.Requests() > iopsBeforeNitro || ordered.Bytes()/mib > mibpsBeforeNitro) {
		all = append(all, fmt.Sprintf("Behind the %s, which is without AWS's Nitro system, a volume reaches %s IOPS, and io1 and io2 %d MiB/s",
			m.class, number.Grouped(iopsBeforeNitro, 0), mibpsBeforeNitro))
	}
	if len(s.Ask.Volumes) == 0 && len(s.Ask.Distributed) > 0 {
		all = append(all, s.noDistributedOrder()...)
	}
	if s.Aurora == nil && s.asksAurora() && len(s.Options) == 0 {
		why := onAurora
		if s.Basis != BySaying {
			why = "Aurora bills each read and write of its own, and requests to a disk do not tell how many: a run with loads does"
		}
		all = append(all, "Order: no storage, since Aurora has no size to order", why)
	}
	if s.Basis != BySaying {
		return all
	}
	if size := need.Bytes() / need.Requests(); size < needs.LeastRequest || size > mostRequest {
		all = append(all, fmt.Sprintf("Its requests are of %s bytes on average, and a database's of 512 bytes to 1 MiB: a unit is probably wrong", number.Significant(size, 3)))
	}
	if need.Flushes > flushesForRequest*need.Requests() {
		all = append(all, fmt.Sprintf("Its %s flushes/s are more than its %s requests/s, and nothing is flushed that was not written: a unit is probably wrong",
			number.Rate(need.Flushes), number.Rate(need.Requests())))
	}
	if s.Ask.Repeated {
		all = append(all, "Its reads are exactly its writes: a figure was probably taken twice")
	}
	return all
}

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
		text += ", which are not known here: realiops size on a run tells them"
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

// recordedMultiAZ reports whether the server of the run has a standby.
func (s Sizing) recordedMultiAZ() bool {
	return s.Run != nil && s.Run.Header.Target.Cloud != nil && s.Run.Header.Target.Cloud.MultiAZ
}
