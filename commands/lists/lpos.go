package lists

import (
	"math"

	"cellserver/commands"
)

// LPOS key element [RANK rank] [COUNT num-matches] [MAXLEN len] replies with the index of the first element
// that equals an element, or null. RANK 2 is the second such element; a negative rank counts from behind.
// With COUNT n the reply is an array of at most n indexes, or of all indexes if n is 0. MAXLEN n compares n
// elements only.
var _ = commands.Register(&commands.Command{
	Name: "lpos", Arity: -3, Flags: commands.ReadOnly, Keys: commands.OneKey, Group: commands.GroupList,
	Run: lpos, Cost: costOfLpos,
})

const errRank commands.Error = "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list"

// lposOptions are the options of LPOS.
type lposOptions struct {
	rank   int64
	count  int64 // -1: there is no COUNT
	maxLen int64 // 0: all elements
}

func lpos(c *commands.Call) error {
	o, err := parseLpos(c)
	if err != nil {
		return err
	}
	l, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	look, most := o.bounds(l.Len())
	skip, backward := o.rank-1, false
	if o.rank < 0 {
		skip, backward = -(o.rank + 1), true
		if o.rank == math.MinInt64 {
			skip = 0 // Redis negates the rank, and that overflows
		}
	}
	var found []int
	l.Find(c.Args[2], backward, look, func(i int) bool {
		if skip--; skip < 0 {
			found = append(found, i)
		}
		return len(found) < most
	})
	replyPositions(c, found, o.count >= 0)
	return nil
}

// bounds returns how many of n elements the command looks at, and how many it finds at most.
func (o *lposOptions) bounds(n int) (look, most int) {
	look, most = n, n
	if o.maxLen > 0 {
		look = int(min(o.maxLen, int64(n)))
	}
	if o.count != 0 {
		most = int(min(max(o.count, 1), int64(n)))
	}
	return look, most
}

func costOfLpos(c *commands.Call) int {
	o, err := parseLpos(c)
	if err != nil {
		return 0
	}
	look, most := o.bounds(peekList(c, c.Args[1]).Len())
	return look/searchedPerStep + min(most, look)
}

func replyPositions(c *commands.Call, found []int, all bool) {
	switch {
	case all:
		c.Out.Array(len(found))
		for _, i := range found {
			c.Out.Int(int64(i))
		}
	case len(found) == 0:
		c.Out.Null()
	default:
		c.Out.Int(int64(found[0]))
	}
}

func parseLpos(c *commands.Call) (o lposOptions, err error) {
	o = lposOptions{rank: 1, count: -1}
	for i := 3; i < len(c.Args); i += 2 {
		if i+1 == len(c.Args) {
			return o, commands.ErrSyntax
		}
		switch word := c.Args[i]; {
		case commands.Is(word, "rank"):
			if o.rank, err = c.Int(i + 1); err == nil && o.rank == 0 {
				err = errRank
			}
		case commands.Is(word, "count"):
			o.count, err = notNegative(c, i+1, "COUNT")
		case commands.Is(word, "maxlen"):
			o.maxLen, err = notNegative(c, i+1, "MAXLEN")
		default:
			err = commands.ErrSyntax
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// notNegative parses argument i, which belongs to an option.
func notNegative(c *commands.Call, i int, option string) (int64, error) {
	n, ok := commands.ParseInt(c.Args[i])
	if !ok || n < 0 {
		return 0, commands.Error("ERR " + option + " can't be negative")
	}
	return n, nil
}
