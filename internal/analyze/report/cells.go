package report

// cells is a column of a table in the making: figures, and their doubts in line below each other.
type cells struct {
	notes          *footnotes
	values, doubts []string
	known          int
}

// add appends a figure, written by format, or what stands in its place.
func (c *cells) add(f Figure, format func(float64) string) {
	if !f.Known() {
		c.addText(c.notes.cell(f.Missing))
		return
	}
	c.known++
	if f.lost() {
		c.addText("~ " + c.notes.mark("cannot be told from the background"))
		return
	}
	c.values, c.doubts = append(c.values, format(f.Value)), append(c.doubts, f.doubt())
}

// addText appends something else.
func (c *cells) addText(s string) {
	c.values, c.doubts = append(c.values, s), append(c.doubts, "")
}

// strings are the finished cells, from top to bottom.
func (c *cells) strings() []string {
	if c.known == 0 {
		return c.values
	}
	var all []string
	for i, doubt := range padded(c.doubts) {
		all = append(all, c.values[i]+" "+doubt)
	}
	return all
}

// in formats rates in a unit.
func in(unit float64) func(float64) string {
	return func(v float64) string { return rate(v / unit) }
}
