package lists

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/list"
)

// searchedPerStep is how many elements a search looks at in a step ([commands.Cost]).
const searchedPerStep = 16

// values are the lists of keys.
var values = commands.Value[list.List]{
	Kind: store.List, Of: func(e store.Entry) list.List { return e.List() },
}

// stepsOfElements returns how many steps it takes to reply with the elements from one number to another one.
// It stops above [commands.MaxSteps].
func stepsOfElements(l list.List, from, to int) int {
	n := to - from
	if n == 0 || commands.StepsOfBytes(int(l.Bytes())) <= commands.MaxSteps {
		return n + commands.StepsOfBytes(n*int(l.Bytes())/max(l.Len(), 1))
	}
	steps := n
	l.Range(from, to, func(element []byte) bool {
		steps += commands.StepsOfBytes(len(element))
		return steps <= commands.MaxSteps
	})
	return steps
}

// peekList returns the list of a key for a [commands.Cost].
func peekList(c *commands.Call, key []byte) list.List {
	e := c.Tx.Peek(key)
	return e.List()
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
