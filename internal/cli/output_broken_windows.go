package cli

// outputBroken is never asked: there is no signal that tells of it here. Whoever writes gets an error.
func outputBroken(...uintptr) bool { return false }
