package script

import (
	"strconv"
	"strings"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A Caller is where a script's calls go. It runs them at once. It must not keep args.
type Caller interface {
	// Call runs a command, and returns its reply, which is valid until the next call. resp is the version of
	// RESP in which the command answers: 2 or 3. The error ends the script, which cannot catch it.
	Call(args [][]byte, resp int) (reply []byte, stop error)
	// Log writes a line to the log of the server. The levels are 0 (debug) to 3 (warning).
	Log(level int, text string)
	// Allows says whether the user may run a command, and whether there is such a command.
	Allows(args [][]byte) (allowed, known bool)
}

// A Run is one run of a script.
type Run struct {
	Keys, Args [][]byte
	Caller     Caller
	Out        Out
	Check      func() error // asked every few steps; its error, with a code, ends the script. It may be nil
	Style      Style
}

// A Failure is the error of a run. The text begins with a code, such as "ERR ".
type Failure struct {
	Text string
	// Counted is true for the error of a command that the script passes on. The statistics have counted it
	// already.
	Counted bool
}

// run is what the running script has changed.
type run struct {
	Run
	resp int
	args [][]byte
	buf  []byte
}

// Run runs a script and writes its reply. After a failure the caller drops what was written. An interpreter
// that is worn out is replaced when the next script runs.
func (e *Engine) Run(s *Script, r Run) *Failure {
	if s.of == nil || s.of != e.m {
		if err := e.prepare(s); err != nil {
			return &Failure{Text: "ERR " + err.Error()}
		}
	}
	e.run.Run, e.run.resp = r, 2
	defer func() {
		e.run.Run = Run{}
		if cap(e.run.buf) > keptBuffer || cap(e.run.args) > keptBuffer {
			e.run.buf, e.run.args = nil, nil
		}
		if !e.m.End() {
			e.replaceMachine()
		}
	}()
	if err := e.m.Begin(r.Keys, r.Args, r.Check); err != nil {
		return &Failure{Text: oneLine(err.Error())}
	}
	value, problem := e.m.Run(s.f)
	if problem != nil {
		return e.failed(s, problem)
	}
	return e.answer(value)
}

// replaceMachine drops the interpreter. No compiled script may refer to it, because it still has all that
// its last run has made.
func (e *Engine) replaceMachine() {
	for at := e.recent.Front(); at != nil; at = at.Next() {
		s := at.Value.(*Script)
		s.f, s.of = nil, nil
	}
	e.m = nil
}

const keptBuffer = 64 << 10

// failed returns the failure of a script that raised an error.
func (e *Engine) failed(s *Script, p *machine.Problem) *Failure {
	text := errorText(p)
	t, isTable := p.Value.(*lua.LTable)
	if e.run.Style == Redis6 {
		text = "ERR Error running script (call to f_" + s.SHA + "): " + at(p.At) + ": " + text
	} else {
		if !isTable && !p.Stopped {
			text = "ERR " + text
		}
		text += " script: " + s.SHA + ", on " + at(p.At) + "."
	}
	return &Failure{Text: oneLine(text), Counted: isTable && t.RawGetString(countedField) == lua.LTrue}
}

func at(p machine.Position) string { return p.Source + ":" + strconv.Itoa(p.Line) }

// errorText returns the text of the error that a script raised.
func errorText(p *machine.Problem) string {
	value := p.Value
	if t, ok := value.(*lua.LTable); ok {
		if value = t.RawGetString("err"); value == lua.LNil {
			return "ERR the script raised a table without the field err"
		}
	}
	text, _, _ := strings.Cut(machine.Text(value), "\x00")
	return text
}

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// oneLine makes a text fit for an error. A NUL ends it, as a string of C.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return lineEnds.Replace(strings.TrimRight(text, "\r\n"))
}

// statusText makes a text fit for a status.
func statusText(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return lineEnds.Replace(text)
}
