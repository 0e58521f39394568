package aof

import (
	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// keyspaceCodec has the effects that every type shares, and those on whole databases. A [Replayer] applies FLUSHDB,
// SWAPDB and PERSIST.
var keyspaceCodec = codec{
	newAppenders: func(e *encoder) map[store.Op]appender {
		return map[store.Op]appender{
			store.OpDel:     {append: func(f *store.Effect) { e.head("*2\r\n$3\r\nDEL\r\n", f.Key) }},
			store.OpExpire:  {append: func(f *store.Effect) { e.expire(f.Key, f.At) }},
			store.OpPersist: {append: func(f *store.Effect) { e.head("*2\r\n$7\r\nPERSIST\r\n", f.Key) }},
			store.OpFlush:   {append: func(*store.Effect) { e.buf = append(e.buf, "*1\r\n$7\r\nFLUSHDB\r\n"...) }},
			store.OpSwapDB: {append: func(f *store.Effect) {
				e.buf = format.AppendInt(append(e.buf, "*3\r\n$6\r\nSWAPDB\r\n"...), int64(f.DB))
				e.buf = format.AppendInt(e.buf, f.Int)
			}},
		}
	},
	commands: map[string]applyFunc{"DEL": applyDel, "PEXPIREAT": applyExpire},
}

func applyDel(a *applier, args [][]byte) bool {
	if len(args) != 2 {
		return false
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.Delete()
	return true
}

func applyExpire(a *applier, args [][]byte) bool {
	if len(args) != 3 {
		return false
	}
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
