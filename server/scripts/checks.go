package scripts

import (
	"cellserver/commands"
	"cellserver/script"
	"cellserver/store"
)

// The errors of scripts and of their commands have the texts of Redis.
const (
	errUnknown   commands.Error = "ERR Unknown Redis command called from script"
	errArity     commands.Error = "ERR Wrong number of args calling Redis command from script"
	errNoScripts commands.Error = "ERR This Redis command is not allowed from script"
	errReadOnly  commands.Error = "ERR Write commands are not allowed from read-only scripts."
	errNoCluster commands.Error = "ERR Can not run script on cluster, 'no-cluster' flag is set."
	errWriteFlag commands.Error = "ERR Can not execute a script with write flag using *_ro command."
	errSlots     commands.Error = "ERR Script attempted to access keys that do not hash to the same slot"
	errFull      commands.Error = "OOM allow-oom flag is not set on the script, can not run it when " +
		"used memory > 'maxmemory'"
)

// mayRun returns an error if a script with the line #!lua must not run now. A script without it may run: its
// commands are checked.
func (r *runner) mayRun(readOnlyCommand bool) error {
	flags := r.run.script.flags
	switch {
	case flags&script.NoCluster != 0 && r.run.call.HasSlots():
		return errNoCluster
	case flags&script.NoWrites == 0 && readOnlyCommand:
		return errWriteFlag
	case flags&(script.NoWrites|script.AllowOOM) == 0 && r.run.full:
		return errFull
	}
	return nil
}

// Flags implements [commands.Scripts]. A script with the line #!lua has the flags that the line says: as in
// Redis, it writes unless it says that it does not.
func (s *Scripts) Flags(c *commands.Call, o commands.Script) commands.Flags {
	flags := c.Cmd.Flags
	says := s.says(o)
	if says&script.HasLine == 0 {
		return flags
	}
	flags &^= commands.MayReplicate
	if says&script.NoWrites != 0 {
		return flags
	}
	flags |= commands.Write
	if says&script.AllowOOM == 0 {
		flags |= commands.DenyOOM
	}
	return flags
}

// says returns what the first line of a script says.
func (s *Scripts) says(o commands.Script) script.Flags {
	if o.BySHA {
		if k := s.named(o.Text); k != nil {
			return k.flags
		}
		return 0
	}
	flags, _, err := script.ParseFlags(o.Text)
	if err != nil {
		return 0
	}
	return flags
}

// admit completes the command of a call. It returns an error if the script must not run it now. After its
// first write, a script is not stopped by the state of the server.
func (r *runner) admit(inner *commands.Call) (err error) {
	if !inner.Cmd.Fits(len(inner.Args)) {
		inner.Cmd, err = commands.Resolve(inner.Cmd, inner.Args)
	}
	switch {
	case inner.Cmd == nil:
		return unknownCommand(inner.Args[0])
	case err != nil:
		return errArity
	case inner.Cmd.Flags&commands.NoScript != 0:
		return errNoScripts
	case inner.Conn.Identity.User.Limits() != nil:
		if err := inner.Runner.Permit(inner, 0); err != nil {
			return err
		}
	}
	flags := inner.Cmd.Flags
	switch {
	case r.run.readOnly && flags&(commands.Write|commands.MayReplicate) != 0:
		return errReadOnly
	case r.run.full && !r.run.wrote && flags&commands.DenyOOM != 0 && r.run.script.flags&script.AllowOOM == 0:
		return commands.ErrOOM
	}
	if err := inner.Runner.Admit(inner, r.run.wrote); err != nil {
		return err
	}
	if r.run.oneSlot && !r.keepsSlot(inner) {
		return errSlots
	}
	r.run.wrote = r.run.wrote || flags&commands.Write != 0
	return nil
}

// unknownCommand names a command of Redis that this server does not have, and says what to do.
func unknownCommand(name []byte) error {
	if why := commands.NotHere("", name); why != "" {
		return errUnknown + commands.Error(": '"+string(name)+"' "+why)
	}
	return errUnknown
}

// keepsSlot reports whether the keys of a command are in the slot of the script's keys before. In cluster
// mode, a script with the line #!lua has one slot, unless the line allows more.
func (r *runner) keepsSlot(c *commands.Call) bool {
	same := true
	c.Cmd.EachKey(c.Args, func(key []byte) {
		slot := int(store.Slot(key))
		same = same && (r.run.slot == noSlot || r.run.slot == slot)
		r.run.slot = slot
	})
	return same
}
