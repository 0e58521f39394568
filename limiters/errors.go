package limiters

import (
	"errors"

	"cellserver/internal/decimal"
	"cellserver/internal/rediserr"
	"cellserver/store"
)

// Explain converts an error of a pure limiter to an error reply. Other errors, and nil, stay as
// they are.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, is := errors.AsType[rediserr.Error](err); is {
		return err
	}
	return rediserr.Error("ERR " + err.Error())
}

// CheckString returns an error unless the entry is absent or a string.
func CheckString(e *store.Entry) error {
	if e.Kind().IsCollection() {
		return rediserr.WrongType
	}
	return nil
}

// CheckSorted returns an error unless the entry is absent or a sorted set.
func CheckSorted(e *store.Entry) error {
	if k := e.Kind(); k != store.None && k != store.Sorted {
		return rediserr.WrongType
	}
	return nil
}

// Integer returns the integer of a string entry, 0 for an absent entry. The error is that of Redis:
// the entry is not an integer, or not a string.
func Integer(e *store.Entry) (int64, error) {
	if n, ok := e.Number(); ok {
		return n, nil
	}
	return integerOfText(e)
}

// integerOfText is Integer for an entry that does not hold an integer in its own form.
func integerOfText(e *store.Entry) (int64, error) {
	if e.Kind() == store.Raw {
		// APPEND and SETRANGE store a string as bytes, even if it is an integer.
		if n, ok := decimal.Parse(e.Bytes(nil)); ok {
			return n, nil
		}
		return 0, rediserr.NotInteger
	}
	return 0, rediserr.WrongType
}
