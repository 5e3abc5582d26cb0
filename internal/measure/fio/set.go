package fio

import (
	"cmp"
	"fmt"
	"runtime"
	"strconv"
	"time"
)

// Settings holds the parameters that a set leaves open for its jobs.
type Settings struct {
	Size    int64         // of the test files
	Runtime time.Duration // of each job; 0: the set's own
	Direct  bool          // the file system supports O_DIRECT
}

// Names of sets.
const (
	SetDatabase  = "database"
	SetPublished = "published"
)

// defaultRuntime is the length of a job that does not set its own.
const defaultRuntime = 10 * time.Second

type shape struct {
	name, rw, block string
	depth           int
	options         []Option
	runtime         time.Duration
	files           string
	size            int64 // 0: as requested
	cached          bool  // through the page cache, like a database
	sync            bool  // sequential
}

// Database returns the jobs that bound a database's performance: random page reads and writes, a long write as by a
// checkpoint or COPY, and commits, which write and flush a page of WAL and wait.
func Database(s Settings) []Job {
	const shared = "data"
	file := []Option{{"filename", shared}}
	return s.jobs([]shape{
		{name: "random-read", rw: "randread", block: "8k", depth: 16, options: file, files: shared},
		{name: "random-write", rw: "randwrite", block: "8k", depth: 16, options: file, files: shared},
		{name: "sequential-write", rw: "write", block: "256k", depth: 8, options: file, files: shared},
		{name: "commit", rw: "write", block: "8k", depth: 1, files: shared, cached: true, sync: true,
			options: []Option{{"fdatasync", "1"}, {"filename", shared}}},
	})
}

// Published returns the jobs behind figures that people quote, with their published parameters: of an analytics hub
// on gp2 and st1 (2020), of disks and machines of Azure (2018), and of EBS by class of instance (2021). The depth of
// the first three and the lengths were not published, and are realiops' choice.
func Published(s Settings) []Job {
	const half = 30 * time.Second
	hub := []Option{{"nrfiles", "8"}, {"filename_format", "hub.$filenum"}}
	ec2 := []Option{{"numjobs", "16"}, {"filename_format", "ec2.$jobnum"}}
	azure := []Option{{"filename", "azure"}}
	return s.jobs([]shape{
		{name: "hub-random-8k", rw: "randrw", block: "8k", depth: 16, options: hub, runtime: half, files: "hub"},
		{name: "hub-random-4k", rw: "randrw", block: "4k", depth: 16, options: hub, runtime: half, files: "hub"},
		{name: "hub-sequential", rw: "write", block: "256k", depth: 16, options: hub, runtime: half, files: "hub"},
		{name: "azure-random", rw: "randread", block: "32k", depth: 16,
			options: azure, runtime: half, files: "azure", size: 1 << 30},
		{name: "azure-sequential", rw: "read", block: "32k", depth: 16,
			options: azure, runtime: half, files: "azure", size: 1 << 30},
		{name: "ec2-random-read", rw: "randread", block: "4k", depth: 1,
			options: ec2, runtime: 180 * time.Second, files: "ec2"},
		{name: "ec2-random-write", rw: "randwrite", block: "4k", depth: 1,
			options: ec2, runtime: 180 * time.Second, files: "ec2"},
	})
}

func (s Settings) jobs(shapes []shape) (all []Job) {
	for _, sh := range shapes {
		all = append(all, s.job(sh))
	}
	return all
}

// job gives a shape its size and time.
func (s Settings) job(sh shape) Job {
	j := Job{Name: sh.name, Files: sh.files, Bytes: s.Size, Runtime: s.Runtime, Buffered: sh.cached,
		Depth: sh.depth}
	if sh.size > 0 {
		j.Bytes = sh.size
	}
	j.Runtime = cmp.Or(j.Runtime, max(sh.runtime, defaultRuntime))
	clones := 1
	for _, o := range sh.options {
		if o.Name == "numjobs" {
			clones, _ = strconv.Atoi(o.Value) // a number of ours
			j.Depth *= clones
		}
	}
	options := append([]Option{{"rw", sh.rw}, {"bs", sh.block}}, s.inFlight(sh)...)
	options = append(options, sh.options...)
	options = append(options, Option{"size", fmt.Sprint(j.Bytes / int64(clones))}, Option{"overwrite", "1"},
		Option{"thread", "1"})
	if sh.rw != "read" && sh.rw != "write" {
		options = append(options, Option{"norandommap", "1"})
	}
	options = append(options, Option{"time_based", "1"},
		Option{"runtime", fmt.Sprintf("%dms", j.Runtime.Milliseconds())})
	j.Sections = []Section{{sh.name, options}}
	return j
}

// inFlight keeps as many requests in flight as the shape says. Through the page cache that takes a thread for each.
func (s Settings) inFlight(sh shape) []Option {
	switch {
	case sh.sync:
		return []Option{{"ioengine", "psync"}}
	case s.Direct:
		engine := "libaio"
		if runtime.GOOS != "linux" {
			engine = "posixaio"
		}
		return []Option{{"direct", "1"}, {"ioengine", engine}, {"iodepth", strconv.Itoa(sh.depth)}}
	case sh.depth > 1:
		return []Option{{"ioengine", "psync"}, {"numjobs", strconv.Itoa(sh.depth)}}
	default:
		return []Option{{"ioengine", "psync"}}
	}
}

// AsDD returns a sequential write without direct I/O, once through the file and not flushed, as dd does.
func AsDD(s Settings) Job {
	return Job{
		Name: "buffered-write", Buffered: true, Depth: 1, Files: "data", Bytes: s.Size, Runtime: s.Runtime,
		Sections: []Section{{"buffered-write", []Option{
			{"rw", "write"}, {"bs", "256k"}, {"ioengine", "psync"}, {"filename", "data"}, {"size", fmt.Sprint(s.Size)},
			{"overwrite", "1"}, {"thread", "1"},
			{"runtime", fmt.Sprintf("%dms", s.Runtime.Milliseconds())},
		}}},
	}
}
