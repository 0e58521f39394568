package machine

import (
	"fmt"
	"strconv"
	"strings"

	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

// A budget counts what a script does and makes.
type budget struct {
	limits  Limits
	steps   int // until the next call of check
	made    int
	granted int // how much it may make before it must ask for more
	check   func() error
	stopped *lua.ApiError // why the script must end
	worn    bool          // the stacks have grown large, or a Go panic has left them in an unknown state
	locate  func(L *lua.LState) Position
	stopAt  Position
}

func (b *budget) begin(check func() error) {
	b.steps, b.made, b.check, b.worn = b.limits.Steps, 0, check, false
	if b.granted = b.limits.Bytes; b.limits.More != nil {
		b.granted = min(b.granted, OwnBytes)
	}
}

// Step counts work. One step takes up to a microsecond.
func (m *Machine) Step(n int) {
	if m.steps -= n; m.steps < 0 {
		m.ask()
	}
}

// ask asks whether the script may go on.
func (m *Machine) ask() {
	m.steps = m.limits.Steps
	if m.stopped != nil {
		panic(m.stopped)
	}
	m.makeSlots()
	if m.check == nil {
		return
	}
	if err := m.check(); err != nil {
		m.Stop(err.Error())
	}
}

// Make counts bytes that the script makes. Call it before they are made.
func (m *Machine) Make(bytes int) {
	if !m.MayMake(bytes) {
		m.Stop(m.refusal(bytes))
	}
}

// refusal says why MayMake has refused bytes.
func (b *budget) refusal(bytes int) string {
	who := "script"
	if bytes >= 0 && b.made <= b.limits.Bytes {
		who = "all scripts that run now"
	}
	return fmt.Sprintf("OOM %s made more than %d bytes of strings and tables", who, b.limits.Bytes)
}

// MakeText counts a text of n bytes. The allocator rounds its size up.
func (m *Machine) MakeText(n int) { m.Make(TextCost + n + min(n/5, 8<<10)) }

// MayMake counts bytes, and reports whether the script, and all scripts that run now, may make them.
func (b *budget) MayMake(bytes int) bool {
	b.made += bytes
	return b.made <= b.granted && bytes >= 0 || b.isGranted(bytes)
}

// isGranted asks for the memory of bytes that are counted already.
func (b *budget) isGranted(bytes int) bool {
	if b.made > b.limits.Bytes || bytes < 0 {
		return false
	}
	missing := (b.made - b.granted + OwnBytes - 1) / OwnBytes * OwnBytes
	if !b.limits.More(missing) {
		return false
	}
	b.granted += missing
	return true
}

// Fill counts the work of n bytes of a new text.
func (m *Machine) Fill(n int) { m.Step(n / bytesPerStep) }

// Read counts the work of reading n bytes of a text.
func (m *Machine) Read(n int) { m.Step(n / bytesRead) }

// Extend returns a text with room for n bytes more. It counts what this takes before it takes it. If a text must move, its
// whole length counts again, because both copies are in memory.
func (m *Machine) Extend(text []byte, n int) []byte {
	m.Fill(n)
	if cap(text)-len(text) >= n {
		return text
	}
	size := max(2*cap(text), len(text)+n, 32)
	m.Make(size)
	return append(make([]byte, 0, size), text...)
}

// Stop ends the script for good: neither pcall nor a coroutine catches it.
func (m *Machine) Stop(text string) {
	m.stopAt = m.locate(m.L.G.CurrentThread)
	m.stopped = &lua.ApiError{Type: lua.ApiErrorRun, Object: lua.LString(text), StackTrace: noTrace}
	panic(m.stopped)
}

// noTrace keeps gopher-lua from making a stack trace of an error, which takes long for a deep stack.
const noTrace = "-"

// Bound sets how much a later script may make, as Limits has it.
func (m *Machine) Bound(bytes int, more func(bytes int) bool) {
	m.limits.Bytes, m.limits.More = bytes, more
}

// Left returns how many bytes the script may still make.
func (m *Machine) Left() int { return m.limits.Bytes - m.made }

// MaxBytes returns how much a script may make.
func (m *Machine) MaxBytes() int { return m.limits.Bytes }

// Made returns how many bytes the script has made.
func (m *Machine) Made() int { return m.made }

// WearOut says that the machine must not be used for another script.
func (b *budget) WearOut() { b.worn = true }

// step returns the helper that counts a step and what the code after it makes.
func (m *Machine) step(name string) *lua.LFunction {
	text, _ := strings.CutPrefix(name, syntax.Step)
	cost, err := strconv.Atoi(text)
	if err != nil {
		panic("script: there is no helper " + name)
	}
	f := m.Func(func(L *lua.LState) int {
		m.Step(1)
		m.Make(cost)
		if n := L.GetTop(); n > 0 {
			m.arguments(L, n)
		}
		return 0
	})
	m.helpers[name] = f
	return f
}

// arguments counts the variable arguments of a function, which are copied each time that they are used.
func (m *Machine) arguments(L *lua.LState, n int) {
	m.Step(n / 8)
	if n > maxArguments {
		m.Raise(L, "stack overflow")
	}
}
