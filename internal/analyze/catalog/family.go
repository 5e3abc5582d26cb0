package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// Bare returns a machine class without its provider's prefix, db. or Standard_.
func Bare(class string) string {
	for _, before := range []string{"db.", "standard_"} {
		if len(class) > len(before) && strings.EqualFold(class[:len(before)], before) {
			return class[len(before):]
		}
	}
	return class
}

// googleClass matches Google's machine types: n2-standard-8, e2-medium, n2-custom-4-8192.
var googleClass = regexp.MustCompile(`^(?i)([a-z]\d{1,2}[a-z]{0,2}-)?` +
	`(standard|high[a-z]+|mega[a-z]+|ultra[a-z]+|hyper[a-z]+|edge[a-z]+|max[a-z]+|custom|micro|small|medium|metal)(-.*)?$`)

// azureClass matches Azure's sizes, with and without Standard_: D8s_v5.
var azureClass = regexp.MustCompile(`^(?i)(standard_[a-z]+\d+[a-z0-9_-]*|[a-z]{1,3}\d+[a-z0-9-]*(_v\d+)?)$`)

// ProviderOf returns the provider of a machine class's volumes: rds with db. before it, ebs, azure or google.
func ProviderOf(class string) string {
	switch {
	case len(class) > 3 && strings.EqualFold(class[:3], "db."):
		return "rds"
	case strings.Contains(class, "."):
		return "ebs"
	case googleClass.MatchString(class):
		return "google"
	case azureClass.MatchString(class):
		return "azure"
	}
	return ""
}

// Family returns a class without its size: m7g for m7g.4xlarge, DSv2 for DS13_v2.
func (m Instance) Family() string {
	if m.Provider == "azure" {
		return regexp.MustCompile(`\d+(_|$)`).ReplaceAllString(Bare(m.Class), "$1")
	}
	family, _, _ := strings.Cut(Bare(m.Class), ".")
	return strings.ToLower(family)
}

// BeforeNitro reports whether a class is of a family without AWS's Nitro system, which limits volumes to 32,000 IOPS.
func (m Instance) BeforeNitro() bool {
	old := []string{"c1", "c3", "c4", "d2", "f1", "g3", "g3s", "h1", "i2", "i3", "m1", "m2", "m3", "m4", "p2", "p3",
		"r3", "r4", "t1", "t2", "x1", "x1e"}
	return m.Provider == "ebs" && slices.Contains(old, m.Family()) && !strings.HasSuffix(m.Class, ".metal")
}
