// Package latency adds up how long transactions took.
package latency

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/klauspost/compress/zlib"

	"github.com/realiops/realiops/internal/printable"
)

// Quantiles holds the durations of transactions, in seconds.
type Quantiles struct{ P50, P95, P99, Max float64 }

// Range in microseconds, and significant digits, of the merged histogram of a load.
const (
	shortest = 1
	longest  = int64(24 * time.Hour / time.Microsecond)
	digits   = 3
)

// Adder adds encoded histograms to sums. A day of seconds has a hundred thousand, nearly all of one geometry: their
// counts are added directly, with the result of the library's Decode and Merge at a tenth of the cost. The library
// handles any others, and reports errors. Only one goroutine may use an Adder at a time.
type Adder struct {
	usual    hdrhistogram.Snapshot // the first histogram, without its counts
	places   int                   // and their number; 0: there was none yet
	cookies  []byte                // and its geometry
	inflater io.ReadCloser
	raw      []byte
	payload  bytes.Buffer
	placed   []placed
}

type placed struct{ at, count int64 }

// Sum adds up the histograms of many lines.
type Sum struct {
	defect error                  // of the first histogram that could not be read
	like   *hdrhistogram.Snapshot // the sum of those of the usual geometry
	total  int64                  // the counts in it
	others *hdrhistogram.Histogram
}

// Add adds an encoded histogram to a sum. [Sum.Problem] reports errors.
func (a *Adder) Add(to *Sum, encoded string) {
	if encoded == "" || to.defect != nil || a.addUsual(to, encoded) {
		return
	}
	line, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		to.defect = fmt.Errorf("read a latency histogram: %w", err)
		return
	}
	if a.places == 0 && a.inflate(encoded) == nil {
		a.usual, a.cookies = *line.Export(), a.head()
		a.usual.Counts, a.places = nil, len(a.usual.Counts)
		if a.addUsual(to, encoded) {
			return
		}
	}
	to.add(line)
}

func (l *Sum) add(line *hdrhistogram.Histogram) {
	if l.others == nil {
		l.others = hdrhistogram.New(shortest, longest, digits)
	}
	if dropped := l.others.Merge(line); dropped > 0 {
		l.defect = fmt.Errorf("transactions that took longer than a day: %s", printable.Count(dropped))
	}
}

// The V2 encoding (HdrHistogram, V2 compressed format): base64 of a cookie and a length, then zlib of a header and of
// counts as zigzag varints, where a negative one stands for that many zeros.
const (
	outerHeader  = 8
	innerHeader  = 40
	lengthAt     = 4  // of the payload, in either header
	geometryAt   = 12 // digits, lowest and highest value, and the ratio of integers to doubles
	shortVarint  = 8  // longer ones differ from encoding/binary's
	longestCount = 9  // bytes of a count
)

// head returns what histograms must share to be added: both cookies and the geometry.
func (a *Adder) head() []byte {
	inflated := a.payload.Bytes()
	return slices.Concat(a.raw[:lengthAt], inflated[:lengthAt], inflated[geometryAt:innerHeader])
}

var errOtherwise = errors.New("not as usual")

// inflate unpacks a histogram into payload, with its header. It checks only lengths.
func (a *Adder) inflate(encoded string) (err error) {
	if a.raw, err = base64.StdEncoding.AppendDecode(a.raw[:0], []byte(encoded)); err != nil {
		return err
	}
	if len(a.raw) < outerHeader {
		return errOtherwise
	}
	packed := a.raw[outerHeader:]
	if length := binary.BigEndian.Uint32(a.raw[lengthAt:]); int64(length) != int64(len(packed)) {
		return errOtherwise
	}
	if a.inflater == nil {
		a.inflater, err = zlib.NewReader(bytes.NewReader(packed))
	} else {
		err = a.inflater.(zlib.Resetter).Reset(bytes.NewReader(packed), nil) //nolint:forcetypeassert // as it promises
	}
	if err != nil {
		return err
	}
	a.payload.Reset()
	if _, err := io.CopyN(&a.payload, a.inflater, innerHeader); err != nil {
		return err
	}
	length := int64(binary.BigEndian.Uint32(a.payload.Bytes()[lengthAt:]))
	if a.places > 0 && length > longestCount*int64(a.places) {
		return errOtherwise
	}
	n, err := io.Copy(&a.payload, io.LimitReader(a.inflater, length+1))
	if err == nil && n != length {
		return errOtherwise
	}
	return err
}

// addUsual adds a histogram of the usual geometry; false if it has another, or anything is odd.
func (a *Adder) addUsual(to *Sum, encoded string) bool {
	if a.places == 0 || a.inflate(encoded) != nil || !bytes.Equal(a.head(), a.cookies) {
		return false
	}
	total, fit := a.place(a.payload.Bytes()[innerHeader:], to.total)
	if !fit {
		return false
	}
	if to.like == nil {
		to.like = new(a.usual)
	}
	if n := len(a.placed); n > 0 { // in order
		most := a.placed[n-1].at + 1
		to.like.Counts = append(to.like.Counts, make([]int64, max(0, most-int64(len(to.like.Counts))))...)
	}
	for _, p := range a.placed {
		to.like.Counts[p.at] += p.count
	}
	to.total = total
	return true
}

// place finds where the counts of a histogram belong, and adds them to a total; false if one belongs nowhere, or is too
// large.
func (a *Adder) place(payload []byte, total int64) (int64, bool) {
	a.placed = a.placed[:0]
	places := int64(a.places)
	for at := int64(0); len(payload) > 0; {
		count, n := int64(payload[0]>>1)^-int64(payload[0]&1), 1
		if payload[0] >= 0x80 { // few are longer than one byte
			count, n = binary.Varint(payload)
		}
		if n <= 0 || n > shortVarint || at-min(0, count) > places || count >= 0 && at == places {
			return total, false
		}
		payload = payload[n:]
		if count < 0 {
			at -= count
			continue
		}
		if count > math.MaxInt64-total {
			return total, false
		}
		total += count
		a.placed = append(a.placed, placed{at, count})
		at++
	}
	return total, true
}

// Problem returns why there are no latencies, once all have been added.
func (l *Sum) Problem() error {
	if l.like == nil {
		return l.defect
	}
	like := hdrhistogram.Import(l.like)
	// a merged one counts the same values in the same places, and more beyond
	if l.others == nil && l.like.LowestTrackableValue == shortest && l.like.SignificantFigures == digits &&
		l.like.HighestTrackableValue <= longest {
		l.others = like
	} else {
		l.add(like)
	}
	l.like = nil
	return l.defect
}

// Quantiles returns nil if no latency was recorded, or some could not be read.
func (l *Sum) Quantiles() *Quantiles {
	if l.Problem() != nil || l.others == nil || l.others.TotalCount() == 0 {
		return nil
	}
	seconds := func(quantile float64) float64 {
		return float64(l.others.ValueAtQuantile(quantile)) * time.Microsecond.Seconds()
	}
	return &Quantiles{P50: seconds(50), P95: seconds(95), P99: seconds(99), Max: seconds(100)}
}
