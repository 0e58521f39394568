package multipop

import (
	"strconv"
	"strings"

	"cellserver/commands"
	"cellserver/store"
)

// Family is what LMPOP and ZMPOP share, and BLMPOP and BZMPOP, which wait. Their arguments are numkeys key
// [key …] END [COUNT count].
type Family struct {
	Kind store.Kind
	Ends [2]string // the words for the two ends, in lower case
	// Cost returns how many steps it takes to remove up to count elements from the first end, or the last.
	Cost func(c *commands.Call, key []byte, last bool, count int64) int
	// Pop removes them, and replies with an array of them.
	Pop func(c *commands.Call, e *store.Entry, last bool, count int64)
}

// popping are the arguments of a call.
type popping struct {
	keys  [][]byte
	last  bool
	count int64
}

func (p *Family) parse(args [][]byte) (o popping, err error) {
	n, ok := commands.ParseInt(args[0])
	if !ok || n < 1 {
		return o, commands.ErrNumKeys
	}
	rest := args[1:]
	if n >= int64(len(rest)) {
		return o, commands.ErrSyntax
	}
	o.keys, rest, o.count = rest[:n], rest[n:], 1
	if o.last = commands.Is(rest[0], p.Ends[1]); !o.last && !commands.Is(rest[0], p.Ends[0]) {
		return o, commands.ErrSyntax
	}
	switch rest = rest[1:]; {
	case len(rest) == 0:
		return o, nil
	case len(rest) < 2 || !commands.Is(rest[0], "count"):
		return o, commands.ErrSyntax
	}
	if o.count, ok = commands.ParseInt(rest[1]); !ok || o.count < 1 {
		return o, commands.ErrPopCount
	}
	if len(rest) > 2 {
		return o, commands.ErrSyntax
	}
	return o, nil
}

// CostFrom prices a call whose numkeys stands at a position.
func (p *Family) CostFrom(at int) commands.Cost {
	return func(c *commands.Call) int {
		o, _ := p.parse(c.Args[at:])
		for _, key := range o.keys {
			if e := c.Tx.Peek(key); e.Exists() {
				return p.Cost(c, key, o.last, o.count)
			}
		}
		return 0
	}
}

// Run answers a call that does not wait: with the first key that exists and its elements, or with null.
func (p *Family) Run(c *commands.Call) error {
	o, err := p.parse(c.Args[1:])
	if err != nil {
		return err
	}
	popped, err := p.pop(c, &o)
	if !popped && err == nil {
		c.Out.NullArray()
	}
	return err
}

// RunOrWait is Run after a timeout, for which it waits until one of the keys exists.
func (p *Family) RunOrWait(c *commands.Call) error {
	o, err := p.parse(c.Args[2:])
	if err != nil {
		return err
	}
	until, err := commands.WaitUntil(c.Args[1], c.Now)
	if err != nil {
		return err
	}
	popped, err := p.pop(c, &o)
	if popped || err != nil {
		return err
	}
	end := []byte(strings.ToUpper(p.Ends[commands.Bit(o.last)]))
	name, most := []byte(c.Cmd.Name), strconv.AppendInt(nil, o.count, 10)
	return c.AwaitKeys(commands.KeyWait{
		Keys: o.keys, Kind: p.Kind, Until: until,
		Words: func(key []byte) [][]byte {
			return [][]byte{name, []byte("0"), []byte("1"), key, end, []byte("COUNT"), most}
		},
	}, c.Out.NullArray)
}

func (p *Family) pop(c *commands.Call, o *popping) (popped bool, err error) {
	return firstOf(c, o.keys, p.Kind, func(key []byte, e *store.Entry) {
		c.Out.Array(2)
		c.Out.Bulk(key)
		p.Pop(c, e, o.last, o.count)
	})
}

// OneOrWait answers BLPOP key [key …] timeout and the like. pop takes from the first key that exists, and
// replies. If there is none, the call waits.
func OneOrWait(c *commands.Call, kind store.Kind, pop func(key []byte, e *store.Entry)) error {
	timeout := len(c.Args) - 1
	until, err := commands.WaitUntil(c.Args[timeout], c.Now)
	if err != nil {
		return err
	}
	keys := c.Args[1:timeout]
	if popped, err := firstOf(c, keys, kind, pop); popped || err != nil {
		return err
	}
	name := []byte(c.Cmd.Name)
	return c.AwaitKeys(commands.KeyWait{
		Keys: keys, Kind: kind, Until: until,
		Words: func(key []byte) [][]byte { return [][]byte{name, key, []byte("0")} },
	}, c.Out.NullArray)
}

// firstOf passes the first key that exists to pop. A key before it may have no value of another kind.
func firstOf(
	c *commands.Call, keys [][]byte, kind store.Kind, pop func(key []byte, e *store.Entry),
) (found bool, err error) {
	for _, key := range keys {
		e := c.Tx.Write(key)
		if err := commands.CheckKind(&e, kind); err != nil {
			return false, err
		}
		if e.Exists() {
			pop(key, &e)
			return true, nil
		}
	}
	return false, nil
}
