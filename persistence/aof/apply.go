package aof

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/store"
)

// Foreign runs commands that this package does not know: those of logs that a Redis wrote.
// No key's time is over for it, since a log says itself when a key goes. Its error ends
// the loading.
type Foreign func(db int, args [][]byte) error

// applier does what the commands of a log say.
type applier struct {
	store   *store.Store
	tx      *store.Tx
	now     int64 // Unix nanoseconds: when keys are taken to have been used
	foreign Foreign
	db      int
}

// apply runs a command. What the encoder writes is done here, which is what makes loading
// fast; anything else is foreign.
func (a *applier) apply(args [][]byte) (err error) {
	known := false
	switch n := len(args); string(args[0]) {
	case "SET":
		known = (n == 3 || n == 5 && string(args[3]) == "PXAT") && a.set(args)
	case "DEL":
		known = n == 2 && a.del(args)
	case "PEXPIREAT":
		known = n == 3 && a.expire(args)
	case "ZADD":
		known = n >= 4 && n%2 == 0 && a.zadd(args)
	case "ZREM":
		known = n == 3 && a.zrem(args)
	case "SELECT":
		known = true
		err = a.choose(args)
	default:
		if is(args[0], "CL.THROTTLE") {
			return errVerbatim
		}
	}
	if known || err != nil {
		return err
	}
	return a.foreign(a.db, args)
}

// foresee has what the store has of the key of a command to come fetched from memory.
func (a *applier) foresee(args [][]byte) {
	if len(args) > 1 {
		a.tx.Prefetch(a.db, args[1])
	}
}

// begin begins a change of a key.
func (a *applier) begin(key []byte) { a.tx.BeginKey(a.now, a.db, key) }

func (a *applier) set(args [][]byte) bool {
	at := store.NoExpiry
	if len(args) == 5 {
		var ok bool
		if at, ok = decimal.Parse(args[4]); !ok {
			return false
		}
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.SetBytes(args[2], at)
	return true
}

func (a *applier) del(args [][]byte) bool {
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.Delete()
	return true
}

func (a *applier) expire(args [][]byte) bool {
	at, ok := decimal.Parse(args[2])
	if !ok {
		return false
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.SetExpiry(at)
	return true
}

func (a *applier) zadd(args [][]byte) bool {
	for i := 2; i < len(args); i += 2 {
		if _, ok := parseScore(args[i]); !ok {
			return false
		}
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	if e.Exists() && e.Kind() != store.Sorted {
		return false
	}
	for i := 2; i < len(args); i += 2 {
		score, _ := parseScore(args[i])
		e.ZAdd(score, args[i+1])
	}
	return true
}

func (a *applier) zrem(args [][]byte) bool {
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.ZRem(args[2])
	return true
}

// parseScore reads a score that the encoder wrote: no option is one.
func parseScore(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64) // which keeps it in errors only
	return f, err == nil && !math.IsNaN(f)
}

func (a *applier) choose(args [][]byte) error {
	if len(args) == 2 {
		if db, ok := decimal.Parse(args[1]); ok && db >= 0 && db < int64(a.store.Databases()) {
			a.db = int(db)
			return nil
		}
	}
	return fmt.Errorf("there are %d databases (see the directive 'databases'), and none that %q names", a.store.Databases(), args[1:])
}
