package lists

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/list"
)

// searchedPerStep is how many elements a search looks at in a step ([commands.Call.TakesSteps]).
const searchedPerStep = 16

// readList returns the list of a key, without elements if the key is absent. The error is
// [commands.ErrWrongType].
func readList(c *commands.Call, key []byte) (list.List, error) {
	e := c.Tx.Read(key)
	if err := commands.CheckKind(&e, store.List); err != nil {
		return list.List{}, err
	}
	return e.List(), nil
}

// writeList finds a key for a command that changes its list.
func writeList(c *commands.Call, key []byte) (store.Entry, error) {
	e := c.Tx.Write(key)
	return e, commands.CheckKind(&e, store.List)
}

// takes is [commands.Call.TakesSteps] for a command that is about to reply with n elements of a list.
func takes(c *commands.Call, l list.List, n int) error {
	if n == 0 {
		return nil
	}
	return c.TakesSteps(n + commands.StepsOfBytes(int(l.Bytes()/int64(l.Len()))*n))
}

// end is an end of a list.
type end struct {
	push, pop *store.Change
	pushed    string // the events
	popped    string
}

var (
	first = &end{list.PushFirst, list.PopFirst, "lpush", "lpop"}
	last  = &end{list.PushLast, list.PopLast, "rpush", "rpop"}
)

// parseEnd parses LEFT or RIGHT.
func parseEnd(arg []byte) (*end, error) {
	switch {
	case commands.Is(arg, "left"):
		return first, nil
	case commands.Is(arg, "right"):
		return last, nil
	}
	return nil, commands.ErrSyntax
}

// each calls f for the n elements that are next to the end, the one at the end first.
func (at *end) each(l list.List, n int, f func(element []byte) bool) {
	if at == first {
		l.Range(0, n, f)
		return
	}
	var digits [20]byte
	for i := range n {
		if !f(l.At(l.Len()-1-i, digits[:0])) {
			return
		}
	}
}
