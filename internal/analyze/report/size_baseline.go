package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/runfile"
)

// SizeBaseline is whether what was sized for fits a device that was measured.
type SizeBaseline struct {
	ID      string          `json:"id"` // of the baseline's run
	Storage runfile.Storage `json:"storage"`
	Fits    *bool           `json:"fits"`        // null: it cannot be told
	First   string          `json:"binds_first"` // empty: nothing can be told
	Bounds  []SizeBound     `json:"bounds"`
	// Throttled: the device slowed down for good while it was measured, and this is about what it gave after that.
	Throttled bool `json:"throttled"`
}

// SizeBound is one thing that a device has so much of.
type SizeBound struct {
	Of    string   `json:"of"`    // requests, bytes, flush latency
	Need  float64  `json:"need"`  // a second, headroom not included
	Most  *float64 `json:"most"`  // a second, of reads and writes as they are mixed here; null: see why, or there is no need
	Share *float64 `json:"share"` // of the device, headroom included; likewise
	Jobs  []string `json:"jobs"`  // of the baseline that this rests on
	Why   string   `json:"why,omitempty"`
}

// Against adds what was measured of a device.
func (s *Size) Against(header runfile.Run, device baseline.Baseline, f baseline.Fit) {
	v := &SizeBaseline{ID: header.ID, Storage: header.Target.Storage, Fits: f.Fits, Throttled: device.Throttle != nil && device.Throttle.Found}
	if f.First != nil {
		v.First = f.First.Of
	}
	for _, b := range f.Bounds {
		v.Bounds = append(v.Bounds, SizeBound{b.Of, b.Need, told(b.Most), told(b.Share), append([]string{}, b.Jobs...), b.Why})
	}
	s.Baseline = v
}

const againstTitle = "Against the device that was measured (per second)"

// baselineText says whether the device carries it.
func (s Size) baselineText(width int) string {
	b := s.Baseline
	if b == nil {
		return ""
	}
	g := newGrid("the device gives", nil)
	for _, bound := range b.Bounds {
		g.rows = append(g.rows, []string{bound.name()})
	}
	add := func(header string, of func(SizeBound) string) {
		var cells []string
		for _, bound := range b.Bounds {
			cells = append(cells, of(bound))
		}
		g.add(header, cells)
	}
	add("needed", func(b SizeBound) string { return b.amount(&b.Need) })
	add("measured", func(b SizeBound) string { return b.amount(b.Most) })
	add(fmt.Sprintf("share, with\n%.0f %% headroom", s.Sized.Headroom), SizeBound.share)
	add("going by", func(b SizeBound) string { return strings.Join(b.Jobs, ", ") })
	lines := []string{againstTitle + "\n", g.layout(width), wrapped(s.Sized.Arm+" "+b.verdict(s.Sized.Headroom), width)}
	for _, bound := range b.Bounds {
		if bound.Why != "" {
			lines = append(lines, wrapped("- "+bound.Of+" cannot be told: "+bound.Why, width))
		}
	}
	return strings.Join(lines, "\n")
}

func (b SizeBound) amount(v *float64) string {
	if v == nil {
		return "-"
	}
	if b.Of == baseline.ByBytes {
		return rate(*v/megabyte) + " MB"
	}
	return rate(*v)
}

func (b SizeBound) share() string {
	if b.Share == nil {
		return "-"
	}
	return grouped(math.Ceil(*b.Share*1000)/10, 1) + " %" // a need is not rounded away
}

// name says what is counted.
func (b SizeBound) name() string {
	if b.Of == baseline.ByFlushes {
		return "flushes (latency)"
	}
	return b.Of
}

func (b SizeBaseline) verdict(headroom float64) string {
	where := b.Storage.Directory
	if b.Storage.Device != "" {
		where += " (" + b.Storage.Device + ")"
	}
	says := "may or may not fit"
	if b.Fits != nil {
		says = map[bool]string{true: "fits", false: "does not fit"}[*b.Fits]
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s with %.0f %% of headroom.", says, where, headroom)
	for _, bound := range b.Bounds {
		if bound.Of == b.First {
			fmt.Fprintf(&text, " What binds first is %s, at %s of what was measured.", b.First, bound.share())
		}
	}
	if b.Throttled {
		text.WriteString(" It was throttled while it was measured: this is what it gave after that.")
	}
	return text.String()
}
