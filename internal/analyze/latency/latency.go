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
	longest = int64(24 * time.Hour / time.Microsecond)
	digits  = 3
)

// Sum adds up the histograms of many lines. A day of seconds has a hundred thousand, nearly all of one geometry: their
// counts are added directly, with the result of the library's Decode and Merge at a tenth of the cost. The library
// handles any others, and reports errors.
type Sum struct {
	defect   error                  // of the first histogram that could not be read
	like     *hdrhistogram.Snapshot // the first histogram, and the sum of all like it
	cookies  []byte                 // and the geometry, of those
	others   *hdrhistogram.Histogram
	inflater io.ReadCloser
	raw      []byte
	payload  bytes.Buffer
	placed   []placed
}

type placed struct{ at, count int64 }

// Add adds an encoded histogram. [Sum.Problem] reports errors.
func (l *Sum) Add(encoded string) {
	if encoded == "" || l.defect != nil || l.addLike(encoded) {
		return
	}
	line, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		l.defect = fmt.Errorf("read a latency histogram: %w", err)
		return
	}
	if l.like == nil && l.inflate(encoded) == nil {
		l.like, l.cookies = line.Export(), l.head()
		return
	}
	l.addOther(line)
}

func (l *Sum) addOther(line *hdrhistogram.Histogram) {
	if l.others == nil {
		l.others = hdrhistogram.New(1, longest, digits)
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
func (l *Sum) head() []byte {
	inflated := l.payload.Bytes()
	return slices.Concat(l.raw[:lengthAt], inflated[:lengthAt], inflated[geometryAt:innerHeader])
}

var errOtherwise = errors.New("not as usual")

// inflate unpacks a histogram into payload, with its header. It checks only lengths.
func (l *Sum) inflate(encoded string) (err error) {
	if l.raw, err = base64.StdEncoding.AppendDecode(l.raw[:0], []byte(encoded)); err != nil {
		return err
	}
	if len(l.raw) < outerHeader {
		return errOtherwise
	}
	packed := l.raw[outerHeader:]
	if length := binary.BigEndian.Uint32(l.raw[lengthAt:]); int64(length) != int64(len(packed)) {
		return errOtherwise
	}
	if l.inflater == nil {
		l.inflater, err = zlib.NewReader(bytes.NewReader(packed))
	} else {
		err = l.inflater.(zlib.Resetter).Reset(bytes.NewReader(packed), nil) //nolint:forcetypeassert // as it promises
	}
	if err != nil {
		return err
	}
	l.payload.Reset()
	if _, err := io.CopyN(&l.payload, l.inflater, innerHeader); err != nil {
		return err
	}
	length := int64(binary.BigEndian.Uint32(l.payload.Bytes()[lengthAt:]))
	if l.like != nil && length > longestCount*int64(len(l.like.Counts)) {
		return errOtherwise
	}
	n, err := io.Copy(&l.payload, io.LimitReader(l.inflater, length+1))
	if err == nil && n != length {
		return errOtherwise
	}
	return err
}

// addLike adds a histogram of the first one's geometry; false if it has another, or anything is odd.
func (l *Sum) addLike(encoded string) bool {
	if l.like == nil || l.inflate(encoded) != nil || !bytes.Equal(l.head(), l.cookies) ||
		!l.place(l.payload.Bytes()[innerHeader:]) {
		return false
	}
	for _, p := range l.placed {
		l.like.Counts[p.at] += p.count
	}
	return true
}

// place finds where the counts of a histogram belong; false if one belongs nowhere, or is too large.
func (l *Sum) place(payload []byte) bool {
	l.placed = l.placed[:0]
	places := int64(len(l.like.Counts))
	for at := int64(0); len(payload) > 0; {
		count, n := int64(payload[0]>>1)^-int64(payload[0]&1), 1
		if payload[0] >= 0x80 { // few are longer than one byte
			count, n = binary.Varint(payload)
		}
		if n <= 0 || n > shortVarint || at-min(0, count) > places || count >= 0 && at == places {
			return false
		}
		payload = payload[n:]
		if count < 0 {
			at -= count
			continue
		}
		if count > math.MaxInt64-l.like.Counts[at] {
			return false
		}
		l.placed = append(l.placed, placed{at, count})
		at++
	}
	return true
}

// Problem returns why there are no latencies, once all have been added.
func (l *Sum) Problem() error {
	if l.like != nil {
		l.addOther(hdrhistogram.Import(l.like))
		l.like = nil
	}
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
