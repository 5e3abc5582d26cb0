package report

import "fmt"

// detailGrid shows what the arm that is sized for asked of storage, both ways, on average and at the worst; nil: there is
// nothing beside the mean.
func (s Size) detailGrid() (title string, g *grid) {
	need := s.sizedNeed()
	if need == nil || need.P95 == nil {
		return "", nil
	}
	g = newGrid("a second", nil)
	var rates []SizeRate
	for _, row := range []struct {
		name string
		rate *SizeRate
	}{{"mean", need.Mean}, {"p95", need.P95}, {"p99", need.P99}, {"worst second", need.PeakSecond}, {"worst minute", need.PeakMinute}} {
		if row.rate != nil {
			g.rows, rates = append(g.rows, []string{row.name}), append(rates, *row.rate)
		}
	}
	for _, column := range []struct {
		header string
		of     func(SizeRate) float64
	}{
		{"reads", func(r SizeRate) float64 { return r.Reads }}, {"writes", func(r SizeRate) float64 { return r.Writes }},
		{"flushes", func(r SizeRate) float64 { return r.Flushes }},
		{"MB\nread", func(r SizeRate) float64 { return r.ReadBytes / megabyte }}, {"MB\nwritten", func(r SizeRate) float64 { return r.WriteBytes / megabyte }},
		{"KB\neach", sizeOf},
	} {
		var cells []string
		for _, r := range rates {
			cells = append(cells, known(new(column.of(r)), 1))
		}
		g.add(column.header, cells)
	}
	return need.Arm + " in detail", g
}

// detailLegend says what the percentiles are of, and how many of the logical things there are for one request.
func (s Size) detailLegend() string {
	need := s.sizedNeed()
	if need == nil || need.P95 == nil {
		return ""
	}
	text := fmt.Sprintf("Each number by itself, in %d seconds", need.Seconds)
	if need.RowsPerRequest != nil && need.RecordsPerRequest != nil {
		text += fmt.Sprintf("; %s rows and %s log records for each request on average", quotient(*need.RowsPerRequest), quotient(*need.RecordsPerRequest))
	}
	return text + "."
}

// sizedNeed is that of the arm that is sized for; of several runs, of the one that asks for most bytes.
func (s Size) sizedNeed() *SizeNeed {
	for i, n := range s.Needs {
		if n.Arm == s.Sized.Arm && (n.Run == "" || n.Run == s.Run.ID) {
			return &s.Needs[i]
		}
	}
	return nil
}
