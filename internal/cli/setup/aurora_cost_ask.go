package setup

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/rds"
)

// auroraClasses matches the names of Aurora's instance classes.
var auroraClasses = regexp.MustCompile(`^db\.[a-z0-9-]+(\.[a-z0-9-]+)?$`)

// parseClasses parses the classes of instances that ran all the time.
func parseClasses(all []string) (members []rds.Member, err error) {
	for _, class := range all {
		switch name, of, named := strings.Cut(class, "="); {
		case named:
			return nil, fmt.Errorf("--class %s: want a class alone; name the instance with --instance %s=%s", class, name, of)
		case class == billing.Serverless:
			return nil, fmt.Errorf("--class %s: its capacity is unknown; use --instance NAME=db.serverless, with "+
				"ServerlessDatabaseCapacity in the file", class)
		case !auroraClasses.MatchString(class):
			return nil, fmt.Errorf("--class %s: want a class, such as db.r6g.large", class)
		}
		members = append(members, rds.Member{Class: class})
	}
	return members, nil
}

// parseInstances parses NAME=CLASS, and NAME=CLASS@FROM..TO of temporary instances.
func parseInstances(all []string) (members []rds.Member, err error) {
	for _, text := range all {
		instance, times, timed := strings.Cut(text, "@")
		name, class, _ := strings.Cut(instance, "=")
		m := rds.Member{Name: name, Class: class}
		if timed {
			m.From, m.To, err = stretch(times)
		}
		if name == "" || !auroraClasses.MatchString(class) || timed && class == billing.Serverless || err != nil {
			return nil, fmt.Errorf("--instance %s: want NAME=CLASS or NAME=CLASS@FROM..TO, such as "+
				"shop-3=db.r6g.large@2026-10-01T08:00..2026-10-09, in UTC; a day is all of it", text)
		}
		members = append(members, m)
	}
	return members, nil
}

func stretch(text string) (from, to time.Time, err error) {
	first, last, _ := strings.Cut(text, "..")
	from, errFrom := moment(first)
	to, errTo := moment(last)
	if !strings.Contains(last, "T") {
		to = to.Add(command.Day)
	}
	if err = errors.Join(errFrom, errTo); err == nil && !to.After(from) {
		err = errors.New("it ends before it begins")
	}
	return from, to, err
}

func moment(text string) (at time.Time, err error) {
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04Z", time.RFC3339} {
		if at, err = time.Parse(form, text); err == nil {
			return at.UTC(), nil
		}
	}
	return at, err
}

// parseReserved parses CLASS=NUMBER.
func parseReserved(all []string) (billing.Reserved, error) {
	reserved := billing.Reserved{}
	for _, text := range all {
		class, number, _ := strings.Cut(text, "=")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n > 0 && n <= 1e4) || !auroraClasses.MatchString(class) || class == billing.Serverless {
			return nil, fmt.Errorf("--reserved %s: want CLASS=NUMBER, such as db.r6g.large=2; capacity units cannot be reserved",
				text)
		}
		reserved[class] += n
	}
	return reserved, nil
}

func (o auroraCostOptions) ofMonth(members []rds.Member) (b billed, err error) {
	figures := map[string]float64{"reads": math.NaN(), "writes": math.NaN(), "gib": math.NaN()}
	seen := map[string]bool{}
	for _, part := range command.Figures(o.month) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		_, known := figures[name]
		v, err := number.Read(value, number.Counted())
		most := 1e15
		if name == "gib" {
			var amount command.Gibibytes
			err, most = amount.Set(value), command.MostGiB
			v = float64(amount)
		}
		if !known || err != nil || !(v >= 0 && v < most) {
			return b, fmt.Errorf("--month %s: want NAME=NUMBER of reads, writes and gib, separated by commas", part)
		}
		if seen[name] {
			return b, fmt.Errorf("--month %s= is given twice", name)
		}
		figures[name], seen[name] = v, true
		if err := reading.ImpossibleMonth(name, v); err != nil {
			return b, fmt.Errorf("--month %s: %w", part, err)
		}
	}
	named, always := instancesOf(members)
	const bytesInGiB = 1 << 30
	b.use = billing.InAMonth(figures["reads"], figures["writes"], figures["gib"]*bytesInGiB, append(named, always...))
	return b, nil
}
