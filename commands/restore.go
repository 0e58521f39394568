package commands

import (
	"errors"
	"math"

	"cellserver/persistence/rdb"
	"cellserver/store"
)

// RESTORE key ttl serialized-value makes a key that is absent (or, with REPLACE, any) hold
// what DUMP gave for another, here or in any Redis up to 7.4, for ttl milliseconds or until
// ttl (with ABSTTL), or for ever when that is 0. A time that has passed leaves no key.
// IDLETIME and FREQ say how the key was used; the one that maxmemory-policy has no use
// for is ignored.
var _ = register(&Command{
	Name: "restore", Arity: -4, Flags: Write | DenyOOM, Keys: oneKey.access("OW UPDATE"), Group: Generic, Since: "2.6.0",
	Categories: []string{"keyspace", "dangerous"},
	Summary:    "Create a key using the provided serialized value, previously obtained using DUMP.",
	Usage:      "key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
	Complexity: "O(1) to create the new key and additional O(N*M) to reconstruct the serialized value, where N is the number of Redis objects " +
		"composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply " +
		"O(1). However for sorted set values the complexity is O(N*M*log(N)) because inserting values into sorted sets is O(log(N)).",
	Run: restore,
})

const (
	errBusyKey   Error = "BUSYKEY Target key name already exists."
	errTTL       Error = "ERR Invalid TTL value, must be >= 0"
	errIdleTime  Error = "ERR Invalid IDLETIME value, must be >= 0"
	errFrequency Error = "ERR Invalid FREQ value, must be >= 0 and <= 255"
	errPayload   Error = "ERR DUMP payload version or checksum are wrong"
	errBadFormat Error = "ERR Bad data format"
)

func restore(c *Call) error {
	o, err := c.restoreOptions()
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
	e.Delete()
	if at := o.expireAt(ttl, c.NowMillis()); at == store.NoExpiry || at > c.NowMillis() {
		value.Put(&e, at)
		c.restoreAccess(&e, o)
	}
	c.Out.OK()
	return nil
}

// restoreOptions are what follows RESTORE's value; idle (seconds) and freq are -1 when
// they are not given.
type restoreOptions struct {
	replace, absolute bool
	idle, freq        int64
}

func (c *Call) restoreOptions() (o restoreOptions, err error) {
	o.idle, o.freq = -1, -1
	for i := 4; i < len(c.Args); i++ {
		more := i+1 < len(c.Args)
		switch a := c.Args[i]; {
		case is(a, "replace"):
			o.replace = true
		case is(a, "absttl"):
			o.absolute = true
		case is(a, "idletime") && more && o.freq < 0:
			i++
			if o.idle, err = c.Int(i); err == nil && o.idle < 0 {
				err = errIdleTime
			}
		case is(a, "freq") && more && o.idle < 0:
			i++
			if o.freq, err = c.Int(i); err == nil && (o.freq < 0 || o.freq > math.MaxUint8) {
				err = errFrequency
			}
		default:
			err = errSyntax
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// expireAt is the moment that a ttl stands for, in Unix milliseconds, or NoExpiry. What
// lies beyond the last one has passed, as in Redis.
func (o *restoreOptions) expireAt(ttl, now int64) int64 {
	switch {
	case ttl == 0:
		return store.NoExpiry
	case o.absolute:
		return ttl
	case ttl > math.MaxInt64-now:
		return now
	}
	return now + ttl
}

// restoreAccess makes a key as used as the options say.
func (c *Call) restoreAccess(e *store.Entry, o restoreOptions) {
	switch lfu := c.Server.usesLFU(); {
	case lfu && o.freq >= 0:
		e.SetAccess(0, uint8(o.freq))
	case !lfu && o.idle >= 0:
		e.SetAccess(o.idle, 0)
	}
}
