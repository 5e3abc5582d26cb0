package operation

import "os"

// ended reports false: whether a pipe has ended is not known without reading from it.
func ended(*os.File) bool { return false }
