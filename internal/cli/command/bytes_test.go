package command

import "testing"

func TestSizes(t *testing.T) {
	check := func(text string, want int64, again string) {
		t.Helper()
		var s Size
		if err := s.Set(text); err != nil || int64(s) != want || s.String() != again {
			t.Errorf("%q: %d, which is %s, %v, want %d, which is %s", text, int64(s), s.String(), err, want, again)
		}
	}
	check("4G", 4<<30, "4G")
	check("512m", 512<<20, "512M")
	check("1TiB", 1<<40, "1T")
	check("2048MB", 2<<30, "2G")
	check("1536K", 1536<<10, "1536K")
	check("1000000", 1000000, "1000000")
	check(" 1025B ", 1025, "1025")
	for _, text := range []string{"", "0", "0G", "G", "4X", "-1G", "1.5G", "4 G", "9999999999999T",
		"99999999999999999999"} {
		var s Size
		if err := s.Set(text); err == nil {
			t.Errorf("%q is %d", text, int64(s))
		}
	}
}
