package fio

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// allowed lists the options that a user's job file may have. fio has hundreds, and some run programs, write to
// devices, change the system's settings or fill disks.
var allowed = strings.Fields(`
	rw readwrite bs blocksize ba blockalign bsrange blocksize_range bssplit blocksize_unaligned bs_unaligned bs_is_seq_rand
	rwmixread rwmixwrite rw_sequencer unified_rw_reporting randrepeat allrandrepeat randseed randommap norandommap softrandommap
	random_distribution random_generator percentage_random file_service_type nrfiles openfiles filename filename_format filesize size
	io_size io_limit offset offset_increment number_ios fsync fdatasync sync_file_range fsync_on_close end_fsync sync direct buffered
	ioengine iodepth iodepth_low iodepth_batch iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min
	iodepth_batch_complete_max io_submit_mode numjobs thread runtime timeout time_based ramp_time startdelay loops rate rate_iops rate_min
	rate_iops_min rate_process rate_cycle thinktime thinktime_blocks thinktime_spin latency_target latency_window latency_percentile
	max_latency invalidate overwrite fallocate fadvise_hint create_serialize create_fsync refill_buffers scramble_buffers
	buffer_compress_percentage dedupe_percentage zero_buffers buffer_pattern group_reporting stonewall wait_for_previous new_group
	name description lat_percentiles clat_percentiles slat_percentiles hipri prio prioclass nice atomic continue_on_error`)

// engines do I/O only on files.
var engines = strings.Fields(`sync psync vsync pvsync pvsync2 libaio posixaio io_uring mmap splice`)

// ReadFile reads a user's job file. Its files go into a directory of our own in place. Sections that fio would run
// together are one job; jobs run one after another, so that each has its own counts. A section without a length
// gets the settings' length at most.
func ReadFile(r io.Reader, place string, s Settings) (jobs []Job, err error) {
	sections, global, err := parse(r)
	if err != nil {
		return nil, err
	}
	if len(sections) == 0 {
		return nil, fmt.Errorf("the file has no job; begin one with a line [name]")
	}
	for i, section := range sections {
		section.Options = append(slices.Clone(global), section.Options...)
		alone := i == 0 || has(section.Options, "stonewall") || has(section.Options, "wait_for_previous") ||
			has(section.Options, "new_group")
		if err := section.tame(place); err != nil {
			return nil, fmt.Errorf("[%s]: %w", section.Name, err)
		}
		j, err := section.job(s)
		if err != nil {
			return nil, fmt.Errorf("[%s]: %w", section.Name, err)
		}
		if alone {
			jobs = append(jobs, j)
		} else {
			jobs[len(jobs)-1].join(j)
		}
	}
	seen := map[string]bool{}
	for _, j := range jobs {
		if seen[j.Name] {
			return jobs, fmt.Errorf("two jobs are named %s", j.Name)
		}
		seen[j.Name] = true
	}
	return jobs, nil
}

