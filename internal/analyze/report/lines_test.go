package report_test

import "strings"

// What the golden cases show where they differ from demoLines, worked out by hand.

// notLocalLines: with no device, the factor is that of log records to writes of the log: 103,000 to 300 and 8,000 to 200.
func notLocalLines() map[string]string {
	return map[string]string{
		"bulk":                  "10,000 ±10% | 10,300 ±10% | - (1) | - (1) | - (1)",
		"copy":                  "20,000 ±10% | 800 ±10% | - (1) | - (1) | - (1)",
		"database/tup_inserted": "1.00 ±0% | 0.50-1.0 | 0.97-25 | - (1)",
		"wal/wal_records":       "0.040-1.0 | 0.020-1.0 | 1.00 ±0% | - (1)",
		"lsn/insert":            "24-80 | 12-80 | 78-600 | - (1)",
		"wal/wal_write":         "0.0010-0.0030 | 0.0005-0.0030 | 0.0029-0.025 | - (1)",
		"wal/wal_sync":          "0.0004-0.0020 | 0.0002-0.0020 | 0.0019-0.010 | - (1)",
		"block/writes":          "", "block/requests": "", "block/flushes": "", "block/write_bytes": "",
		"Read as \"IOPS\"": "Read as \"IOPS\", the log records would say 10,300 a second (bulk). The server wrote its log 30 times " +
			"a second; what its device did cannot be told here. One write stands for 40.0 log records (copy) to 343 (bulk): " +
			"no rule of thumb turns one into the other.",
	}
}

// twoLines: replicates of 0.9 and 1.0 have a mean of 0.95, and half their distance is 0.05/0.95 = 5.3 % of it.
func twoLines() map[string]string {
	return map[string]string{
		"bulk": "9,500 ±5% | 9,785 ±5% | 48 ±5% | 19 ±5% | 0.9 ±5%", // 47.5 and 0.95, half to even
		"copy": "19,000 ±5% | 760 ±5% | 19 ±5% | 11 ±5% | 0.6 ±5%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the log records would say 9,785 a second (bulk). The device did 48 requests " +
			"a second, 0.9 MB/s. One request stands for 40.0 log records (copy) to 206 (bulk): no rule of thumb turns one into the other.",
	}
}

// oneLines: one replicate of 0.9.
func oneLines() map[string]string {
	return map[string]string{
		"bulk": "9,000 ±? | 9,270 ±? | 45 ±? | 18 ±? | 0.9 ±?",
		"copy": "18,000 ±? | 720 ±? | 18 ±? | 11 ±? | 0.5 ±?", // 10.8, 0.54
		"Read as \"IOPS\"": "Read as \"IOPS\", the log records would say 9,270 a second (bulk). The device did 45 requests " +
			"a second, 0.9 MB/s. One request stands for 40.0 log records (copy) to 206 (bulk): no rule of thumb turns one into the other.",
	}
}

// oneArmLines: the ratios of bulk alone.
func oneArmLines() map[string]string {
	return map[string]string{
		"copy":                  "",
		"database/tup_inserted": "1.00 ±0% | 1.00 ±0% | 0.971 ±0% | 200 ±0%",
		"wal/wal_records":       "1.03 ±0% | 1.03 ±0% | 1.00 ±0% | 206 ±0%",
		"lsn/insert":            "80.0 ±0% | 80.0 ±0% | 77.7 ±0% | 16,000 ±0%",
		"wal/wal_write":         "0.00300 ±0% | 0.00300 ±0% | 0.00291 ±0% | 0.600 ±0%",
		"wal/wal_sync":          "0.00200 ±0% | 0.00200 ±0% | 0.00194 ±0% | 0.400 ±0%",
		"block/writes":          "0.00700 ±0% | 0.00700 ±0% | 0.00680 ±0% | 1.40 ±0%",
		"block/requests":        "0.00500 ±0% | 0.00500 ±0% | 0.00485 ±0% | 1.00 ±0%",
		"block/flushes":         "0.00200 ±0% | 0.00200 ±0% | 0.00194 ±0% | 0.400 ±0%",
		"block/write_bytes":     "100 ±0% | 100 ±0% | 97.1 ±0% | 20,000 ±0%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the log records would say 10,300 a second (bulk). The device did 50 requests " +
			"a second, 1.0 MB/s. That is 206 log records for one request, in this arm; another load has another factor.",
	}
}

