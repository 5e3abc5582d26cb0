package rds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Query identifies the database to find.
type Query struct {
	Host string // a host name in AWS's form; others are ignored
	// Instance and Cluster are names from the user, used if the host does not lead to the database.
	Instance, Cluster string
	// Answering is the instance name that the server reports; only Aurora has it.
	Answering string
}

// Found is an AWS database.
type Found struct {
	Cloud runfile.Cloud
	// Endpoint is the host name of the instance itself, and Port its port; empty if it has none.
	Endpoint string
	Port     int
	// WriterEndpoint is the cluster's address for writes; empty without a cluster.
	WriterEndpoint string
	Status         string // available, or its current activity
	IAM            bool   // accepts tokens as passwords
}

// Find asks AWS for the database. Its errors are one line for users.
func Find(ctx context.Context, config aws.Config, q Query) (Found, error) {
	s := search{config: config, query: q}
	s.host, s.named = ParseHost(q.Host)
	if s.named && s.host.Region != "" && s.host.Region != config.Region {
		return Found{}, fmt.Errorf("%s is in %s, not in %s; leave out --region", q.Host, s.host.Region, config.Region)
	}
	instance, cluster, err := s.find(ctx)
	if err != nil {
		return Found{}, err
	}
	return describe(config.Region, instance, cluster)
}

type search struct {
	config aws.Config
	query  Query
	host   Host
	named  bool // the host is in AWS's form
}

// find uses the strongest evidence: the server's own answer, the user's names, the host's name.
func (s *search) find(ctx context.Context) (*DBInstance, *DBCluster, error) {
	q := s.query
	if q.Answering != "" && q.Instance != "" && !strings.EqualFold(q.Answering, q.Instance) {
		return nil, nil, fmt.Errorf("the server is instance %s, but --instance is %s", q.Answering, q.Instance)
	}
	switch instance := cmp.Or(q.Answering, q.Instance); {
	case instance != "":
		return s.byInstance(ctx, instance)
	case q.Cluster != "":
		return s.byCluster(ctx, q.Cluster)
	case !s.named:
		return nil, nil, s.unnamed(ctx)
	case s.host.Kind == Instance:
		return s.byInstance(ctx, s.host.Name)
	case s.host.Kind == Writer, s.host.Kind == Reader:
		return s.byCluster(ctx, s.host.Name)
	case s.host.Kind == Custom:
		return s.byCustomEndpoint(ctx)
	default:
		return nil, nil, fmt.Errorf("%s is a %s endpoint, which does not identify the instance; name it with --instance",
			q.Host, s.host.Kind)
	}
}

