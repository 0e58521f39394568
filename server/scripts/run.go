package scripts

import (
	"bytes"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/script"
	"cellserver/store"
)

// runner is an engine with what its run needs.
type runner struct {
	engine   *script.Engine
	out      resp.Writer      // replies of commands
	inner    commands.Call    // the command that runs now
	needs    store.Footprint  // of inner
	share    share            // of the memory of all scripts
	check    func() error     // checkRun
	server   *commands.Server // as the commands see it
	deferred deferred
	long     *long        // where scripts that take long are listed
	state    atomic.Int32 // of a script that takes long: clean, dirty, killed or stopped
	since    atomic.Int64 // when a script that takes long began, by the monotonic clock
	run      run
}

// run is one run of a script.
type run struct {
	call     *commands.Call // EVAL
	memory   *memory
	readOnly bool // the script must not write
	full     bool // memory was over maxmemory when the script began
	wrote    bool // the script has called a command that writes
	panicked any  // the panic of a command
	script   *known
	oneSlot  bool             // all keys must be in one slot
	slot     int              // of the keys, noSlot if there was no key
	longRun                   // if the script takes long
	stopped  bool             // the server has stopped it
	verdict  commands.Verdict // not 0: the script has stopped, and begins again
}

// noSlot is the slot of a script that has used no key.
const noSlot = -1

// versionNumber is commands.RedisVersion as scripts see it.
const versionNumber = 7<<16 | 0<<8 | 15

func newRunner() *runner {
	r := &runner{engine: script.New(script.Options{Version: commands.RedisVersion, VersionNum: versionNumber})}
	r.check = r.checkRun
	return r
}

// compile compiles a script for an engine, unless the engine has it. It adds a new script to the library.
func (s *Scripts) compile(r *runner, k *known, text []byte, by sender) (*known, *script.Script, error) {
	isNew := k.text == nil
	if isNew {
		k.text = bytes.Clone(text)
	}
	compiled, err := r.engine.Compile(k.text)
	if err != nil {
		return nil, nil, commands.Error("ERR " + err.Error())
	}
	if isNew {
		k.flags = compiled.Flags
		k = s.library.add(k, by)
	}
	return k, compiled, nil
}

// Run implements [commands.Scripts].
func (s *Scripts) Run(c *commands.Call, o commands.Script) error {
	own := scratchOf(c.Conn)
	k := s.scriptOf(c, own, o)
	if k == nil {
		return commands.ErrNoScript
	}
	r, err := s.engines.take()
	if err != nil {
		return err
	}
	if own.shared = &s.shared; !c.Conn.Transaction.Running {
		own.endTransaction()
	}
	var kept *runner
	r.long, r.share.all = &s.long, &s.shared
	defer func() {
		if r.share.taken > 0 {
			own.garbage += r.share.giveBack()
		}
		if c.Conn.Transaction.Running {
			own.endMemory()
		}
		s.engines.give(kept)
	}()
	compiled := r.engine.Cached(k.sha)
	if compiled == nil || k.text == nil {
		if k, compiled, err = s.compile(r, k, o.Text, byEval); err != nil {
			kept = r
			return err
		}
	}
	if k.long.Load() && !c.Runner.Alone() {
		kept = r
		return commands.TakesLong
	}
	if err = r.begin(c, o, k, &own.memory); err == nil {
		err = r.result(compiled, o)
	}
	r.run, r.inner = run{}, commands.Call{} // they refer to the request
	if r.out.Len() > largeReply {
		r.out.Reset()
	}
	kept = r
	return err
}

// begin prepares a run. It returns an error if too many scripts take long.
func (r *runner) begin(c *commands.Call, o commands.Script, k *known, m *memory) error {
	cfg := c.Server.Config()
	r.engine.Bound(int(cfg.ScriptMemoryLimit), r.mayMake)
	r.share.limit = cfg.ScriptMemoryLimit
	r.run = run{call: c, memory: m, script: k, readOnly: o.ReadOnly || k.flags&script.NoWrites != 0}
	if c.HasSlots() && k.flags&(script.HasLine|script.AllowCrossSlotKeys) == script.HasLine {
		r.run.oneSlot, r.run.slot = true, noSlot
		r.keepsSlot(c)
	}
	r.run.full = cfg.MaxMemory > 0 && c.Server.Store.Used() > cfg.MaxMemory
	r.state.Store(clean)
	if c.Runner.Alone() {
		now := c.Server.Clock.Monotonic()
		if err := r.long.add(r, now); err != nil {
			return err
		}
		if c.Tx != nil {
			c.Tx.SetSince(max(now, 2))
		}
	}
	r.deferred = deferred{waits: r.mayRestart()}
	if r.server == nil {
		r.server = r.deferred.serverFor(c.Server)
	}
	return nil
}

// mayRestart reports whether the script may have to begin again. A run where it is alone, with all
// partitions, is the last one.
func (r *runner) mayRestart() bool {
	return !r.run.call.Runner.Alone() || !r.run.script.wide.Load() && !r.run.call.Conn.Transaction.Running
}

// mayStop reports whether the end of the server may stop the run, and take back what it has done. A script
// of EXEC ends as one that fails, because the commands before it stay.
func (r *runner) mayStop() bool { return r.run.listed && !r.run.call.Conn.Transaction.Running }

// restart stops the script with a verdict. result takes back what it has done, and EVAL runs it again.
func (r *runner) restart(v commands.Verdict) error {
	r.run.verdict = v
	return errRestart
}

const errRestart commands.Error = "ERR the script begins again"

// result runs a script, which writes its reply. The caller drops it after an error.
func (r *runner) result(s *script.Script, o commands.Script) error {
	c, mark := r.run.call, r.run.call.Out.Mark()
	defer func(db int) {
		if r.run.listed {
			r.long.remove(r)
		}
		c.Conn.DB = db
		if c.Tx != nil {
			c.Tx.Select(db)
		}
	}(c.Conn.DB)
	if r.run.script.flags&script.HasLine != 0 {
		if err := r.mayRun(o.ReadOnly); err != nil {
			return err
		}
	}
	if r.run.script.long.Load() {
		r.takeTurn()
	}
	style := script.Redis7
	if c.Server.Config().ScriptErrorStyle == config.ScriptErrorsOf6 {
		style = script.Redis6
	}
	failure := r.engine.Run(s, script.Run{
		Keys: o.Keys, Args: o.Args, Caller: r, Out: c.Out, Check: r.check, Style: style,
	})
	switch {
	case r.run.panicked != nil:
		panic(r.run.panicked)
	case r.run.verdict != 0:
		if c.Tx != nil {
			c.Tx.Rollback()
		}
		c.Conn.After = commands.After{}
		r.deferred = deferred{}
		c.Out.Truncate(mark) // a verdict leaves the reply
		return r.run.verdict
	case failure != nil && r.run.stopped && r.mayStop() && c.Tx != nil:
		c.Tx.Rollback()
		c.Conn.After = commands.After{}
		r.deferred = deferred{}
		return commands.Error(failure.Text)
	}
	if len(r.deferred.actions) > 0 {
		r.deferred.doAll()
	}
	switch {
	case failure == nil:
		return nil
	case failure.Counted:
		return commands.CountedError(failure.Text)
	}
	return commands.Error(failure.Text)
}
