package report

// topSections are who causes what storage has to do, a table for each sort.
func (r Report) topSections(notes *footnotes) []Section {
	if r.Observed == nil {
		return nil
	}
	var all []Section
	for _, t := range r.Observed.Top {
		section := Section{Title: topTitle + ": " + t.Of}
		g := t.grid(notes)
		switch {
		case t.Missing != "":
			section.Text = []string{t.unknown()}
		case g == nil:
			continue
		default:
			section.Table = g.table()
			for i, item := range t.shown() {
				section.Table.Rows[i][0].Hover = item.Text // the whole of it
			}
			section.Legend = filled("Ranked by their part in what all did: "+t.By+".", t.rest())
		}
		all = append(all, section)
	}
	return all
}
