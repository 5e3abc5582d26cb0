package setup

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/metric"
)

// lookingFor is how long the disk is observed without load.
const lookingFor = 3 * time.Second

type diskSeen struct {
	at     time.Time
	values map[string]float64
	others map[request.Who]request.OtherProgram
}

// lookAtDisk returns the activity of the server's disks without load, and its users; nil if they are not visible.
func lookAtDisk(ctx context.Context, p *target.Probes) *diagnosis.Disk {
	before := seeDisk(ctx, p)
	if _, inSight := before.values[metric.BlockWrites]; !inSight {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(lookingFor):
	}
	return seeDisk(ctx, p).since(before)
}

func seeDisk(ctx context.Context, p *target.Probes) diskSeen {
	seen := diskSeen{at: time.Now(), values: map[string]float64{}, others: map[request.Who]request.OtherProgram{}}
	for _, sampler := range p.Samplers {
		if name := sampler.Name(); name != block.Name && name != request.Name {
			continue
		}
		if late, ok := sampler.(interface{ WaitForCounters(context.Context) error }); ok {
			_ = late.WaitForCounters(ctx) // whatever it has by now counts
		}
		if sample, err := sampler.Sample(ctx); err == nil {
			maps.Copy(seen.values, sample.Values)
		}
	}
	for _, o := range p.OtherPrograms() {
		seen.others[o.Who] = o
	}
	return seen
}

func (s diskSeen) since(before diskSeen) *diagnosis.Disk {
	seconds := s.at.Sub(before.at).Seconds()
	rate := func(names ...string) (sum float64) {
		for _, name := range names {
			sum += (s.values[name] - before.values[name]) / seconds
		}
		return sum
	}
	d := &diagnosis.Disk{Seconds: lookingFor.Seconds(), Did: diagnosis.DiskUse{
		Requests: rate(metric.BlockReads, metric.BlockWrites) - rate(metric.BlockFlushes),
		Flushes:  rate(metric.BlockFlushes),
		Bytes:    rate(metric.BlockReadBytes, metric.BlockWriteBytes),
	}}
	if _, followed := s.values[metric.ServerWrites]; !followed {
		return d
	}
	journal := request.Name + "." + request.Journal.String() + "/"
	d.Users = []diagnosis.DiskUse{
		{Of: diagnosis.ThisServer, Requests: rate(metric.ServerReads, metric.ServerWrites),
			Flushes: rate(metric.ServerFlushes), Bytes: rate(metric.ServerReadBytes, metric.ServerWriteBytes)},
		{Of: diagnosis.Journal, Requests: rate(journal+"reads", journal+"writes"),
			Bytes: rate(journal+"read_bytes", journal+"write_bytes")},
	}
	for who, o := range s.others {
		was := before.others[who]
		d.Users = append(d.Users, diagnosis.DiskUse{Of: userOf(who), Command: who.Command,
			Requests: (o.Requests - was.Requests) / seconds, Bytes: (o.Bytes - was.Bytes) / seconds})
	}
	d.Users = slices.DeleteFunc(d.Users, func(u diagnosis.DiskUse) bool {
		return u.Requests <= 0 && u.Of != diagnosis.ThisServer
	})
	slices.SortStableFunc(d.Users, func(a, b diagnosis.DiskUse) int { return cmp.Compare(b.Requests, a.Requests) })
	return d
}

func userOf(who request.Who) string {
	switch {
	case who.Kernel:
		return diagnosis.Kernel
	case who.Command == "":
		return diagnosis.Unnamed
	default:
		return diagnosis.Program
	}
}
