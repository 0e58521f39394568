package script

import (
	"container/list"
	"errors"

	"cellserver/script/lib"
	"cellserver/script/machine"
	"cellserver/script/stdlib"
)

// A Style is how errors of scripts read.
type Style int

// The styles: as Redis 7, or as Redis 6.
const (
	Redis7 Style = iota
	Redis6
)

// Options configure an engine. Limits that are zero are machine.DefaultLimits.
type Options struct {
	Version    string // of Redis, as scripts see it
	VersionNum int
	Limits     machine.Limits
	Scripts    int // how many compiled scripts are kept; 0 is 1,000
}

const (
	defaultScripts = 1000
	maxCompiled    = 8 << 20 // bytes of the compiled scripts of an engine; one script may take more
)

// An Engine runs scripts, one at a time.
type Engine struct {
	options Options
	m       *machine.Machine
	scripts map[string]*list.Element // of *Script, by SHA
	recent  *list.List               // the script that was used last is in front
	bytes   int                      // of the compiled scripts, about
	run     run
}

// A Script is a script that an engine has compiled.
type Script struct {
	SHA    string
	Flags  Flags
	source []byte
	f      *machine.Function
	of     *machine.Machine
}

// New makes an engine. It makes its interpreter with the first script.
func New(o Options) *Engine {
	if o.Limits.Steps == 0 {
		o.Limits = machine.DefaultLimits
	}
	if o.Scripts == 0 {
		o.Scripts = defaultScripts
	}
	return &Engine{options: o, scripts: map[string]*list.Element{}, recent: list.New()}
}

// Bound sets how many bytes of strings and tables a later script may make. more is [machine.Limits.More].
func (e *Engine) Bound(bytes int, more func(bytes int) bool) {
	e.options.Limits.Bytes, e.options.Limits.More = bytes, more
	if e.m != nil {
		e.m.Bound(bytes, more)
	}
}

// Make counts bytes that the server makes for the running script. It ends a script that has made too many.
func (e *Engine) Make(bytes int) { e.m.Make(bytes) }

// Left returns how many bytes the running script may still make.
func (e *Engine) Left() int { return e.m.Left() }

// Cached returns a script that the engine has compiled, or nil.
func (e *Engine) Cached(sha string) *Script {
	at := e.scripts[sha]
	if at == nil {
		return nil
	}
	e.recent.MoveToFront(at)
	return at.Value.(*Script)
}

// Compile compiles a script, unless the engine has it. The text of an error is that of Redis, without a code.
func (e *Engine) Compile(source []byte) (*Script, error) {
	sha := SHA(source)
	if s := e.Cached(sha); s != nil {
		return s, nil
	}
	flags, _, err := ParseFlags(source)
	if err != nil {
		return nil, err
	}
	s := &Script{SHA: sha, Flags: flags, source: source}
	if err := e.prepare(s); err != nil {
		return nil, err
	}
	e.scripts[sha] = e.recent.PushFront(s)
	e.bytes += s.f.Bytes
	for e.recent.Len() > 1 && (e.recent.Len() > e.options.Scripts || e.bytes > maxCompiled) {
		e.forget(e.recent.Back())
	}
	return s, nil
}

// Flush forgets all compiled scripts.
func (e *Engine) Flush() {
	for e.recent.Len() > 0 {
		e.forget(e.recent.Back())
	}
}

func (e *Engine) forget(at *list.Element) {
	s := e.recent.Remove(at).(*Script)
	delete(e.scripts, s.SHA)
	if s.of != nil {
		e.bytes -= s.f.Bytes
		e.m.Forget(s.f)
	}
}

// prepare compiles a script for the interpreter that the engine has now.
func (e *Engine) prepare(s *Script) error {
	if e.m == nil {
		e.m = e.newMachine()
	}
	_, text, err := ParseFlags(s.source)
	if err != nil {
		return err
	}
	f, err := e.m.Compile(string(text), "@user_script", "user_script")
	if err != nil {
		return errors.New("Error compiling script (new function): " + err.Error())
	}
	s.f, s.of = f, e.m
	return nil
}

func (e *Engine) newMachine() *machine.Machine {
	m := machine.New(e.options.Limits)
	stdlib.Open(m)
	lib.Open(m)
	e.openAPI(m)
	m.Freeze()
	return m
}
