package metric

// fio returns fio's figures of its jobs: counters over all of them, and levels of the last.
func fio() (rows []Metric) {
	add := func(m Metric, printed string) {
		m.Name, m.Source = "fio/"+m.Name, "https://fio.readthedocs.io/en/latest/fio_doc.html"
		rows = append(rows,
			m.As("fio "+printed).but("as reported by fio; one operation may be several device requests, or a part of one"))
	}
	for _, side := range []struct{ name, one, many string }{
		{"read", "read", "reads"}, {"write", "write", "writes"},
		{"sync", "flush that a job asked for", "flushes that jobs asked for, by fsync or fdatasync"},
	} {
		add(counter(side.name+"s", "operations", side.many+", completed"), side.name+"s")
		if side.name != "sync" {
			add(counter(side.name+"_bytes", "bytes", "bytes in them"), side.name+" bytes")
		}
		add(counter(side.name+"_time", "seconds",
			"time that they took, from submission to completion, summed over operations"), side.name+" time")
		for _, p := range []struct{ name, printed, share string }{
			{"p50", "median", "half"}, {"p95", "95th percentile", "95%"}, {"p99", "99th percentile", "99%"},
			{"p999", "99.9th percentile", "99.9%"},
		} {
			add(gauge(side.name+"_"+p.name, "seconds", "time within which "+p.share+
				" were done, of the job that ran last"), side.name+" "+p.printed)
		}
		add(gauge(side.name+"_max", "seconds", "the longest "+side.one+" of the job that ran last"), side.name+" longest")
	}
	return rows
}
