package pgstat

// bgwriter reads the work of the background writer and, up to 16, the writes by sessions; from
// 17 on only pg_stat_io has those.
func bgwriter() view {
	return view{
		name: Name + ".bgwriter", relations: []string{"pg_stat_bgwriter"},
		fields: append(columns("buffers_clean", "maxwritten_clean", "buffers_alloc", "buffers_backend",
			"buffers_backend_fsync"), statsReset()),
	}
}