func (s *search) byInstance(ctx context.Context, name string) (*DBInstance, *DBCluster, error) {
	instance, err := s.instance(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sameOwner(instance); err != nil {
		return nil, nil, err
	}
	of := instance.DBClusterIdentifier
	if s.query.Cluster != "" && !strings.EqualFold(of, s.query.Cluster) {
		return nil, nil, fmt.Errorf("instance %s is not in the --cluster %s; its cluster is %s", name, s.query.Cluster,
			cmp.Or(of, "none"))
	}
	if of == "" {
		return instance, nil, nil
	}
	cluster, err := s.cluster(ctx, of)
	return instance, cluster, err
}

// byCluster returns the writer, or for a reader's host the only reader.
func (s *search) byCluster(ctx context.Context, name string) (*DBInstance, *DBCluster, error) {
	cluster, err := s.cluster(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	readers, writer := members(cluster)
	chosen := writer
	if s.named && s.host.Kind == Reader && len(readers) > 0 {
		if len(readers) > 1 {
			return nil, nil, fmt.Errorf("%s leads to any of %s; connect to one of them, or better to the writer, %s",
				s.query.Host, strings.Join(readers, ", "), writer)
		}
		chosen = readers[0]
	}
	if chosen == "" {
		return nil, nil, fmt.Errorf("cluster %s has no writer now; is it stopped or failing over?", name)
	}
	instance, err := s.instance(ctx, chosen)
	if err == nil {
		err = s.sameOwner(instance)
	}
	return instance, cluster, err
}

// byCustomEndpoint finds the cluster that lists the endpoint. Only the server knows which of its instances
// answers, unless there is just one.
func (s *search) byCustomEndpoint(ctx context.Context) (*DBInstance, *DBCluster, error) {
	for page, err := range pages(ctx, s.config, describeClusters) {
		if err != nil {
			return nil, nil, account.Explain(err)
		}
		for _, cluster := range page.DBClusters {
			if !slices.ContainsFunc(cluster.CustomEndpoints, func(e string) bool {
				return strings.EqualFold(e, s.query.Host)
			}) {
				continue
			}
			if len(cluster.DBClusterMembers) != 1 {
				return nil, nil, fmt.Errorf("%s leads to several instances of cluster %s; name one with --instance, or connect "+
					"to %s", s.query.Host, cluster.DBClusterIdentifier, cluster.Endpoint)
			}
			instance, err := s.instance(ctx, cluster.DBClusterMembers[0].DBInstanceIdentifier)
			return instance, &cluster, err
		}
	}
	return nil, nil, fmt.Errorf("no cluster of these credentials in %s has the custom endpoint %s", s.config.Region,
		s.query.Host)
}

func (s *search) unnamed(ctx context.Context) error {
	page, err := ask(ctx, s.config, describeInstances, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, i := range page.DBInstances {
		if strings.Contains(i.Engine, "postgres") {
			names = append(names, i.DBInstanceIdentifier)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("the host name does not identify an AWS instance, and these credentials see no PostgreSQL in %s; "+
			"check the region, or name the instance with --instance", s.config.Region)
	}
	return fmt.Errorf("the host name does not identify an AWS instance; name it with --instance (in %s: %s)",
		s.config.Region, printable.Listed(names))
}

func (s *search) instance(ctx context.Context, name string) (*DBInstance, error) {
	answer, err := ask(ctx, s.config, describeInstances, url.Values{"DBInstanceIdentifier": {name}})
	if gone(err) {
		return nil, s.notThere(ctx, "instance", name)
	}
	if err != nil {
		return nil, err
	}
	of := func(i DBInstance) bool { return strings.EqualFold(i.DBInstanceIdentifier, name) }
	if !slices.ContainsFunc(answer.DBInstances, of) {
		return nil, none("rds:"+describeInstances, name)
	}
	return &answer.DBInstances[slices.IndexFunc(answer.DBInstances, of)], nil
}

func (s *search) cluster(ctx context.Context, name string) (*DBCluster, error) {
	answer, err := ask(ctx, s.config, describeClusters, url.Values{"DBClusterIdentifier": {name}})
	if gone(err) {
		return nil, s.notThere(ctx, "cluster", name)
	}
	if err != nil {
		return nil, err
	}
	if len(answer.DBClusters) == 0 {
		return nil, none("rds:"+describeClusters, name)
	}
	return &answer.DBClusters[0], nil
}

// none returns the trouble with a list that lacks the requested database, for which AWS should return an error.
func none(call, name string) error {
	return account.NewTrouble(account.Damaged, "nothing", fmt.Sprintf("%s: the answer does not mention %s; is a proxy "+
		"answering instead of AWS?", call, name))
}

func gone(err error) bool {
	trouble, ok := errors.AsType[*account.Trouble](err)
	return ok && trouble.Kind == account.NotThere
}

// ErrNotThere says that AWS has no such database in this region for these credentials.
var ErrNotThere = errors.New("not found")

// notThere distinguishes a deleted database from another account's, by the account's word in host names.
func (s *search) notThere(ctx context.Context, what, name string) error {
	because := "it was deleted, or is in another account or region"
	if owner := s.anyOwner(ctx); s.named && owner != "" && s.host.Region != "" {
		if owner == s.host.Owner {
			because = "it was deleted, since the host name is of this account and region"
		} else {
			because = "these credentials are for another account; choose one with --profile or --role"
		}
	}
	return fmt.Errorf("%s %s %w in %s: %s", what, name, ErrNotThere, s.config.Region, because)
}

// anyOwner returns the account's word in this region, from any database, or "" if there is none.
func (s *search) anyOwner(ctx context.Context) string {
	page, err := ask(ctx, s.config, describeInstances, nil)
	if err != nil {
		return ""
	}
	for _, i := range page.DBInstances {
		if owner := ownerOf(&i); owner != "" {
			return owner
		}
	}
	return ""
}

func ownerOf(i *DBInstance) string {
	host, _ := ParseHost(i.Endpoint.Address)
	return host.Owner
}

// sameOwner checks that a database found by name is the one of the host: names are unique
// only within an account and region.
func (s *search) sameOwner(i *DBInstance) error {
	owner := ownerOf(i)
	if !s.named || s.host.Region == "" || owner == "" || owner == s.host.Owner {
		return nil
	}
	return fmt.Errorf("instance %s of these credentials is not the one at %s, which is in another account; choose that "+
		"with --profile or --role", i.DBInstanceIdentifier, s.query.Host)
}

func members(c *DBCluster) (readers []string, writer string) {
	for _, m := range c.DBClusterMembers {
		if m.IsClusterWriter {
			writer = m.DBInstanceIdentifier
		} else {
			readers = append(readers, m.DBInstanceIdentifier)
		}
	}
	slices.Sort(readers)
	return readers, writer
}
