package owner

import "io/fs"

// On Windows a directory in a user's profile is private, and there is no shared place for temporary files.
func refuse(string, fs.FileInfo) error { return nil }

func refuseShared(string, fs.FileInfo) error { return nil }
