package machine

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Limits bound a script.
type Limits struct {
	Bytes int // of all strings and tables that it makes
	Steps int // between two calls of check, which says whether the script may go on

	// More asks for memory that scripts share: bytes beyond OwnBytes. If it is nil, Bytes is the only bound.
	More func(bytes int) bool
}

// OwnBytes is what a script may make without a call of More. Each call of More asks for a multiple of OwnBytes.
const OwnBytes = 1 << 20

// DefaultLimits are 256 MiB, and a call of check every 10,000 steps, which take about a millisecond.
var DefaultLimits = Limits{Bytes: 256 << 20, Steps: 10000}

// The rough cost of values in bytes.
const (
	TextCost  = 40
	slotCost  = 16
	ItemCost  = 40
	gapCost   = 64 // of an item that is not set, before one that is: the interpreter fills the gap
	FieldCost = 100
	tableCost = 160
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
	if m.check == nil {
		return
	}
	if err := m.check(); err != nil {
		m.Stop(err.Error())
	}
}

// Make counts bytes that the script makes.
func (m *Machine) Make(bytes int) {
	m.made += bytes
	if m.made > m.granted || bytes < 0 {
		m.askForMore(bytes)
	}
}

// askForMore stops the script, unless the scripts that run now may make more.
func (m *Machine) askForMore(bytes int) {
	if m.made > m.limits.Bytes || bytes < 0 {
		m.Stop(fmt.Sprintf("OOM script made more than %d bytes of strings and tables", m.limits.Bytes))
	}
	pieces := (m.made - m.granted + OwnBytes - 1) / OwnBytes
	if !m.limits.More(pieces * OwnBytes) {
		m.Stop(fmt.Sprintf("OOM all scripts that run now made more than %d bytes of strings and tables", m.limits.Bytes))
	}
	m.granted += pieces * OwnBytes
}

// bytesPerStep is how many bytes of a new text take about as long as a step: the system gives the memory page by page.
const bytesPerStep = 512

// Fill counts the work of n bytes of a new text.
func (m *Machine) Fill(n int) { m.Step(n / bytesPerStep) }

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

// MaxBytes returns how much a script may make.
func (m *Machine) MaxBytes() int { return m.limits.Bytes }

// Made returns how many bytes the script has made.
func (m *Machine) Made() int { return m.made }

// WearOut says that the machine must not be used for another script.
func (m *Machine) WearOut() { m.worn = true }
