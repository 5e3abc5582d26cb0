package metric

import "strings"

// Elsewhere is what a service that realiops does not read shows under the same name, or instead.
type Elsewhere struct {
	Service string   `json:"service"`
	Names   []string `json:"names"` // of metrics: as there, and as people look for them
	Says    string   `json:"says"`
	Source  string   `json:"source,omitempty"` // key; empty: nobody was found to say
}

// nobodySays ends what was told and not found in any document.
const nobodySays = " Nobody was found to say it in a document."

// ElsewhereOf is what other services show under a name, or what one of them shows by its own name.
func ElsewhereOf(name string) (all []Elsewhere) {
	for _, e := range elsewhere() {
		for _, known := range append([]string{e.Service}, e.Names...) {
			if strings.EqualFold(known, name) {
				all = append(all, e)
				break
			}
		}
	}
	return all
}

// ElsewhereNames are all names that other services are known by.
func ElsewhereNames() (names []string) {
	for _, e := range elsewhere() {
		names = append(append(names, e.Service), e.Names...)
	}
	return names
}

func elsewhere() []Elsewhere {
	volume := []string{"VolumeWriteIOPs", "VolumeReadIOPs"}
	disk := []string{"WriteIOPS", "ReadIOPS"}
	return []Elsewhere{
		{
			"Aurora Limitless", volume,
			"Spelled VolumeWriteIops and VolumeReadIops, of the cluster, in five minutes. Its storage is always I/O-Optimized, so that they are not billed.", "limitless",
		}, {
			"Aurora Limitless", disk,
			"Of each instance of a shard or router (dimension DBShardGroupInstance), and called disk operations. Whether WAL records are meant, as on Aurora, is not said.", "limitless",
		}, {
			"Aurora DSQL", append([]string{"WriteDPU", "BytesWritten", "VolumeWriteIOPs"}, disk...),
			"Has no operations. BytesWritten is bytes; what is billed is WriteDPU: for each transaction max(sum over rows of max(bytes, 128), 1,024) x 0.00004883, " +
				"which is 0.05 for 1,024 bytes, secondary indexes counted.", "dsql",
		}, {
			"Neptune", volume,
			"An average number of disk operations on the cluster's volume, each five minutes.", "neptune",
		}, {
			"DocumentDB", append(append([]string{}, volume...), disk...),
			"Has both names again; WriteIOPS is said to be a rate by the minute." + nobodySays, "",
		}, {
			"RDS of other engines", disk,
			"Disk operations completed in a second, as on RDS for PostgreSQL: the user guide defines them for all engines together.", "rds-metrics",
		}, {
			"Azure flexible server", append([]string{"iops", "write_iops", "read_iops"}, disk...),
			"Real requests to the disk. In one published series of pgbench: 1.15 to 1.42 writes for each page that pg_stat_io wrote, and 0.85 to 0.98 reads for each it read.", "azure-flex",
		}, {
			"Cloud SQL", append([]string{"database/disk/write_ops_count", "database/disk/read_ops_count"}, disk...),
			"A DELTA, which is a count since the point before: divide by the 60 s between two points. It is shown some minutes late.", "cloud-sql",
		}, {
			"AlloyDB", append(append([]string{}, volume...), disk...),
			"Storage is metered in bytes of the cluster; no operations of it are said to be shown." + nobodySays, "",
		}, {
			"Neon", append(append([]string{}, volume...), disk...),
			"Nobody was found to say whether it shows operations of its storage, and what they would count.", "",
		}, {
			"Aurora MySQL", disk,
			"Documented as on Aurora PostgreSQL. In 2017: 0.95 I/Os of the database node for a transaction, six copies counted, and 7.4 of mirrored MySQL; which metric that is, is not said.", "sigmod",
		},
	}
}
