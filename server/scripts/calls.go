package scripts

import "cellserver/commands"

// Calls are the commands that the running script has called. They are counted, and the monitors see them, at
// the end of the script: one that begins again has not called them.
type Calls struct {
	all     []Called
	timed   int      // how many of them have their time
	refused []Called // the calls of commands that must not run
	lines   [][]byte // for the monitors
	shown   int      // bytes of lines
}

// Called is one call of a command.
type Called struct {
	Cmd     *commands.Command // nil if there is no such command
	Took    int64             // in nanoseconds
	Err     string            // "" for none
	Refused bool              // the command did not run
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
	c.all = append(c.all, Called{Cmd: cmd, Err: err})
	return len(c.all) - c.timed
}

// Refuse adds a call of a command that must not run.
func (c *Calls) Refuse(cmd *commands.Command, err string) {
	c.refused = append(c.refused, Called{Cmd: cmd, Err: err, Refused: true})
}

// Show adds a line for the monitors.
func (c *Calls) Show(line []byte) {
	c.lines = append(c.lines, line)
	c.shown += len(line)
}

// Full reports whether the calls must be counted before the script ends.
func (c *Calls) Full() bool { return len(c.all)+len(c.refused) >= heldCalls || c.shown > heldLines }

// Time shares a time among the calls without one. It returns the share of each.
func (c *Calls) Time(took int64) int64 {
	if n := len(c.all) - c.timed; n > 0 {
		took /= int64(n)
	}
	for i := c.timed; i < len(c.all); i++ {
		c.all[i].Took = took
	}
	c.timed = len(c.all)
	return took
}

// Take passes the calls on and forgets them.
func (c *Calls) Take(count func(*Called), show func(line []byte)) {
	for i := range c.all {
		count(&c.all[i])
	}
	for i := range c.refused {
		count(&c.refused[i])
	}
	for _, line := range c.lines {
		show(line)
	}
	c.Forget()
}

// Forget drops the calls.
func (c *Calls) Forget() {
	if clear(c.all); cap(c.all) > keptCalls {
		c.all = nil
	}
	c.all, c.timed, c.refused, c.lines = c.all[:0], 0, nil, nil
	c.shown = 0
}
