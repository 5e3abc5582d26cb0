package attribution

// silent tells whether load leaves the metric where it was: in no arm does its rate differ from the background's by more
// than either varies.
func (j *judge) silent(y column) (why string, is bool) {
	for a := range y {
		for r := range y[a] {
			c := y[a][r]
			if c.missing != nil {
				continue
			}
			if c.value > 3*c.doubt {
				return "", false
			}
		}
	}
	return "Load does not move it", true
}
