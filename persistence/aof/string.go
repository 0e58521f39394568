package aof

import (
	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// stringCodec keeps strings and integers, so also throttle keys.
var stringCodec = codec{
	newAppenders: func(e *encoder) map[store.Op]appender {
		return map[store.Op]appender{
			store.OpSet:      {append: func(f *store.Effect) { e.buf = appendSet(e.buf, f) }},
			store.OpSetRange: {append: func(f *store.Effect) { e.buf = appendSetRange(e.buf, f) }},
		}
	},
	commands: map[string]applyFunc{
		"SET": applySet, "SETRANGE": exactly(4, applySetRange), "APPEND": exactly(3, applyAppend),
	},
}

func appendSet(b []byte, f *store.Effect) []byte {
	if f.At == store.NoExpiry {
		b = format.AppendBulk(append(b, "*3\r\n$3\r\nSET\r\n"...), f.Key)
		return appendValue(b, f)
	}
	b = format.AppendBulk(append(b, "*5\r\n$3\r\nSET\r\n"...), f.Key)
	if f.Value == nil && f.Int >= 1e18 && f.Int/1e8 == f.At/100 {
		return appendTAT(b, uint64(f.Int), uint64(f.At))
	}
	return appendExpiry(appendValue(b, f), f.At)
}

// appendExpiry appends PXAT and an expiry. Nearly every expiry has 13 digits: those of the years 2001 to
// 2286. They have a fast path (go test -bench Encode ./persistence/aof).
func appendExpiry(b []byte, at int64) []byte {
	if at < 1e12 || at >= 1e13 {
		return format.AppendInt(append(b, "$4\r\nPXAT\r\n"...), at)
	}
	const text = "$4\r\nPXAT\r\n$13\r\n_____________\r\n"
	b = append(b, text...)
	t := (*[len(text)]byte)(b[len(b)-len(text):])
	decimal.Put8(t[15:], uint64(at)/1e5)
	decimal.Put8(t[20:], uint64(at)%1e8) // the same digits where both write
	return b
}

func appendValue(b []byte, f *store.Effect) []byte {
	if f.Value != nil {
		return format.AppendBulk(b, f.Value)
	}
	return format.AppendInt(b, f.Int)
}

// appendTAT appends a TAT of 19 digits and its expiry. The expiry has the first eleven digits of the TAT and
// two digits of its own. It is a fast path: nearly every effect of a limiter has this form. appendTAT
// converts the common digits once (go test -bench Encode ./persistence/aof). It must append the same bytes
// as appendSet without it.
func appendTAT(b []byte, tat, expiry uint64) []byte {
	const text = "$19\r\n___________________\r\n$4\r\nPXAT\r\n$13\r\n_____________\r\n"
	b = append(b, text...)
	t := (*[len(text)]byte)(b[len(b)-len(text):])
	common, last := tat/1e8, expiry%100
	first, next := common/1e8, common%1e8
	d0, d1, d2 := '0'+byte(first/100), '0'+byte(first/10%10), '0'+byte(first%10)
	t[5], t[6], t[7] = d0, d1, d2
	decimal.Put8(t[8:], next)
	decimal.Put8(t[16:], tat%1e8)
	t[41], t[42], t[43] = d0, d1, d2
	decimal.Put8(t[44:], next)
	t[52], t[53] = '0'+byte(last/10), '0'+byte(last%10)
	return b
}

// appendSetRange appends an empty value as an APPEND, which makes an absent key an empty string. SETRANGE
// with an empty value makes no key.
func appendSetRange(b []byte, f *store.Effect) []byte {
	if len(f.Value) == 0 {
		b = format.AppendBulk(append(b, "*3\r\n$6\r\nAPPEND\r\n"...), f.Key)
	} else {
		b = format.AppendBulk(append(b, "*4\r\n$8\r\nSETRANGE\r\n"...), f.Key)
		b = format.AppendInt(b, f.Int)
	}
	return format.AppendBulk(b, f.Value)
}

func applySet(a *applier, args [][]byte) bool {
	at := store.NoExpiry
	switch n := len(args); {
	case n == 5 && string(args[3]) == "PXAT":
		var ok bool
		if at, ok = decimal.Parse(args[4]); !ok {
			return false
		}
	case n != 3:
		return false
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.SetBytes(args[2], at)
	return true
}

// applySetRange applies a SETRANGE of any length: proto-max-bulk-len may have been larger when a client sent it.
// Redis does so, too. The store refuses what the memory cannot hold.
func applySetRange(a *applier, args [][]byte) bool {
	offset, ok := decimal.Parse(args[2])
	return ok && offset >= 0 && len(args[3]) > 0 && a.setRange(args[1], int(offset), args[3])
}

// applyAppend makes an absent key an empty string. An effect has no other APPEND.
func applyAppend(a *applier, args [][]byte) bool {
	return len(args[2]) == 0 && a.setRange(args[1], 0, nil)
}

// setRange writes a part of a string. It reports false if the key holds something else.
func (a *applier) setRange(key []byte, offset int, b []byte) bool {
	a.begin(key)
	defer a.tx.End()
	e := a.tx.Write(key)
	if e.Exists() && e.Kind() != store.Int && e.Kind() != store.Raw {
		return false
	}
	e.SetRange(offset, b)
	return true
}
