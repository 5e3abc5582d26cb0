package fio

import (
	"fmt"
	"strings"
	"time"
)

// Job is one load: sections of a fio job file that run at the same time. Most have one.
type Job struct {
	Name     string
	Sections []Section
	Runtime  time.Duration
	Depth    int   // requests in flight; 0: unknown
	Bytes    int64 // of its test files
	Files    string
	Buffered bool // uses the page cache on purpose
}

// Section is a named list of options.
type Section struct {
	Name    string
	Options []Option
}

// Option is a line of a job file. One without a value is a switch.
type Option struct{ Name, Value string }

func (o Option) String() string {
	if o.Value == "" {
		return o.Name
	}
	return o.Name + "=" + o.Value
}

// Text returns the job's options in one line, as on fio's command line.
func (j Job) Text() string {
	var words []string
	for _, s := range j.Sections {
		if len(j.Sections) > 1 {
			words = append(words, "--name="+s.Name)
		}
		for _, o := range s.Options {
			words = append(words, "--"+o.String())
		}
	}
	return strings.Join(words, " ")
}

// file returns the job file for a directory. The options in front apply to all sections.
func (j Job) file(directory string, front ...Option) string {
	var b strings.Builder
	all := append([]Option{
		{"directory", strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(directory)}, // a colon separates several
		{"group_reporting", "1"}, {"percentile_list", "50:95:99:99.9"}, {"unlink", "0"},
	}, front...)
	fmt.Fprintln(&b, "[global]")
	for _, o := range all {
		fmt.Fprintln(&b, o)
	}
	for _, s := range j.Sections {
		fmt.Fprintf(&b, "[%s]\n", s.Name)
		for _, o := range s.Options {
			fmt.Fprintln(&b, o)
		}
	}
	return b.String()
}

// with returns the job with options added to every section, overriding its own.
func (j Job) with(options ...Option) Job {
	sections := make([]Section, len(j.Sections))
	for i, s := range j.Sections {
		sections[i] = Section{s.Name, append(append([]Option{}, s.Options...), options...)}
	}
	j.Sections = sections
	return j
}

// TestBytes returns the disk space of the jobs' test files. Shared files count once.
func TestBytes(jobs []Job) int64 {
	most := map[string]int64{}
	for _, j := range jobs {
		most[j.Files] = max(most[j.Files], j.Bytes)
	}
	sum := int64(0)
	for _, bytes := range most {
		sum += bytes
	}
	return sum
}
