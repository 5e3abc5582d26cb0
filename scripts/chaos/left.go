//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is a killed process's time to clean up after itself.
const patience = 40 * time.Second

// eventually repeats find until it finds nothing or time is up, and returns the last findings.
func eventually(find func() []string) (found []string) {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(100 * time.Millisecond) {
		if found = find(); len(found) == 0 {
			return nil
		}
	}
	return found
}

// left returns leftovers on the machine: processes, files and sockets, shared memory.
func (s *scene) left() []string {
	return eventually(func() []string {
		return slices.Concat(s.processes(), s.files(), s.segmentsLeft(), s.dynamicLeft())
	})
}

// processes returns those with the place in their environment or arguments.
func (p *place) processes() (left []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		arguments, _ := os.ReadFile(name + "/cmdline")
		environment, _ := os.ReadFile(name + "/environ")
		if strings.Contains(string(arguments), p.dir+"/") || strings.Contains("\x00"+string(environment), "\x00CHAOS="+
			p.dir+"\x00") {
			left = append(left, fmt.Sprintf("leaves the process %s: %s", filepath.Base(name),
				strings.ReplaceAll(string(arguments), "\x00", " ")))
		}
	}
	return left
}

// files returns new files except the record.
func (p *place) files() []string {
	now, err := listing(p.dir)
	if err != nil {
		return []string{err.Error()}
	}
	now = slices.DeleteFunc(now, func(name string) bool {
		return name == record || p.grows != "" && strings.HasPrefix(name, p.grows+" (") ||
			slices.Contains(p.before, name)
	})
	if len(now) > 0 {
		return []string{fmt.Sprintf("leaves the files %v", now)}
	}
	return nil
}

// listing returns the contents of a directory, with the sizes of files that the command did not make.
func listing(dir string) (all []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir+"/")
		if err != nil || path == dir || name == record {
			return err
		}
		info, err := entry.Info()
		if err == nil && entry.Type().IsRegular() {
			name = fmt.Sprintf("%s (%d bytes)", name, info.Size())
		}
		all = append(all, name)
		return err
	})
	return all, err
}

// segment is a System V shared memory segment.
type segment struct{ id, creator int }

func segments() (all []segment, err error) {
	text, err := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(text)) {
		const idField, creatorField = 1, 4
		if fields := strings.Fields(line); len(fields) > creatorField {
			id, err := strconv.Atoi(fields[idField])
			creator, _ := strconv.Atoi(fields[creatorField])
			if err == nil {
				all = append(all, segment{id, creator})
			}
		}
	}
	return all, err
}

// segmentsLeft returns new ones whose creator is gone.
func (p *place) segmentsLeft() (left []string) {
	now, err := segments()
	if err != nil {
		return []string{err.Error()}
	}
	for _, s := range now {
		if !slices.Contains(p.memory, s) && syscall.Kill(s.creator, 0) == syscall.ESRCH {
			left = append(left, fmt.Sprintf("leaves the shared memory segment %d", s.id))
		}
	}
	return left
}

// dynamicMemory returns the segments of dynamic shared memory of all servers on this machine.
func dynamicMemory() []string {
	names, _ := filepath.Glob("/dev/shm/PostgreSQL.*")
	return names
}

// dynamicLeft returns new ones that no process has mapped.
func (p *place) dynamicLeft() (left []string) {
	var mapped strings.Builder
	processes, _ := filepath.Glob("/proc/[0-9]*/maps")
	for _, maps := range processes {
		text, _ := os.ReadFile(maps)
		mapped.Write(text)
	}
	for _, name := range dynamicMemory() {
		if !slices.Contains(p.dynamic, name) && !strings.Contains(mapped.String(), name+"\n") {
			left = append(left, "leaves the dynamic shared memory "+name)
		}
	}
	return left
}
