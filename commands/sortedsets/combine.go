package sortedsets

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// ZUNION, ZINTER, ZDIFF and their variants share the arguments "numkeys key [key …]", the options,
// and the form of the reply.

// costOfCombination counts the members of all sets. Each of them is looked up, weighed and sorted.
var costOfCombination = commands.CostOfValues(changeSteps)

// combination is the parsed call of one of these commands.
type combination struct {
	inputs     []input
	aggregate  func(a, b float64) float64
	withScores bool
	limit      int64 // of ZINTERCARD; 0 means no limit
}

// input is one of the sets to combine: a sorted set, or a set whose members have the score 1.
type input struct {
	sorted store.SortedSet // without members if the key is absent or a set
	plain  set.Set
	weight float64
}

func readInput(c *commands.Call, key []byte) (input, error) {
	e := c.Tx.Read(key)
	if e.Kind() == store.Set {
		return input{plain: e.Set(), weight: 1}, nil
	}
	return input{sorted: e.Sorted(), weight: 1}, commands.CheckKind(&e, store.Sorted)
}

func (in *input) len() int {
	return in.sorted.Len() + in.plain.Len()
}

// each calls f for every item, in order, until it returns false. A member is valid until f returns.
func (in *input) each(f func(score float64, member []byte) bool) {
	in.plain.Each(func(member []byte) bool { return f(1, member) })
	in.sorted.Range(0, in.sorted.Len(), false, f)
}

// score returns the score of a member, and whether the member is there.
func (in *input) score(member []byte) (float64, bool) {
	if in.sorted.Len() == 0 {
		return 1, in.plain.Has(member)
	}
	return in.sorted.Score(member)
}

// weigh returns a score times the weight. Zero times infinity is NaN. With the conversion, the
// compiler cannot fuse the product with a later sum.
func (in *input) weigh(score float64) float64 { return float64(score * in.weight) }

// combineOption is the set of options that a command takes.
type combineOption uint8

const (
	weighable combineOption = 1 << iota // WEIGHTS and AGGREGATE
	scorable                            // WITHSCORES
	limitable                           // LIMIT
)

// combineArgs parses the arguments from argument i on. Errors come in the order of Redis: a key of
// the wrong type before a wrong option.
func combineArgs(c *commands.Call, i int, allowed combineOption) (*combination, error) {
	n, err := c.Int(i)
	if err != nil {
		return nil, err
	}
	rest := c.Args[i+1:]
	switch {
	case n < 1:
		return nil, commands.Error("ERR at least 1 input key is needed for '" + c.Cmd.FullName() + "' command")
	case n > int64(len(rest)):
		return nil, commands.ErrSyntax
	}
	o := &combination{inputs: make([]input, n), aggregate: sumScores}
	for i, key := range rest[:n] {
		in, err := readInput(c, key)
		if err != nil {
			return nil, err
		}
		o.inputs[i] = in
	}
	for rest = rest[n:]; len(rest) > 0; {
		taken, err := o.option(rest, allowed)
		if err != nil {
			return nil, err
		}
		rest = rest[taken:]
	}
	return o, nil
}

// combine replies with the result of an operation.
func combine(c *commands.Call, options combineOption, operation func(*combination) []store.Item) error {
	o, err := combineArgs(c, 1, options|scorable)
	if err != nil {
		return err
	}
	items := operation(o)
	slices.SortFunc(items, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), strings.Compare(a.Member, b.Member))
	})
	replyItems(c, items, o.withScores)
	return nil
}

// combineStore stores the result of an operation.
func combineStore(c *commands.Call, options combineOption, operation func(*combination) []store.Item) error {
	o, err := combineArgs(c, 2, options)
	if err != nil {
		return err
	}
	return storeSorted(c, c.Args[1], operation(o))
}

// option parses the option at the start of args, and returns the number of its arguments.
func (o *combination) option(args [][]byte, allowed combineOption) (taken int, err error) {
	word, n := args[0], len(args)
	switch {
	case allowed&weighable != 0 && n > len(o.inputs) && commands.Is(word, "weights"):
		return 1 + len(o.inputs), o.weights(args[1:])
	case allowed&weighable != 0 && n > 1 && commands.Is(word, "aggregate"):
		if o.aggregate = aggregation(args[1]); o.aggregate == nil {
			return 0, commands.ErrSyntax
		}
		return 2, nil
	case allowed&scorable != 0 && commands.Is(word, "withscores"):
		o.withScores = true
		return 1, nil
	case allowed&limitable != 0 && n > 1 && commands.Is(word, "limit"):
		limit, ok := commands.ParseInt(args[1])
		if !ok || limit < 0 {
			return 0, commands.Error("ERR LIMIT can't be negative")
		}
		o.limit = limit
		return 2, nil
	}
	return 0, commands.ErrSyntax
}

func (o *combination) weights(args [][]byte) error {
	for i := range o.inputs {
		w, ok := commands.ParseFloat(args[i])
		if !ok {
			return commands.Error("ERR weight value is not a float")
		}
		o.inputs[i].weight = w
	}
	return nil
}

// aggregation returns the function of AGGREGATE, nil if the name is unknown.
func aggregation(name []byte) func(a, b float64) float64 {
	switch {
	case commands.Is(name, "sum"):
		return sumScores
	case commands.Is(name, "min"):
		return minScore
	case commands.Is(name, "max"):
		return maxScore
	}
	return nil
}

// sumScores returns a+b. Infinity minus infinity is 0.
func sumScores(a, b float64) float64 { return zeroNaN(a + b) }

// minScore and maxScore return a if b is NaN.
func minScore(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func maxScore(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

func zeroNaN(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// smallestFirst sorts the inputs by size. Redis combines them in this order, which affects the last
// digit of a sum.
func (o *combination) smallestFirst() {
	slices.SortStableFunc(o.inputs, func(a, b input) int { return cmp.Compare(a.len(), b.len()) })
}
