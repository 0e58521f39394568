package keys

import (
	"errors"
	"math"

	"cellserver/commands"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// RESTORE key ttl serialized-value stores the value of a DUMP payload, of this server or of a Redis
// up to 7.4. The key must be absent; REPLACE replaces a key.
//
// ttl is a number of milliseconds, with ABSTTL a Unix time in milliseconds; 0 means no expiry. A
// time in the past leaves no key. IDLETIME and FREQ set the access data of the key.
// maxmemory-policy decides which of the two counts; the other one is ignored.
var _ = commands.Register(&commands.Command{
	Name: "restore", Arity: -4, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.OneKey.With("OW UPDATE"), Group: commands.GroupGeneric,
	Categories: []string{"keyspace", "dangerous"}, Run: restore, Cost: costOfRestore,
})

// costOfRestore counts the bytes of the payload. A member may have a few bytes only, and takes some tens of
// steps. Elements of a list may be equal. Then LZF makes a byte of up to 44 elements, of two steps each.
func costOfRestore(c *commands.Call) int {
	stepsOfByte := 4
	if rdb.IsList(c.Args[3]) {
		stepsOfByte = 100
	}
	return stepsOfByte * len(c.Args[3])
}

const (
	errBusyKey   commands.Error = "BUSYKEY Target key name already exists."
	errTTL       commands.Error = "ERR Invalid TTL value, must be >= 0"
	errIdleTime  commands.Error = "ERR Invalid IDLETIME value, must be >= 0"
	errFrequency commands.Error = "ERR Invalid FREQ value, must be >= 0 and <= 255"
	errPayload   commands.Error = "ERR DUMP payload version or checksum are wrong"
	errBadFormat commands.Error = "ERR Bad data format"
)

func restore(c *commands.Call) error {
	o, err := readRestoreOptions(c)
	if err != nil {
		return err
	}
	e := c.Tx.Write(c.Args[1])
	if e.Exists() && !o.replace {
		return errBusyKey
	}
	ttl, err := c.Int(2)
	if err != nil {
		return err
	}
	if ttl < 0 {
		return errTTL
	}
	value, err := rdb.DecodePayload(c.Args[3])
	switch {
	case errors.Is(err, rdb.ErrPayload):
		return errPayload
	case err != nil:
		return errBadFormat
	}
	deleted := e.Delete()
	if expiry := o.expiryMillis(c, ttl); expiry == store.NoExpiry || !c.IsPast(expiry) {
		value.Put(&e, expiry)
		e.SetAccess(o.idle, o.freq)
		c.Notify(commands.GenericEvents, "restore", c.Args[1])
	} else if deleted {
		c.Notify(commands.GenericEvents, "del", c.Args[1])
	}
	c.Out.OK()
	return nil
}

// restoreOptions are the options of RESTORE. idle is in seconds; idle and freq are -1 if they are
// not given.
type restoreOptions struct {
	replace, absolute bool
	idle, freq        int64
}

func readRestoreOptions(c *commands.Call) (o restoreOptions, err error) {
	o.idle, o.freq = -1, -1
	for i := 4; i < len(c.Args); i++ {
		hasValue := i+1 < len(c.Args)
		switch a := c.Args[i]; {
		case commands.Is(a, "replace"):
			o.replace = true
		case commands.Is(a, "absttl"):
			o.absolute = true
		case commands.Is(a, "idletime") && hasValue && o.freq < 0:
			i++
			if o.idle, err = c.Int(i); err == nil && o.idle < 0 {
				err = errIdleTime
			}
		case commands.Is(a, "freq") && hasValue && o.idle < 0:
			i++
			if o.freq, err = c.Int(i); err == nil && (o.freq < 0 || o.freq > math.MaxUint8) {
				err = errFrequency
			}
		default:
			err = commands.ErrSyntax
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// expiryMillis returns the expiry in Unix milliseconds of the logical time, or NoExpiry. ABSTTL names a time
// of the wall clock. A ttl that overflows counts as a time in the past, as in Redis.
func (o *restoreOptions) expiryMillis(c *commands.Call, ttl int64) int64 {
	now := c.NowMillis()
	switch {
	case ttl == 0:
		return store.NoExpiry
	case o.absolute:
		return ttl + min(c.GapMillis(), math.MaxInt64-ttl)
	case ttl > math.MaxInt64-now:
		return now
	}
	return now + ttl
}
