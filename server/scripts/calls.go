package scripts

import "cellserver/commands"

// Calls are the commands that the running script has called. They are counted, and the monitors see them, at
// the end of the script: one that begins again has not called them.
type Calls struct {
	All     []Called
	Refused []Called // the calls of commands that must not run
	Lines   [][]byte // for the monitors
	timed   int      // how many of All have their time
	shown   int      // bytes of Lines
}

// Called is one call of a command.
type Called struct {
	Cmd  *commands.Command // nil if there is no such command
	Took int64             // in nanoseconds
	Err  string            // "" for none
}

const (
	// heldCalls bounds the calls that are not counted yet. Only a script with more of them may count some
	// twice.
	heldCalls = 1 << 16
	// heldLines bounds the bytes of the lines for the monitors in the same way.
	heldLines = 1 << 20
	// keptCalls is for how many calls there is room after a script.
	keptCalls = 64
)

// Add adds a call. It returns how many calls have no time yet.
func (c *Calls) Add(cmd *commands.Command, err string) (untimed int) {
	c.All = append(c.All, Called{Cmd: cmd, Err: err})
	return len(c.All) - c.timed
}

// Refuse adds a call of a command that must not run.
func (c *Calls) Refuse(cmd *commands.Command, err string) {
	c.Refused = append(c.Refused, Called{Cmd: cmd, Err: err})
}

// Show adds a line for the monitors.
func (c *Calls) Show(line []byte) {
	c.Lines = append(c.Lines, line)
	c.shown += len(line)
}

// Full reports whether the calls must be counted before the script ends.
func (c *Calls) Full() bool { return len(c.All)+len(c.Refused) >= heldCalls || c.shown > heldLines }

// Time shares the time since the last measurement among the calls without one. It returns the share of each.
func (c *Calls) Time(since *int64, now int64) (took int64) {
	took, *since = now-*since, now
	if n := len(c.All) - c.timed; n > 0 {
		took /= int64(n)
	}
	for i := c.timed; i < len(c.All); i++ {
		c.All[i].Took = took
	}
	c.timed = len(c.All)
	return took
}

// Forget drops the calls.
func (c *Calls) Forget() {
	if clear(c.All); cap(c.All) > keptCalls {
		c.All = nil
	}
	*c = Calls{All: c.All[:0]}
}
