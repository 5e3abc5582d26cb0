// Command orders draws needs over all shops, asks realiops size for an order for each, and compares it with a search
// through all the providers' offers, by the rules and prices in rules.go. Those come from the providers' documents,
// not from the program's tables. It prints a row for each shop, and exits with 1 if an order was not the cheapest, or
// a kind that carries the need was left out.
//
//	orders REALIOPS NEEDS SEED
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// need is a random need, headroom not included.
type need struct{ iops, kib, gib, reads float64 }

// answer is the part of realiops size's output that we check.
type answer struct {
	Order *struct {
		Volume  string
		Disks   int
		Monthly *float64
		Also    []struct{ Volume string }
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("orders REALIOPS NEEDS SEED")
	}
	needs, errNeeds := strconv.Atoi(args[1])
	seed, errSeed := strconv.ParseUint(args[2], 10, 64)
	if errNeeds != nil || errSeed != nil {
		return fmt.Errorf("NEEDS and SEED are numbers")
	}
	random, wrong := rand.New(rand.NewPCG(seed, 1)), 0
	fmt.Print("| shop | needs | ordered | the cheapest | more load for less | left out |\n|---|---|---|---|---|---|\n")
	all := shops()
	for i, s := range all {
		var row struct{ asked, ordered, cheapest, cheaper, omitted int }
		for range (needs + len(all) - 1 - i) / len(all) {
			n := draw(random)
			got, err := ask(args[0], s, n)
			if err != nil {
				return err
			}
			more := n
			more.iops *= 1.25
			then, err := ask(args[0], s, more)
			if err != nil {
				return err
			}
			row.asked++
			if got.Order != nil {
				row.ordered++
			}
			if said := s.holds(n, got); said == "" {
				row.cheapest++
			} else {
				fmt.Fprintf(os.Stderr, "%s %v: %s\n", s.name, n, said)
			}
			if less(then, got) {
				row.cheaper++
				fmt.Fprintf(os.Stderr, "%s %v: 1.25 times the load costs less\n", s.name, n)
			}
			if left := s.omitted(n, got); len(left) > 0 {
				row.omitted++
				fmt.Fprintf(os.Stderr, "%s %v: %s not named\n", s.name, n, strings.Join(left, ", "))
			}
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d |\n", s.title(), row.asked, row.ordered, row.cheapest,
			row.cheaper, row.omitted)
		wrong += row.asked - row.cheapest + row.cheaper + row.omitted
	}
	if wrong > 0 {
		return fmt.Errorf("%d answers were wrong", wrong)
	}
	return nil
}

// title returns the flags as a table shows them.
func (s shop) title() string {
	if s.name == "" {
		return "no flags"
	}
	return "`" + s.name + "`"
}

// draw returns a need from next to nothing to more than most volumes carry, in requests as databases make them.
func draw(random *rand.Rand) need {
	up := func(least, most float64) float64 { return least * math.Exp(random.Float64()*math.Log(most/least)) }
	kib := []float64{4, 8, 8, 16, 32, 64, 128, 256, 512}[random.IntN(9)]
	iops := min(up(20, 150000), 4000*1024/kib)
	return need{iops: math.Round(iops), kib: kib, gib: math.Round(up(10, 12000)),
		reads: []float64{0, 40, 100}[random.IntN(3)]}
}

func ask(program string, s shop, n need) (answer, error) {
	args := []string{"size", "--format", "json", "--need", fmt.Sprintf("iops=%g,kb=%g,reads=%g%%", n.iops, n.kib,
		n.reads), "--gib", fmt.Sprint(n.gib)}
	text, err := exec.Command(program, append(args, strings.Fields(s.name)...)...).Output()
	if err != nil {
		return answer{}, fmt.Errorf("%s %v: %w", s.name, n, err)
	}
	var a answer
	return a, json.Unmarshal(text, &a)
}

// less reports whether a costs less than b, even if b is one volume and a stripe in its place would save almost a tenth.
func less(a, b answer) bool {
	return a.Order != nil && b.Order != nil && a.Order.Monthly != nil && b.Order.Monthly != nil &&
		*a.Order.Monthly < worthwhile**b.Order.Monthly-cent
}

const cent = 0.01

// worthwhile is the share of one volume's price that a stripe may cost.
const worthwhile = 0.9

// holds returns why an order is not the cheapest that carries a need, or should not exist; empty: it is right.
func (s shop) holds(n need, a answer) string {
	one, only, best, from := math.Inf(1), "", math.Inf(1), ""
	carried := false
	for _, k := range s.kinds() {
		single, price, ok := k.cheapest(s, n)
		if ok && k.priced && single < one {
			one, only = single, k.name
		}
		if carried = carried || ok; ok && k.priced && price < best {
			best, from = price, k.name
		}
	}
	if best > worthwhile*one {
		best, from = one, only
	}
	switch o := a.Order; {
	case o == nil && carried:
		return fmt.Sprintf("nothing is ordered, and %s carries it for %.2f", from, best)
	case o == nil:
		return ""
	case !carried:
		return fmt.Sprintf("%s is ordered, and nothing carries it", o.Volume)
	case !slices.ContainsFunc(s.kinds(), func(k kind) bool { return k.name == o.Volume }):
		return fmt.Sprintf("%s is ordered, which is not sold there", o.Volume)
	case math.IsInf(best, 1) && o.Monthly != nil:
		return fmt.Sprintf("%s costs %.2f, and no price is known", o.Volume, *o.Monthly)
	case math.IsInf(best, 1):
		return ""
	case o.Monthly == nil:
		return fmt.Sprintf("%s has no price, and %s is %.2f", o.Volume, from, best)
	case math.Abs(*o.Monthly-best) > cent:
		return fmt.Sprintf("%d x %s for %.2f, and %s is %.2f", o.Disks, o.Volume, *o.Monthly, from, best)
	}
	return ""
}

// omitted returns the kinds that carry a need, have no price, and are not named beside the order.
func (s shop) omitted(n need, a answer) (left []string) {
	if a.Order == nil {
		return nil
	}
	for _, k := range s.kinds() {
		_, _, carries := k.cheapest(s, n)
		named := k.name == a.Order.Volume || slices.ContainsFunc(a.Order.Also, func(o struct {
			Volume string
		}) bool {
			return o.Volume == k.name
		})
		if carries && !k.priced && !named {
			left = append(left, k.name)
		}
	}
	return left
}
