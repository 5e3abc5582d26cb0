package sizes

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/runfile"
)

// Against adds the comparison with a measured device.
func (s *Size) Against(header runfile.Run, device baseline.Baseline, f baseline.Fit) {
	v := &SizeBaseline{ID: header.ID, Storage: header.Target.Storage, Fits: f.Fits, Bounds: f.Bounds,
		Throttled: device.Throttle != nil && device.Throttle.Found}
	if f.First != nil {
		v.First = f.First.Of
	}
	s.Baseline = v
	for _, warning := range device.Warnings {
		s.Cautions = append(s.Cautions, "Of the baseline: "+strings.TrimSuffix(warning, "."))
	}
	if f.Fits == nil || !*f.Fits {
		s.Cautions = append(s.Cautions, "Against the baseline, "+s.Sized.Load+" "+
			strings.TrimSuffix(v.verdict(s.Sized.Headroom), "."))
	}
}

// deviceSection reports whether a measured device carries the need.
func (s Size) deviceSection() document.Block {
	b := s.Baseline
	if b == nil {
		return nil
	}
	t := document.Grid[baseline.Bound]{Of: b.Bounds}
	t.Wordy("the device gives", func(b baseline.Bound) string {
		if b.Of == baseline.ByFlushes {
			return "flushes (latency)"
		}
		return b.Of
	})
	column := func(header string, text func(baseline.Bound) string) {
		t.Numeric(header, func(b baseline.Bound) document.Cell { return document.Words(text(b)) })
	}
	column("needed", func(b baseline.Bound) string { return boundAmount(b, b.Need) })
	column("measured", func(b baseline.Bound) string { return boundAmount(b, b.Most) })
	column(fmt.Sprintf("share, with %.0f%%\u00a0headroom", s.Sized.Headroom), boundShare)
	column("going by", func(b baseline.Bound) string { return strings.Join(b.Jobs, ", ") })
	blocks := document.Together{t.Table, document.Paragraph{Text: s.Sized.Load + " " + b.verdict(s.Sized.Headroom)}}
	for _, bound := range b.Bounds {
		if bound.Why != "" {
			blocks = append(blocks, document.List{bound.Of + " cannot be told: " + bound.Why})
		}
	}
	return document.Titled("Against the device that was measured (per second)", blocks)
}

func boundAmount(b baseline.Bound, v float64) string {
	if !number.Finite(v) {
		return "-"
	}
	if b.Of == baseline.ByBytes {
		return number.Rate(v/number.Mega) + " MB"
	}
	return number.Rate(v)
}

func boundShare(b baseline.Bound) string {
	if !number.Finite(b.Share) {
		return "-"
	}
	percent, decimals := 100*b.Share, 0
	if percent < 10 {
		decimals = 1
	}
	unit := math.Pow10(-decimals)
	return number.Grouped(math.Ceil(number.Tidy(percent/unit))*unit, decimals) + "%" // rounded up: a need must not vanish
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
	fmt.Fprintf(&text, "%s %s with %.0f%% headroom.", says, where, headroom)
	for _, bound := range b.Bounds {
		if bound.Of == b.First {
			fmt.Fprintf(&text, " What binds first is %s, at %s of what was measured.", b.First, boundShare(bound))
		}
	}
	if b.Throttled {
		text.WriteString(" It was throttled while it was measured: this is what it gave after that.")
	}
	return text.String()
}