func parse(r io.Reader) (sections []Section, global []Option, err error) {
	lines, current := bufio.NewScanner(r), ""
	for n := 1; lines.Scan(); n++ {
		switch line := strings.TrimSpace(lines.Text()); {
		case line == "" || strings.ContainsAny(line[:1], "#;"):
		case strings.ContainsAny(line, "$\x00`"):
			return nil, nil, fmt.Errorf("line %d: %.60q: variables are not supported", n, line)
		case strings.HasPrefix(line, "["):
			name, closed := strings.CutSuffix(line[1:], "]")
			if current = strings.TrimSpace(name); !closed || !plainName.MatchString(current) {
				return nil, nil, fmt.Errorf("line %d: invalid job name %.60q; use letters, digits, and ._- between them", n, line)
			}
			if current != "global" {
				sections = append(sections, Section{Name: current})
			}
		case current == "":
			return nil, nil, fmt.Errorf("line %d: %.60q precedes the first [name]", n, line)
		default:
			name, value, _ := strings.Cut(line, "=")
			option := Option{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)}
			if !slices.Contains(allowed, option.Name) && option.Name != "directory" && option.Name != "unlink" {
				return nil, nil, fmt.Errorf("line %d: option %.60q is not allowed, since it may reach outside the directory", n,
					option.Name)
			}
			if current == "global" {
				global = append(global, option)
			} else {
				sections[len(sections)-1].Options = append(sections[len(sections)-1].Options, option)
			}
		}
	}
	return sections, global, lines.Err()
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	// A file name may contain fio's variables for the job's or file's number, which have
	// a $ and so come only from us.
	fileNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9][A-Za-z0-9._-]*)*$`)
)

func has(options []Option, name string) bool {
	return slices.ContainsFunc(options, func(o Option) bool { return o.Name == name && o.Value != "0" })
}

// cached reports whether a job goes through the page cache, as fio does by default. The last option counts.
func cached(options []Option) bool {
	is := true
	for _, o := range options {
		switch o.Name {
		case "direct":
			is = o.Value == "0"
		case "buffered":
			is = o.Value != "0"
		}
	}
	return is
}

func value(options []Option, names ...string) string {
	for _, o := range slices.Backward(options) {
		if slices.Contains(names, o.Name) {
			return o.Value
		}
	}
	return ""
}

// tame refuses options that lead out of the directory, and drops those that realiops sets itself.
func (s *Section) tame(place string) error {
	var options []Option
	for _, o := range s.Options {
		switch o.Name {
		case "directory":
			if !below(place, o.Value) {
				return fmt.Errorf("directory=%s is outside %s; name it with --dir", o.Value, place)
			}
			continue
		case "filename", "filename_format":
			name := o.Value
			if filepath.IsAbs(name) && below(place, filepath.Dir(name)) {
				name = filepath.Base(name)
			}
			if !fileNames.MatchString(name) {
				return fmt.Errorf("%s is outside %s; use a file name without a path, and no device", o, place)
			}
			o.Value = name
		case "ioengine":
			if engine, _, _ := strings.Cut(o.Value, ","); !slices.Contains(engines, engine) {
				return fmt.Errorf("%s: unsupported engine; use one of %s", o, strings.Join(engines, ", "))
			}
		case "rw", "readwrite":
			if strings.Contains(o.Value, "trim") {
				return fmt.Errorf("%s discards; use jobs that read or write", o)
			}
		case "stonewall", "wait_for_previous", "new_group", "unlink", "group_reporting":
			continue
		}
		options = append(options, o)
	}
	s.Options = options
	return nil
}

func below(place, directory string) bool {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(place, absolute)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

func (s Section) job(set Settings) (Job, error) {
	j := Job{Name: s.Name, Sections: []Section{s}, Runtime: set.Runtime, Files: s.Name,
		Buffered: cached(s.Options)}
	if v := value(s.Options, "runtime", "timeout"); v != "" && set.Runtime == 0 {
		d, err := durationOf(v)
		if err != nil {
			return j, fmt.Errorf("runtime=%s: %w", v, err)
		}
		j.Runtime = d
	}
	j.Runtime = cmp.Or(j.Runtime, defaultRuntime)
	clones := 1
	if v := value(s.Options, "numjobs"); v != "" {
		var err error
		if clones, err = strconv.Atoi(v); err != nil || clones < 1 || clones > 1024 {
			return j, fmt.Errorf("numjobs=%s: want 1 to 1024", v)
		}
	}
	if err := j.bound(clones, set); err != nil {
		return j, err
	}
	// Lay the files beforehand, so that the job does not write them during its time.
	j = j.with(Option{"overwrite", "1"}, Option{"runtime", fmt.Sprintf("%dms", j.Runtime.Milliseconds())})
	return j, nil
}

// bound computes how much a section takes on the disk, and sets its size if it has none.
func (j *Job) bound(clones int, set Settings) error {
	options := j.Sections[0].Options
	each := set.Size / int64(clones)
	if value(options, "size", "filesize") == "" {
		*j = j.with(Option{"size", fmt.Sprint(each)})
	} else {
		var err error
		if each, err = laid(options); err != nil {
			return err
		}
	}
	if each > mostBytes/int64(clones) {
		return fmt.Errorf("the files exceed a pebibyte")
	}
	j.Bytes = each * int64(clones)
	if depth, err := strconv.Atoi(cmp.Or(value(options, "iodepth"), "1")); err == nil {
		j.Depth = depth * clones
	}
	return nil
}

// mostBytes bounds the files of a job, so that sums over jobs do not overflow.
const mostBytes = 1 << 50

// laid returns an upper bound on the size of one clone's files: the larger of its size and its files' sizes, plus its
// offset. fio lays filesize for each of nrfiles, and all of size without one.
func laid(options []Option) (most int64, err error) {
	files := 1
	if v := value(options, "nrfiles"); v != "" {
		if files, err = strconv.Atoi(v); err != nil || files < 1 || files > 1e6 {
			return 0, fmt.Errorf("nrfiles=%s: want 1 to 1000000", v)
		}
	}
	amount := func(name string) (n int64) {
		v := value(options, name)
		partOfFile := strings.HasSuffix(v, "%") && strings.HasPrefix(name, "offset") // relative to the file
		if v == "" || partOfFile || err != nil {
			return 0
		}
		if _, upper, isRange := strings.Cut(v, "-"); isRange {
			v = upper
		}
		if n, err = bytesOf(v); err != nil {
			err = fmt.Errorf("%s=%s: %w", name, v, err)
		}
		return min(n, mostBytes+1)
	}
	size, each, offset := amount("size"), amount("filesize"), amount("offset")+amount("offset_increment")
	if err != nil {
		return 0, err
	}
	if size > mostBytes || offset > mostBytes || each > mostBytes/int64(files) {
		return 0, fmt.Errorf("the files exceed a pebibyte")
	}
	return max(size, each*int64(files)) + offset, nil
}

func (j *Job) join(other Job) {
	j.Sections = append(j.Sections, other.Sections...)
	j.Runtime = max(j.Runtime, other.Runtime)
	j.Bytes += other.Bytes
	j.Depth += other.Depth
	j.Buffered = j.Buffered || other.Buffered
}

var amountForm = regexp.MustCompile(`^(\d{1,18})([kmgt]?)(i?b)?$`)

// bytesOf parses a size as fio does by default: in powers of 1024.
func bytesOf(text string) (int64, error) {
	parts := amountForm.FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		return 0, fmt.Errorf("want a size, such as 512m or 4g")
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	shift := 10 * (1 + strings.Index("kmgt", parts[2]))
	if parts[2] == "" {
		shift = 0
	}
	if err != nil || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("too large")
	}
	return n << shift, nil
}

// durationOf parses a time as fio does: seconds, or with a unit.
func durationOf(text string) (time.Duration, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= 7*24*3600 {
		return time.Duration(n) * time.Second, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 && d <= 7*24*time.Hour {
		return d, nil
	}
	return 0, fmt.Errorf("want a time above 0, such as 30 or 5m")
}
