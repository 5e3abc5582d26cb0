package main

import "os"

// memoryOf is not asked here.
func memoryOf(*os.ProcessState) int64 { return 0 }
