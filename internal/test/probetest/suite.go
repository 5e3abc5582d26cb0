// Package probetest is the test suite of all samplers, which each runs on its real source.
package probetest

import (
	"context"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
)

// Suite is a sampler with a way to make its counters grow.
type Suite struct {
	// Sampler is the sampler, ready to be read.
	Sampler probe.Sampler
	// Work makes the source count something.
	Work func(t *testing.T)
	// Rises names metrics that must be higher after Work.
	Rises []string
}

// promptly is how soon a sampler must return after its context ends.
const promptly = time.Second

// Run checks the sampler's contract.
func (s Suite) Run(t *testing.T) {
	t.Run("announces what it reads", func(t *testing.T) {
		report(t, Announcement(s.Sampler.Name(), s.Sampler.Metrics()))
		first := s.read(t)
		report(t, Completeness(s.Sampler.Metrics(), first))
		report(t, Completeness(s.Sampler.Metrics(), s.read(t)))
	})
	t.Run("counts the work", func(t *testing.T) {
		before := s.read(t)
		s.Work(t)
		after := s.read(t)
		report(t, Growth(s.Sampler.Metrics(), before, after))
		report(t, Rise(s.Rises, before, after))
	})
	t.Run("obeys its context", func(t *testing.T) {
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		s.mustRefuse(t, cancelled)
		expired, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		s.mustRefuse(t, expired)
	})
	t.Run("reads again after that", func(t *testing.T) {
		report(t, Completeness(s.Sampler.Metrics(), s.read(t)))
	})
}

func (s Suite) read(t *testing.T) probe.Sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	sample, err := s.Sampler.Sample(ctx)
	if err != nil {
		t.Fatalf("sample: %v", err)
	}
	return sample
}

func (s Suite) mustRefuse(t *testing.T, ctx context.Context) {
	t.Helper()
	began := time.Now()
	if sample, err := s.Sampler.Sample(ctx); err == nil {
		t.Errorf("a sample though its context is over: %v", sample)
	}
	if took := time.Since(began); took > promptly {
		t.Errorf("it took %v to return after its context was over", took)
	}
}

func report(t *testing.T, defects []string) {
	t.Helper()
	for _, defect := range defects {
		t.Error(defect)
	}
}
