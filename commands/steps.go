package commands

import "cellserver/store"

// maxSteps is for how many steps the other clients of an event loop may wait. A step takes about
// 0.1 µs: so long takes the reply with one member of a sorted set, or with 64 bytes of a string.
const maxSteps = 50_000

// MaxWords is how many words a command has that runs while other clients wait: it may change a key for each of them.
const MaxWords = 10_000

// maxQueue is how many queued commands EXEC runs while other clients wait.
const maxQueue = 1000

// bytesPerStep is how many bytes of a string a command copies in a step.
const bytesPerStep = 64

// TakesSteps returns [TakesLong] if a command is about to take many steps while other clients wait.
// The command returns that error before it changes anything. The flag Linear belongs to it, or Steps.
func (c *Call) TakesSteps(steps int) error {
	if steps <= maxSteps || c.Runner == nil || c.Runner.Alone() {
		return nil
	}
	return TakesLong
}

// TakesBytes is [Call.TakesSteps] for a command that is about to copy n bytes.
func (c *Call) TakesBytes(n int) error { return c.TakesSteps(n / bytesPerStep) }

// Copying counts the bytes that a command copies from values into its reply. Err is [TakesLong] if they take long.
type Copying struct {
	call  *Call
	begin int // where the reply begins
	Err   error
}

// Copying begins the reply of a command that reads.
func (c *Call) Copying() Copying { return Copying{call: c, begin: c.Out.Mark()} }

// Fits reports whether the command goes on with n bytes more. It does not if that takes long, or if the output is over its
// limit.
func (r *Copying) Fits(n int) bool {
	if r.Err == nil {
		r.Err = r.call.TakesBytes(r.call.Out.Mark() - r.begin + n)
	}
	return r.Err == nil && !r.call.Out.Over()
}

// Bulk replies with a string if it fits.
func (r *Copying) Bulk(b []byte) bool {
	if !r.Fits(len(b)) {
		return false
	}
	r.call.Out.Bulk(b)
	return true
}

// StepsOfBytes returns how many steps it takes to copy n bytes.
func StepsOfBytes(n int) int { return n / bytesPerStep }

// stepsOfWord is how many steps it takes at most to find or change what a word names in a compact value of the usual size.
const stepsOfWord = 20

// StepsOfWords is the Steps of commands that find or change something for each of their words.
func StepsOfWords(args [][]byte) int { return stepsOfWord * len(args) }

// TakesLong reports whether EXEC may take long with the queued commands. They take the steps for which their arguments ask,
// and for each Linear command about as many as all their values have. The caller has locked their keys.
func (q *Queue) TakesLong(tx *store.Tx) bool {
	if len(q.Commands) > maxQueue {
		return true
	}
	steps, words := 0, 0
	for _, one := range q.Commands {
		words += len(one.Args)
		if one.Cmd.Steps != nil {
			steps += one.Cmd.Steps(one.Args)
		}
	}
	if words > MaxWords || steps > maxSteps {
		return true
	}
	return q.Flags&Linear != 0 && q.linearTakesLong(tx, steps)
}

// linearTakesLong is TakesLong for Linear commands. steps is how many the arguments ask for.
func (q *Queue) linearTakesLong(tx *store.Tx, steps int) bool {
	linear := 0
	for _, one := range q.Commands {
		if one.Cmd.Name == "select" {
			return true // the values are in another database
		}
		one.Cmd.EachKey(one.Args, func(key []byte) {
			e := tx.Peek(key)
			steps += StepsOfBytes(int(e.Memory()))
		})
		if one.Cmd.Flags&Linear != 0 {
			linear++
		}
		if linear > 0 && steps > maxSteps/linear {
			return true
		}
	}
	return false
}
