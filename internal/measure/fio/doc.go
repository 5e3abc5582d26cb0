// Package fio measures what storage delivers with the machine's fio, and reads its output.
//
// [Find] finds the program, [Database] and [Published] are named sets of jobs for it, and [ReadFile] reads a user's
// own, accepting only options that stay in a directory and change nothing else. [Make] creates a directory for the
// test files; [Directory.Lay] writes them and [Directory.Run] runs a job on them, with its [Status] every second.
//
// Nothing stays: package supervisor ends fio and removes the directory, even when realiops is killed, and
// if both are, the next run does.
//
//   - set.go has the sets, file.go reads a user's, job.go has their parts.
//   - directory.go manages the directory, process.go finds and runs fio, output.go reads its output and names its counts like
//     any probe's, so that a run file holds both.
//
// It generates no load itself: an imitation would have to earn the trust that fio has.
package fio
