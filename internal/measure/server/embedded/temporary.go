package embedded

// TemporaryPlace is the directory in which the data of a server go that nobody named a place for.
func TemporaryPlace(allowRAM bool) (string, error) {
	p, err := choosePlace(Options{AllowRAM: allowRAM})
	return p.directory, err
}