// noIdleLines: the background of 11 s stays in: 22 requests and 11 flushes (each also a write), 90,112 bytes. So bulk
// has 522 requests in the mean of 10 s and copy 222, ±50/522 and ±20/222; 211 and 131 flushes; 10.09 and 6.09 MB. Ratios
// are means of those of the replicates, such as 92,700/472, 103,000/522 and 113,300/572 records per request.
func noIdleLines() map[string]string {
	return map[string]string{
		"bulk":                  "10,000 ±10% | 10,300 ±10% | 52 ±10% | 21 ±9% | 1.0 ±10%",
		"copy":                  "20,000 ±10% | 800 ±10% | 22 ±9% | 13 ±9% | 0.6 ±10%",
		"database/tup_inserted": "1.00 ±0% | 0.50-1.0 | 0.97-25 | 192-901",
		"wal/wal_records":       "0.040-1.0 | 0.020-1.0 | 1.00 ±0% | 36-197",
		"lsn/insert":            "24-80 | 12-80 | 78-600 | 15,326-21,622",
		"wal/wal_write":         "0.0010-0.0030 | 0.0005-0.0030 | 0.0029-0.025 | 0.57-0.90",
		"wal/wal_sync":          "0.0004-0.0020 | 0.0002-0.0020 | 0.0019-0.010 | 0.372 ±4%",
		"block/writes":          "0.0018-0.0073 | 0.0009-0.0073 | 0.0071-0.044 | 1.4-1.6",
		"block/requests":        "0.0011-0.0052 | 0.0006-0.0052 | 0.0051-0.028 | 1.00 ±0%",
		"block/flushes":         "0.0007-0.0021 | 0.0003-0.0021 | 0.0020-0.016 | 0.40-0.59",
		"block/write_bytes":     "30-101 | 15-101 | 98-761 | 19,330-27,433",
		"Read as \"IOPS\"": "Read as \"IOPS\", the log records would say 10,300 a second (bulk). The device did 52 requests " +
			"a second, 1.0 MB/s. One request stands for 36.0 log records (copy) to 197 (bulk): no rule of thumb turns one into the other.",
	}
}

// noWALLines: rows stand in for log records: 100,000 to 500 requests and 200,000 to 200.
func noWALLines() map[string]string {
	return map[string]string{
		"bulk":                  "10,000 ±10% | - (1) | 50 ±10% | 20 ±10% | 1.0 ±10%",
		"copy":                  "20,000 ±10% | - (1) | 20 ±10% | 12 ±10% | 0.6 ±10%",
		"database/tup_inserted": "1.00 ±0% | 0.50-1.0 | - (1) | 200-1,000",
		"wal/wal_records":       "", "wal/wal_write": "", "wal/wal_sync": "",
		"lsn/insert":        "24-80 | 12-80 | - (1) | 16,000-24,000",
		"block/writes":      "0.0016-0.0070 | 0.0008-0.0070 | - (1) | 1.4-1.6",
		"block/requests":    "0.0010-0.0050 | 0.0005-0.0050 | - (1) | 1.00 ±0%",
		"block/flushes":     "0.0006-0.0020 | 0.0003-0.0020 | - (1) | 0.40-0.60",
		"block/write_bytes": "30-100 | 15-100 | - (1) | 20,000-30,000",
		"Read as \"IOPS\"": "Read as \"IOPS\", the rows would say 20,000 a second (copy). The device did 20 requests a second, " +
			"0.6 MB/s. One request stands for 200 rows (bulk) to 1,000 (copy): no rule of thumb turns one into the other.",
	}
}

// zeroRowsLines: of rows and entries only bulk has any, which is said in the headers.
func zeroRowsLines() map[string]string {
	lines := oneArmLines()
	changed := map[string]string{"copy": "0 ±0% | 800 ±10% | 20 ±10% | 12 ±10% | 0.6 ±10%"}
	for key, line := range demoLines() {
		if strings.Contains(key, "/") {
			firstTwo, others := strings.Split(lines[key], " | ")[:2], strings.Split(line, " | ")[2:]
			changed[key] = strings.Join(append(firstTwo, others...), " | ")
		}
	}
	return changed
}

// noisyLines: 100 requests a second of background at the mean, and 0 or 200 in a replicate, swallow those of both arms.
func noisyLines() map[string]string {
	changed := map[string]string{
		"bulk":         "10,000 ±10% | 10,300 ±10% | ~ (1) | 20 ±10% | 1.0 ±10%",
		"copy":         "20,000 ±10% | 800 ±10% | ~ (1) | 12 ±10% | 0.6 ±10%",
		"block/writes": "", "block/requests": "",
		"Read as \"IOPS\"": notLocalLines()["Read as \"IOPS\""],
	}
	for key, line := range demoLines() {
		if _, done := changed[key]; !done {
			cells := strings.Split(line, " | ")
			changed[key] = strings.Join(append(cells[:3], "- (2)"), " | ")
		}
	}
	return changed
}
