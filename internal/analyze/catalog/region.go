package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// Cloud is the cloud in which an order is placed.
type Cloud string

// The clouds that have volumes.
const (
	AWS    Cloud = "aws"
	Azure  Cloud = "azure"
	Google Cloud = "google"
)

// CloudOf returns the cloud of a provider of volumes.
func CloudOf(provider string) Cloud {
	switch provider {
	case "azure":
		return Azure
	case "google":
		return Google
	}
	return AWS
}

// Title returns the name of a cloud.
func (c Cloud) Title() string {
	return map[Cloud]string{AWS: "AWS", Azure: "Azure", Google: "Google Cloud"}[c]
}

// Cloud returns the cloud of a volume.
func (v Volume) Cloud() Cloud { return CloudOf(v.Provider) }

// Home returns the region of a cloud whose prices the program knows best.
func (c Cloud) Home() string {
	return map[Cloud]string{AWS: "us-east-1", Azure: "eastus", Google: "us-central1"}[c]
}

// Regions returns the regions of a cloud, by its documentation as of 2026.
func (c Cloud) Regions() []string {
	names := map[Cloud]string{
		AWS: `af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
			ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1
			cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
			eusc-de-east-1 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1
			us-gov-west-1 us-west-1 us-west-2`,
		Azure: `australiacentral australiacentral2 australiaeast australiasoutheast austriaeast belgiumcentral brazilsouth
			brazilsoutheast canadacentral canadaeast centralindia centralus chilecentral eastasia eastus eastus2 francecentral
			francesouth germanynorth germanywestcentral indonesiacentral israelcentral italynorth japaneast japanwest
			koreacentral koreasouth malaysiawest mexicocentral newzealandnorth northcentralus northeurope norwayeast norwaywest
			polandcentral qatarcentral southafricanorth southafricawest southcentralus southeastasia southindia spaincentral
			swedencentral swedensouth switzerlandnorth switzerlandwest uaecentral uaenorth uksouth ukwest westcentralus
			westeurope westindia westus westus2 westus3`,
		Google: `africa-south1 asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3 asia-south1 asia-south2
			asia-southeast1 asia-southeast2 asia-southeast3 australia-southeast1 australia-southeast2 europe-central2
			europe-north1 europe-north2 europe-southwest1 europe-west1 europe-west10 europe-west12 europe-west2 europe-west3
			europe-west4 europe-west6 europe-west8 europe-west9 me-central1 me-central2 me-west1 northamerica-northeast1
			northamerica-northeast2 northamerica-south1 southamerica-east1 southamerica-west1 us-central1 us-east1 us-east4
			us-east5 us-south1 us-west1 us-west2 us-west3 us-west4`,
	}
	return strings.Fields(names[c])
}

// CloudOfRegion returns the cloud with a region of that name, or with prices in it; empty if there is none.
func CloudOfRegion(region string, prices []Price) Cloud {
	for _, c := range []Cloud{AWS, Azure, Google} {
		if slices.Contains(c.Regions(), region) {
			return c
		}
	}
	for _, p := range prices {
		if p.Region == region {
			return CloudOfVolume(p.Volume)
		}
	}
	return ""
}

// CloudOfVolume returns the cloud of a volume or another priced item, by name.
func CloudOfVolume(name string) Cloud {
	provider, _, _ := strings.Cut(name, "-")
	return CloudOf(provider)
}

// azureFeatures captures the letters after a size's number, for the series that take premium storage only with an s; M
// always does.
var azureFeatures = regexp.MustCompile(`^(?i)[adefg]\d+(?:-\d+)?([a-z]*)(?:_|$)`)

// Attaches reports whether a machine class takes a volume, as far as its provider documents it: Google's older series
// take no Hyperdisk Balanced, and its newest nothing else. An Azure size takes Premium SSD and Ultra Disk if an s
// follows its number. https://cloud.google.com/compute/docs/disks/hyperdisks
// https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions
func Attaches(class string, v Volume) bool {
	if size := azureFeatures.FindStringSubmatch(Bare(class)); v.Provider == "azure" && ProviderOf(class) == "azure" &&
		size != nil {
		return strings.Contains(strings.ToLower(size[1]), "s")
	}
	series, _, _ := strings.Cut(strings.ToLower(class), "-")
	if v.Provider != "google" || series == "" {
		return true
	}
	older := slices.Contains([]string{"n1", "n2", "n2d", "e2", "f1", "g1", "t2d", "t2a", "c2", "c2d", "a2"}, series)
	newest := slices.Contains([]string{"n4", "c4", "c4a", "c4d", "m4", "x4", "a4"}, series)
	if strings.HasPrefix(v.Name, "google-hyperdisk") {
		return !older
	}
	return !newest
}

// SoldIn reports whether a volume is sold in a region, as far as its provider documents it: RDS has no io2 in China.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html
func SoldIn(region string, v Volume) bool {
	return v.Name != "rds-io2" || !strings.HasPrefix(region, "cn-")
}

// RegionLike returns the region of another cloud with the same name but for hyphens, such as us-east-1 and us-east1;
// empty if there is none.
func RegionLike(region string) string {
	bare := func(name string) string { return strings.ReplaceAll(name, "-", "") }
	for _, c := range []Cloud{AWS, Azure, Google} {
		for _, other := range c.Regions() {
			if other != region && bare(other) == bare(region) {
				return other
			}
		}
	}
	return ""
}
