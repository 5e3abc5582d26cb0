//go:build !unix

package engine

import "time"

func processorTime() (used time.Duration, known bool) { return 0, false }
