package script

import (
	"unsafe"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// maxLevels is how deep a reply may be nested.
const maxLevels = 1000

// replyCost is what an element of a reply counts in bytes.
const replyCost = 160

// Out is where the reply of a script goes, in the protocol of its client. [resp.Writer] is one.
type Out interface {
	Null()
	Bool(v bool)
	Int(n int64)
	Double(f float64)
	BigNumber(digits string)
	Bulk(b []byte)
	Simple(text string)
	Error(text string)
	Verbatim(format, text string)
	Array(n int)
	Map(n int)
	Set(n int)
}

// A converter writes a value of Lua as a reply. It fails if the value is nested too deep or is too large. A
// table that contains itself is small, and its reply is not.
type converter struct {
	out     Out
	resp    int
	m       *machine.Machine
	full    bool // the reply is too large
	levels  int
	every   int // after this number of elements it asks whether it may go on
	left    int // until it asks again
	check   func() error
	stopped error
}

// elementSteps is how many steps an element of a reply takes.
const elementSteps = 4

// fieldsPassed is how many fields of a table, deleted ones, too, take about as long as an element.
const fieldsPassed = 64

// take counts bytes of the reply, before they are made.
func (c *converter) take(bytes int) bool {
	c.full = c.full || !c.m.MayMake(bytes)
	return !c.full
}

// next counts a step. It reports whether the converter may go on.
func (c *converter) next() bool {
	if c.left--; c.left <= 0 {
		c.ask()
	}
	return !c.full
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

// answer writes the result of a script. After a failure the caller drops what it has written.
func (e *Engine) answer(v lua.LValue) *Failure {
	if t, ok := v.(*lua.LTable); ok {
		if text, ok := t.RawGetString("err").(lua.LString); ok && e.m.MayMake(textCopies*len(text)) {
			return &Failure{Text: oneLine(string(text)), Counted: t.RawGetString(countedField) == lua.LTrue}
		}
	}
	every := e.options.Limits.Steps / elementSteps
	c := converter{
		out: e.run.Out, resp: e.run.resp, m: e.m, check: e.run.Check, every: every, left: every,
	}
	c.write(v)
	switch {
	case c.stopped != nil:
		return &Failure{Text: oneLine(c.stopped.Error())}
	case c.levels > maxLevels:
		return &Failure{Text: "ERR reached lua stack limit"}
	case c.full:
		return &Failure{Text: "OOM the reply of the script is too large"}
	}
	return nil
}

// write writes a value.
func (c *converter) write(v lua.LValue) {
	if c.take(replyCost); !c.next() {
		return
	}
	switch v := v.(type) {
	case lua.LString:
		if c.take(len(v)) { // the output of the client has a copy
			c.out.Bulk(bytesOf(string(v)))
		}
	case lua.LNumber:
		c.out.Int(lua51.Int(float64(v)))
	case lua.LBool:
		c.boolean(bool(v))
	case *lua.LTable:
		if c.levels++; c.levels > maxLevels {
			return
		}
		if !c.named(v) {
			c.array(v)
		}
		if c.levels <= maxLevels {
			c.levels--
		}
	default:
		c.out.Null()
	}
}

func (c *converter) boolean(v bool) {
	switch {
	case c.resp == 3:
		c.out.Bool(v)
	case v:
		c.out.Int(1)
	default:
		c.out.Null()
	}
}

// named writes a table with a field such as ok or err, whose name says which kind of reply it is. It reports
// false if there is no such field.
func (c *converter) named(t *lua.LTable) bool {
	if s, ok := t.RawGetString("err").(lua.LString); ok {
		c.text(s, func(s string) { c.out.Error(oneLine(s)) })
		return true
	}
	if s, ok := t.RawGetString("ok").(lua.LString); ok {
		c.text(s, func(s string) { c.out.Simple(statusText(s)) })
		return true
	}
	if n, ok := t.RawGetString("double").(lua.LNumber); ok {
		c.out.Double(float64(n))
		return true
	}
	if s, ok := t.RawGetString("big_number").(lua.LString); ok {
		c.text(s, func(s string) { c.out.BigNumber(lineEnds.Replace(s)) })
		return true
	}
	if v, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, ok := v.RawGetString("format").(lua.LString)
		text, isText := v.RawGetString("string").(lua.LString)
		if ok && isText {
			c.text(text, func(s string) { c.out.Verbatim(string(format + "   ")[:3], s) })
			return true
		}
	}
	if m, ok := t.RawGetString("map").(*lua.LTable); ok {
		c.fields(m, c.out.Map, true)
		return true
	}
	if s, ok := t.RawGetString("set").(*lua.LTable); ok {
		c.fields(s, c.out.Set, false)
		return true
	}
	return false
}

// textCopies is how often the text of a status or an error is in memory.
const textCopies = 5

// text writes a text if the script may make it.
func (c *converter) text(s lua.LString, write func(s string)) {
	if c.take(textCopies * len(s)) {
		write(string(s))
	}
}

// array writes the elements of a table before the first nil.
func (c *converter) array(t *lua.LTable) {
	n := 0
	for t.RawGetInt(n+1) != lua.LNil && c.next() {
		n++
	}
	c.out.Array(n)
	for i := 1; i <= n && !c.full && c.levels <= maxLevels; i++ {
		c.write(t.RawGetInt(i))
	}
}

// fields writes the keys of a table, and perhaps their values. `begin` begins the reply.
func (c *converter) fields(t *lua.LTable, begin func(n int), values bool) {
	n := 0
	c.left -= machine.Fields(t) / fieldsPassed
	for k, _ := t.Next(lua.LNil); k != lua.LNil && c.next(); k, _ = t.Next(k) {
		n++
	}
	begin(n)
	for k, v := t.Next(lua.LNil); k != lua.LNil && !c.full && c.levels <= maxLevels; k, v = t.Next(k) {
		if c.write(k); values {
			c.write(v)
		}
	}
}

// bytesOf returns the bytes of a text. No code may change them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
