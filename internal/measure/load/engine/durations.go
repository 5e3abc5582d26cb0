package engine

import (
	"encoding/json"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The histogram keeps durations from a microsecond to an hour with three digits. Longer ones count as
// an hour there, and only there.
const (
	shortest = 1
	longest  = int64(time.Hour / time.Microsecond)
	digits   = 3
)

func (d *Durations) add(length time.Duration) {
	us := float64(length) / float64(time.Microsecond)
	if d.Count == 0 {
		d.Least, d.Most = us, us
	}
	d.Least, d.Most = min(d.Least, us), max(d.Most, us)
	d.Count++
	d.Sum += us
	d.Sum2 += us * us
	if d.Histogram == nil {
		d.Histogram = hdrhistogram.New(shortest, longest, digits)
	}
	_ = d.Histogram.RecordValue(min(max(length.Microseconds(), shortest), longest)) // always within its bounds
}

// packed is the JSON form of Durations, with the histogram in HdrHistogram's compressed form.
type packed struct {
	Count                  int64
	Sum, Sum2, Least, Most float64
	Histogram              string
}

// MarshalJSON writes null if nothing was recorded.
func (d Durations) MarshalJSON() ([]byte, error) {
	if d.Count == 0 {
		return []byte("null"), nil
	}
	text, err := d.Histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	return json.Marshal(packed{d.Count, d.Sum, d.Sum2, d.Least, d.Most, string(text)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Durations) UnmarshalJSON(text []byte) (err error) {
	var p *packed
	if err = json.Unmarshal(text, &p); err != nil || p == nil {
		return err
	}
	*d = Durations{Count: p.Count, Sum: p.Sum, Sum2: p.Sum2, Least: p.Least, Most: p.Most}
	d.Histogram, err = hdrhistogram.Decode([]byte(p.Histogram))
	return err
}

func (d *Durations) merge(other *Durations) {
	if other.Count == 0 {
		return
	}
	if d.Count == 0 {
		d.Least, d.Most = other.Least, other.Most
	}
	d.Least, d.Most = min(d.Least, other.Least), max(d.Most, other.Most)
	d.Count += other.Count
	d.Sum += other.Sum
	d.Sum2 += other.Sum2
	if d.Histogram == nil {
		d.Histogram = hdrhistogram.New(shortest, longest, digits)
	}
	d.Histogram.Merge(other.Histogram)
}

// reset empties d and keeps the histogram's memory.
func (d *Durations) reset() {
	if d.Histogram != nil && d.Count > 0 {
		d.Histogram.Reset()
	}
	*d = Durations{Histogram: d.Histogram}
}

func (t *Totals) add(s *sample) {
	t.Statements += s.statements
	t.Rows += s.rows
	t.Sent += s.sent
	t.Received += s.received
	switch s.outcome {
	case unfinished:
		return
	case skipped:
		t.Skipped++
		return
	case failedSerializing:
		t.Serialization++
	case failedByDeadlock:
		t.Deadlocks++
	case failedOtherwise:
		t.Other++
	case done:
		t.Transactions++
		t.Returned += s.returned
		t.Latency.add(s.latency)
		if s.paced {
			t.Lag.add(s.lag)
		}
		if s.late {
			t.Late++
		}
	}
	if s.retries > 0 {
		t.Retried++
		t.Retries += int64(s.retries)
	}
}

func (t *Totals) merge(other *Totals) {
	t.Transactions += other.Transactions
	t.Statements += other.Statements
	t.Rows += other.Rows
	t.Returned += other.Returned
	t.Sent += other.Sent
	t.Received += other.Received
	t.Skipped += other.Skipped
	t.Late += other.Late
	t.Retried += other.Retried
	t.Retries += other.Retries
	t.Serialization += other.Serialization
	t.Deadlocks += other.Deadlocks
	t.Other += other.Other
	t.Latency.merge(&other.Latency)
	t.Lag.merge(&other.Lag)
}
