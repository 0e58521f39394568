package strings

import (
	"slices"

	"cellserver/commands"
	"cellserver/store"
)

// SET, SETNX, SETEX and PSETEX set a key to a string, whatever the key held before. They replace
// the expiry of the key. Only KEEPTTL keeps the old expiry.
var (
	_ = commands.Register(&commands.Command{
		Name: "set", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.OneKey.With("RW ACCESS UPDATE VARIABLE_FLAGS"), Group: commands.GroupString,
		Run: set, KeyAccess: setAccess, Cost: costOfSet,
	})
	_ = commands.Register(&commands.Command{
		Name: "setnx", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("OW INSERT"), Group: commands.GroupString, Run: setnx,
	})
	_ = commands.Register(&commands.Command{
		Name: "setex", Arity: 4, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.OneKey.With("OW UPDATE"), Group: commands.GroupString,
		Run: func(c *commands.Call) error { return setExpiring(c, &commands.ExpiryOptions[0]) },
	})
	_ = commands.Register(&commands.Command{
		Name: "psetex", Arity: 4, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.OneKey.With("OW UPDATE"), Group: commands.GroupString,
		Run: func(c *commands.Call) error { return setExpiring(c, &commands.ExpiryOptions[1]) },
	})
)

type setOptions struct {
	nx, xx  bool // nx: only if the key is absent; xx: only if it exists
	get     bool // reply with the old string
	keepTTL bool
	expiry  commands.Expiry
}

func set(c *commands.Call) error {
	o, err := parseSet(c.Args)
	if err != nil {
		return err
	}
	at, err := o.expiry.At(c)
	if err != nil {
		return err
	}
	var e store.Entry
	if o.get {
		e = c.Tx.Read(c.Args[1])
		if err := replyString(c, &e); err != nil {
			return err
		}
	} else {
		e = c.Tx.Write(c.Args[1])
	}
	exists := e.Exists()
	refused := o.nx && exists || o.xx && !exists
	if o.keepTTL {
		at = e.ExpireAt()
	}
	if !refused {
		e.SetBytes(c.Args[2], at)
		notifySet(c, o.expiry.Option != nil)
	}
	switch {
	case o.get:
	case refused:
		c.Out.Null()
	default:
		c.Out.OK()
	}
	return nil
}

// notifySet publishes that the command has set its key, and the expiry of the key.
func notifySet(c *commands.Call, expiring bool) {
	c.Notify(commands.StringEvents, "set", c.Args[1])
	if expiring {
		c.Notify(commands.GenericEvents, "expire", c.Args[1])
	}
}

func parseSet(args [][]byte) (o setOptions, err error) {
	for i := 3; i < len(args); i++ {
		switch a := args[i]; {
		case commands.Is(a, "nx") && !o.xx:
			o.nx = true
		case commands.Is(a, "xx") && !o.nx:
			o.xx = true
		case commands.Is(a, "get"):
			o.get = true
		case commands.Is(a, "keepttl") && o.expiry.Option == nil:
			o.keepTTL = true
		case !o.keepTTL && o.expiry.Take(args, i):
			i++
		default:
			return o, commands.ErrSyntax
		}
	}
	return o, nil
}

// costOfSet counts the old string of SET with GET.
func costOfSet(c *commands.Call) int {
	if !gets(c.Args) {
		return 0
	}
	return commands.CostOfValue(c)
}

// gets reports whether SET has the option GET. The other options may be wrong.
func gets(args [][]byte) bool {
	return slices.ContainsFunc(args[min(3, len(args)):], func(a []byte) bool { return commands.Is(a, "get") })
}

// setAccess returns the access flags of one SET.
func setAccess(args [][]byte) string {
	if gets(args) {
		return "RW ACCESS UPDATE"
	}
	return "OW UPDATE"
}

func setnx(c *commands.Call) error {
	e := c.Tx.Write(c.Args[1])
	if e.Exists() {
		c.Out.Int(0)
		return nil
	}
	e.SetBytes(c.Args[2], store.NoExpiry)
	notifySet(c, false)
	c.Out.Int(1)
	return nil
}

// setExpiring is SETEX and PSETEX: key time value.
func setExpiring(c *commands.Call, o *commands.ExpiryOption) error {
	x := commands.Expiry{Option: o, Number: c.Args[2]}
	at, err := x.At(c)
	if err != nil {
		return err
	}
	e := c.Tx.Write(c.Args[1])
	e.SetBytes(c.Args[3], at)
	notifySet(c, true)
	return commands.ReplyOK(c)
}
