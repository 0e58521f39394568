package script

import (
	"unsafe"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// maxLevels is how deep a reply may be nested.
const maxLevels = 1000

// maxRoom is the largest number of elements for which an array gets memory at once. A longer array grows
// step by step.
const maxRoom = 1 << 10

// replyCost is what an element of a reply costs in bytes.
const replyCost = 160

// A converter makes a reply of a value. It fails if the value is nested too deep or is too large. A table
// that contains itself is small, and its reply is not.
type converter struct {
	resp    int
	m       *machine.Machine
	full    bool // the reply is too large
	levels  int
	every   int // after this number of elements it asks whether it may go on
	left    int // until it asks again
	check   func() error
	stopped error
	spare   []Reply // memory for elements, which the next run overwrites
}

// elementSteps is how many steps an element of a reply takes.
const elementSteps = 4

// take counts bytes of the reply, before they are made.
func (c *converter) take(bytes int) bool {
	c.full = c.full || !c.m.MayMake(bytes)
	return !c.full
}

// step counts an element.
func (c *converter) step() {
	c.take(replyCost)
	if c.left--; c.left <= 0 {
		c.ask()
	}
}

// ask asks whether the converter may go on.
func (c *converter) ask() {
	if c.check == nil || c.stopped != nil {
		return
	}
	c.left = c.every
	if c.stopped = c.check(); c.stopped != nil {
		c.full = true
	}
}

// fromLua makes a reply from the result of a script.
func (e *Engine) fromLua(v lua.LValue) Reply {
	every := e.options.Limits.Steps / elementSteps
	c := converter{
		resp: e.run.resp, m: e.m, check: e.run.Check, every: every, left: every, spare: e.spare[:],
	}
	r := c.reply(v)
	e.used = keptReplies - len(c.spare)
	switch {
	case c.stopped != nil:
		return Failed(oneLine(c.stopped.Error()))
	case c.levels > maxLevels:
		return Failed("ERR reached lua stack limit")
	case c.full:
		return Failed("OOM the reply of the script is too large")
	}
	return r
}

func (c *converter) reply(v lua.LValue) Reply {
	c.step()
	switch v := v.(type) {
	case lua.LString:
		c.take(len(v)) // the output of the client has a copy
		return Reply{Kind: Bulk, Text: bytesOf(string(v))}
	case lua.LNumber:
		return Reply{Kind: Int, Int: lua51.Int(float64(v))}
	case lua.LBool:
		return c.boolean(bool(v))
	case *lua.LTable:
		if c.levels >= maxLevels || c.full {
			c.levels++
			return Reply{}
		}
		c.levels++
		r := c.table(v)
		if c.levels <= maxLevels {
			c.levels--
		}
		return r
	}
	return Reply{}
}

func (c *converter) boolean(v bool) Reply {
	n := int64(0)
	if v {
		n = 1
	}
	switch {
	case c.resp == 3:
		return Reply{Kind: Bool, Int: n}
	case v:
		return Reply{Kind: Int, Int: 1}
	}
	return Reply{}
}

// table makes a reply from a table. The name of a field, such as ok or err, says which kind of reply it is.
// Without such a field the reply is an array, which ends before the first nil.
func (c *converter) table(t *lua.LTable) Reply {
	if s, ok := t.RawGetString("err").(lua.LString); ok {
		if !c.take(textCopies * len(s)) {
			return Reply{}
		}
		r := Failed(oneLine(string(s)))
		r.Counted = t.RawGetString(countedField) == lua.LTrue
		return r
	}
	if s, ok := t.RawGetString("ok").(lua.LString); ok {
		if !c.take(textCopies * len(s)) {
			return Reply{}
		}
		return Reply{Kind: Status, Text: statusText(string(s))}
	}
	if n, ok := t.RawGetString("double").(lua.LNumber); ok {
		return Reply{Kind: Double, Double: float64(n)}
	}
	if s, ok := t.RawGetString("big_number").(lua.LString); ok {
		if !c.take(textCopies * len(s)) {
			return Reply{}
		}
		return Reply{Kind: BigNumber, Text: []byte(lineEnds.Replace(string(s)))}
	}
	if v, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, ok := v.RawGetString("format").(lua.LString)
		text, isText := v.RawGetString("string").(lua.LString)
		if ok && isText && c.take(textCopies*len(text)) {
			return Reply{Kind: Verbatim, Text: verbatim(string(format), string(text))}
		}
	}
	if m, ok := t.RawGetString("map").(*lua.LTable); ok {
		return Reply{Kind: Map, Items: c.fields(m, true)}
	}
	if s, ok := t.RawGetString("set").(*lua.LTable); ok {
		return Reply{Kind: Set, Items: c.fields(s, false)}
	}
	r := Reply{Kind: Array, Items: c.room(min(t.Len(), maxRoom))}
	for i := 1; ; i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil || c.full || c.levels > maxLevels {
			return r
		}
		r.Items = append(r.Items, c.reply(v))
	}
}

// textCopies is how often the text of a status or an error is in memory.
const textCopies = 5

// bytesOf returns the bytes of a text. No code may change them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// room returns room for n elements.
func (c *converter) room(n int) []Reply {
	if n > len(c.spare) {
		return make([]Reply, 0, n)
	}
	items := c.spare[:0:n]
	c.spare = c.spare[n:]
	return items
}

// formatLength is the length of the format of a verbatim string.
const formatLength = 3

func verbatim(format, text string) []byte {
	for len(format) < formatLength {
		format += " "
	}
	return append([]byte(format[:formatLength]+":"), text...)
}

func (c *converter) fields(t *lua.LTable, values bool) (items []Reply) {
	for k, v := t.Next(lua.LNil); k != lua.LNil && !c.full && c.levels <= maxLevels; k, v = t.Next(k) {
		items = append(items, c.reply(k))
		if values {
			items = append(items, c.reply(v))
		}
	}
	return items
}
