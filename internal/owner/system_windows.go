package owner

import "io/fs"

// A directory of a user's profile is the user's alone on Windows, and there is no place for temporary files that all
// users share.
func refuse(string, fs.FileInfo) error { return nil }

func refuseShared(string, fs.FileInfo) error { return nil }
