package commands

import (
	"math"

	"cellserver/store"
)

// MaxWords is how many words a command has that runs while other clients wait: it may change a key for each
// of them.
const MaxWords = 10_000

// maxQueue is how many queued commands EXEC runs while other clients wait.
const maxQueue = 1000

// bytesPerStep is how many bytes of a string a command copies in a step.
const bytesPerStep = 64

// AlwaysLong is the [Cost] of a command whose time nothing bounds.
func AlwaysLong(*Call) int { return math.MaxInt }

// CostOfValue is the [Cost] of a command that reads the whole value of its first argument.
func CostOfValue(c *Call) int {
	e := c.Tx.Peek(c.Args[1])
	return StepsOfValue(&e)
}

// CostOfValues returns the [Cost] of a command that reads the values of all its keys, at some steps for each
// element.
func CostOfValues(steps int) Cost {
	return func(c *Call) int {
		total := 0
		c.Cmd.EachKey(c.Args, func(key []byte) {
			e := c.Tx.Peek(key)
			total += steps * StepsOfValue(&e)
		})
		return total
	}
}

// CostOfWords returns the [Cost] of a command that finds or changes an element for each of its words. seek
// says how many steps that takes in a value.
func CostOfWords(seek func(e *store.Entry) int) Cost {
	// A compact value has at most 1 MiB, so that this many words never take long.
	const fewWords = 4
	return func(c *Call) int {
		if len(c.Args) <= fewWords {
			return 0
		}
		e := c.Tx.Peek(c.Args[1])
		return seek(&e) * len(c.Args)
	}
}

// StepsOfBytes returns how many steps it takes to copy n bytes.
func StepsOfBytes(n int) int { return n / bytesPerStep }

// StepsOfValue returns how many steps it takes to copy a whole value.
func StepsOfValue(e *store.Entry) int {
	if e.Kind() <= store.Int {
		return 0 // no value, or an integer
	}
	return elementsOf(e) + StepsOfBytes(int(e.Memory()))
}

// elementsOf returns the number of elements of a value.
func elementsOf(e *store.Entry) int {
	switch e.Kind() {
	case store.Sorted:
		return e.Sorted().Len()
	case store.Hash:
		return e.Hash().Len()
	case store.Set:
		return e.Set().Len()
	case store.List:
		return e.List().Len()
	}
	return 0
}

// StepsOfSome returns how many steps it takes to copy n elements of any size, at some steps for each of them.
func StepsOfSome(e *store.Entry, n, steps int) int {
	const large = 64 << 10 // such elements may differ much
	all := elementsOf(e)
	if all == 0 {
		return 0
	}
	average := int(e.Memory()) / all
	if average > large {
		return StepsOfValue(e)
	}
	return min(n, math.MaxInt32) * (steps + StepsOfBytes(average))
}

// CostOfExec is the [Cost] of EXEC. A command may work on what those before it have made of their words. So
// each of them may take as many steps as all of them together.
func CostOfExec(c *Call) int {
	q := &c.Conn.Transaction.Queue
	if len(q.Commands) > maxQueue {
		return math.MaxInt
	}
	steps, words, priced := StepsOfBytes(q.Bytes), 0, 0
	for i := range q.Commands {
		one := &q.Commands[i]
		words += len(one.Args)
		if one.Cmd.Name == "select" || words > MaxWords {
			return math.MaxInt // SELECT: the values are in another database
		}
		if one.Cmd.Cost == nil {
			continue
		}
		if one.Cmd.Flags&Write != 0 && !one.Cmd.onOneKey && one.Cmd.Group != GroupLimiter {
			return math.MaxInt // it may make one large value of several
		}
		inner := c.Other(one.Cmd, one.Args)
		cost := one.Cmd.Cost(&inner)
		if cost > MaxSteps {
			return math.MaxInt
		}
		steps += max(0, cost)
		priced++
	}
	return (steps+words)*priced + CostOfWatched(c)
}
