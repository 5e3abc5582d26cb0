package cloudwatch_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// fleet returns volumes with ten metrics each, of one statistic each.
func fleet(metrics int) (cloud runfile.Cloud, names []string) {
	names = []string{"VolumeWriteOps", "VolumeReadOps", "VolumeWriteBytes", "VolumeReadBytes", "VolumeTotalWriteTime",
		"VolumeTotalReadTime",
		"VolumeIdleTime", "VolumeConsumedReadWriteOps", "VolumeQueueLength", "VolumeStalledIOCheck"}
	for i := range metrics / len(names) {
		cloud.Volumes = append(cloud.Volumes, "vol-"+strconv.Itoa(i))
	}
	return cloud, names
}

// day is a day of final minutes.
const day = 24 * time.Hour

// endless answers every query with a number for each period, without storing its answer.
func endless(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked, err := cbor.Decode(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in := asked.(cbor.Map)
	from, to := seconds(in["StartTime"]), seconds(in["EndTime"])
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.Header().Set("Content-Type", "application/cbor")
	out := bufio.NewWriter(w)
	defer out.Flush() //nolint:errcheck // the client sees an error
	queries := in["MetricDataQueries"].(cbor.List)
	head(out, 5, 1)
	text(out, "MetricDataResults")
	head(out, 4, uint64(len(queries)))
	for _, q := range queries {
		head(out, 5, 3)
		text(out, "Id")
		text(out, string(q.(cbor.Map)["Id"].(cbor.String)))
		text(out, "Timestamps")
		n := uint64(to-from) / 60
		head(out, 4, n)
		for i := range n {
			head(out, 6, 1)
			number(out, from+60*float64(i))
		}
		text(out, "Values")
		head(out, 4, n)
		for i := range n {
			number(out, float64(i))
		}
	}
}

func seconds(v cbor.Value) float64 {
	switch v := v.(*cbor.Tag).Value.(type) {
	case cbor.Float64:
		return float64(v)
	case cbor.Uint:
		return float64(v)
	default:
		return math.NaN()
	}
}

// head writes the head of a CBOR item: its major type, and its length or number.
func head(w *bufio.Writer, major byte, n uint64) {
	w.WriteByte(major<<5 | 26)
	w.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
}

func text(w *bufio.Writer, s string) {
	head(w, 3, uint64(len(s)))
	w.WriteString(s)
}

func number(w *bufio.Writer, f float64) {
	w.WriteByte(7<<5 | 27)
	w.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(f)))
}

// peak returns the most memory used during a Backfill, and the number of periods.
func peak(t testing.TB, source *cloudwatch.Source, from, to time.Time) (bytes uint64, periods int) {
	t.Helper()
	var m runtime.MemStats
	err := source.Backfill(t.Context(), from, to, func(r runfile.Record) error {
		if _, ok := r.(runfile.Period); !ok {
			t.Errorf("%+v", r)
		}
		if periods++; periods%50_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			bytes = max(bytes, m.HeapAlloc)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes, periods
}

// TestMemoryIsBounded: five times as many points need no more memory, because each call's points
// are passed on before the next.
func TestMemoryIsBounded(t *testing.T) {
	proxy := accounttest.NewProxy(http.HandlerFunc(endless))
	server := httptest.NewServer(proxy)
	defer server.Close()
	from := time.Now().Add(-3 * day).Truncate(day)
	ask := func(metrics int) uint64 {
		cloud, names := fleet(metrics)
		source, err := cloudwatch.New(config(t, accounttest.At(server.URL)), cloud, names...)
		if err != nil {
			t.Fatal(err)
		}
		bytes, periods := peak(t, source, from, from.Add(day))
		if periods != metrics*1440 {
			t.Errorf("%d periods of %d metrics", periods, metrics)
		}
		return bytes
	}
	few, many := ask(100), ask(500)
	t.Logf("%.1f MB for 144,000 points, %.1f MB for 720,000", float64(few)/1e6, float64(many)/1e6)
	if many > 2*few || many > 32e6 {
		t.Errorf("%d bytes of memory for 144,000 points, %d for 720,000", few, many)
	}
	// A query has 1,500 points with an hour that may be added; a call of 100,800 points takes 67: 2 and 8 calls.
	if n := proxy.Calls()[operation]; n != 2+8 {
		t.Errorf("%d calls", n)
	}
}

// BenchmarkBackfill asks the stand-in for a day of 500 metrics; scripts/bench-backfill runs it. The stand-in takes
// most of the time, so both sides' processor time is reported.
func BenchmarkBackfill(b *testing.B) {
	s, proxy := accounttest.Start(b).Proxy(b)
	cloud, names := fleet(500)
	from := time.Now().Add(-3 * day).Truncate(day)
	s.Put(b, ofFleet(cloud, names, from)...)
	source, err := cloudwatch.New(config(b, s), cloud, names...)
	if err != nil {
		b.Fatal(err)
	}
	theirs, ours := spent(b)
	for b.Loop() {
		bytes, periods := peak(b, source, from, from.Add(day))
		b.ReportMetric(float64(bytes)/1e6, "MB")
		b.ReportMetric(float64(periods), "points")
	}
	theirsNow, oursNow := spent(b)
	b.ReportMetric((theirsNow-theirs).Seconds()/float64(b.N), "stand-in-s")
	b.ReportMetric((oursNow-ours).Seconds()/float64(b.N), "own-s")
	b.ReportMetric(float64(proxy.Calls()[operation])/float64(b.N), "calls")
}

// spent returns the processor time of the stand-in, this process's only child, and of this process.
func spent(t testing.TB) (theirs, ours time.Duration) {
	t.Helper()
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(children) == 0 {
		t.Skip("processors' time is told by Linux only")
	}
	for _, file := range children {
		text, _ := os.ReadFile(file) // empty for a thread that has ended
		for pid := range strings.FieldsSeq(string(text)) {
			theirs += ofProcess(t, pid)
		}
	}
	return theirs, ofProcess(t, "self")
}

// ofProcess reads a process's CPU time: fields 14 and 15 of its stat, in hundredths of a second.
func ofProcess(t testing.TB, pid string) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	sum := time.Duration(0)
	for _, field := range fields[11:13] {
		hundredths, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(hundredths) * 10 * time.Millisecond
	}
	return sum
}

func ofFleet(cloud runfile.Cloud, names []string, from time.Time) []accounttest.Series {
	values := make([]float64, 1440)
	for i := range values {
		values[i] = float64(i)
	}
	var all []accounttest.Series
	for _, id := range cloud.Volumes {
		for _, name := range names {
			all = append(all, accounttest.Series{Namespace: "AWS/EBS", Metric: name, Dimensions: map[string]string{
				"VolumeId": id},
				From: from, Step: time.Minute, Values: values})
		}
	}
	return all
}
