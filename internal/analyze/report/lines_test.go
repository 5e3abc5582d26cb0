package report_test

import "strings"

// What the golden cases show if they differ from demoLines, computed by hand.

// notLocalLines: in 10 s there are 300 WAL writes and 200 fsyncs, and 200 and 80. Without a device, the factor is WAL
// records to WAL writes: 103,000 to 300 and 8,000 to 200.
func notLocalLines() map[string]string {
	return map[string]string{
		"bulk": "10,000 ±10% | 10,300 ±10% | 30 ±10% | 20 ±10%",
		"copy": "20,000 ±10% | 800 ±10% | 20 ±10% | 8.0 ±10%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 10,300 a second (bulk). The server wrote " +
			"its WAL 30 times " +
			"a second; its device was not visible. One WAL write stands for 40.0 WAL records (copy) " +
			"to 343 (bulk), so no rule of thumb converts one into the other.",
	}
}

// twoLines: repetitions of 0.9 and 1.0 have a mean of 0.95, and half their distance is 0.05/0.95 = 5.3% of it.
func twoLines() map[string]string {
	return map[string]string{
		"bulk": "9,500 ±5% | 9,800 ±5% | 48 ±5% | 19 ±5% | 0.9 ±5%", // 47.5 and 0.95, half to even
		"copy": "19,000 ±5% | 760 ±5% | 19 ±5% | 11 ±5% | 0.6 ±5%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 9,800 a second (bulk). The device " +
			"did 48 requests " +
			"a second, 0.9 MB/s. One device request stands for 40.0 WAL records (copy) to 206 (bulk), so no rule " +
			"of thumb converts one into the other.",
	}
}

// oneLines: one repetition of 0.9.
func oneLines() map[string]string {
	return map[string]string{
		"bulk": "9,000 ±? | 9,300 ±? | 45 ±? | 18 ±? | 0.9 ±?",
		"copy": "18,000 ±? | 720 ±? | 18 ±? | 11 ±? | 0.5 ±?", // 10.8, 0.54
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 9,300 a second (bulk). The device " +
			"did 45 requests " +
			"a second, 0.9 MB/s. One device request stands for 40 WAL records (copy) to 206 (bulk), so no rule " +
			"of thumb converts one into the other.",
	}
}

// oneLoadLines: bulk alone has 103,000 records for 500 requests.
func oneLoadLines() map[string]string {
	return map[string]string{
		"copy": "",
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 10,300 a second (bulk). The device " +
			"did 50 requests " +
			"a second, 1.0 MB/s. That is 206 WAL records for one device request under this load; another load has " +
			"another factor.",
	}
}

// noIdleLines: the background of 11 s stays in: 22 requests and 11 flushes (each also a write), 90,112 bytes. So bulk
// has 522 requests in the mean of 10 s and copy 222, ±50/522 and ±20/222; 211 and 131 flushes; 10.09 and 6.09 MB.
// Ratios are means over the repetitions, such as 92,700/472, 103,000/522 and 113,300/572 records per request.
func noIdleLines() map[string]string {
	return map[string]string{
		"bulk": "10,000 ±10% | 10,300 ±10% | 52 ±10% | 21 ±9% | 1.0 ±10%",
		"copy": "20,000 ±10% | 800 ±10% | 22 ±9% | 13 ±9% | 0.6 ±10%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 10,300 a second (bulk). The device " +
			"did 52 requests " +
			"a second, 1.0 MB/s. One device request stands for 36.0 WAL records (copy) to 197 (bulk), so no rule " +
			"of thumb converts one into the other.",
	}
}

// noWALLines: rows stand in for WAL records: 100,000 to 500 requests and 200,000 to 200. The records are modelled:
// 10,000 rows a second by INSERT make as many, plus 10 commits and 10,000/33 of a sequence; 20,000 by COPY make 128
// pages, 20 commits and 20,000/33.
func noWALLines() map[string]string {
	return map[string]string{
		"bulk": "10,000 ±10% | 10,300 (1) ±10% | 50 ±10% | 20 ±10% | 1.0 ±10%",
		"copy": "20,000 ±10% | 750 (1) ±10% | 20 ±10% | 12 ±10% | 0.6 ±10%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the rows would say 20,000 a second (copy). The device did 20 " +
			"requests a second, " +
			"0.6 MB/s. One device request stands for 200 rows (bulk) to 1,000 (copy), so no rule of thumb converts " +
			"one into the other.",
	}
}

// zeroRowsLines: copy wrote none.
func zeroRowsLines() map[string]string {
	return map[string]string{"copy": "0 ±0% | 800 ±10% | 20 ±10% | 12 ±10% | 0.6 ±10%"}
}

// noisyLines: 100 requests a second of background in the mean, and 0 or 200 in a repetition, hide both loads' requests.
func noisyLines() map[string]string {
	return map[string]string{
		"bulk": "10,000 ±10% | 10,300 ±10% | ~ (1) | 20 ±10% | 1.0 ±10%",
		"copy": "20,000 ±10% | 800 ±10% | ~ (1) | 12 ±10% | 0.6 ±10%",
		"Read as \"IOPS\"": strings.Replace(notLocalLines()["Read as \"IOPS\""], "its device was not visible",
			"the device's requests are lost in its background", 1),
	}
}
