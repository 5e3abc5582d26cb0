package pgstat

// bgwriter returns the work of the background writer, and up to 16 that of sessions which write for themselves; from 17
// on pg_stat_io alone shows the latter.
func bgwriter() view {
	return view{
		name:      Name + ".bgwriter",
		relations: []string{"pg_stat_bgwriter"},
		fields: append(columns("buffers_clean", "maxwritten_clean", "buffers_alloc", "buffers_backend",
			"buffers_backend_fsync"), statsReset()),
	}
}
