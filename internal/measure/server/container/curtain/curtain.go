// Package curtain hides the machine's processes from testcontainers-go while a program starts. The library scans all of
// them in its initialization, 0.05 ms each, in every command of realiops. With this HOST_PROC it finds none.
//
// Go initializes packages in the order of their import paths, as far as imports allow: this one, which imports next to
// nothing, before the library. [Lift] is called by a package that imports the library, and so comes after it.
package curtain

import "os"

const processes = "HOST_PROC"

var users, set = hang()

func hang() (users string, set bool) {
	users, set = os.LookupEnv(processes)
	_ = os.Setenv(processes, "/proc/self")
	return users, set
}

// Lift restores the environment.
func Lift() error {
	if !set {
		return os.Unsetenv(processes)
	}
	return os.Setenv(processes, users)
}
