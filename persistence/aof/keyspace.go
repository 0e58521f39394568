package aof

import (
	"bytes"

	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// keyspaceCodec has the effects that every type shares, and those on whole databases.
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
			store.OpRename: {append: e.rename},
			store.OpMove: {append: func(f *store.Effect) {
				e.head("*3\r\n$4\r\nMOVE\r\n", f.Key)
				e.buf = format.AppendInt(e.buf, f.Int)
			}},
		}
	},
	commands: map[string]applyFunc{
		"DEL": exactly(2, applyDel), "PEXPIREAT": exactly(3, applyExpire), "PERSIST": exactly(2, applyPersist),
		"RENAME": exactly(3, applyRename), "MOVE": exactly(3, applyMove),
		"FLUSHDB": exactly(1, applyFlush), "SWAPDB": exactly(3, applySwap),
	},
}

// rename appends a RENAME. In a transaction of several effects, rename deletes the new name first. An
// earlier effect may store a collection that is empty by the end of the transaction. Then a reader finds no
// key to rename, and the value of the new name must not stay.
func (e *encoder) rename(f *store.Effect) {
	if e.several {
		e.head("*2\r\n$3\r\nDEL\r\n", f.Value)
	}
	e.head("*3\r\n$6\r\nRENAME\r\n", f.Key)
	e.bulk(f.Value)
}

func applyDel(a *applier, args [][]byte) bool {
	return a.change(args[1], func(e store.Entry) { e.Delete() })
}

func applyExpire(a *applier, args [][]byte) bool {
	at, ok := decimal.Parse(args[2])
	return ok && a.change(args[1], func(e store.Entry) { e.SetExpiry(at) })
}

func applyPersist(a *applier, args [][]byte) bool {
	return a.change(args[1], func(e store.Entry) { e.SetExpiry(store.NoExpiry) })
}

// applyRename renames a key. If the key is absent, the base of the log has left it out because it had
// expired. The key that it replaced is gone, too.
func applyRename(a *applier, args [][]byte) bool {
	if bytes.Equal(args[1], args[2]) {
		return false
	}
	var both store.Footprint
	both.AddKey(args[1])
	both.AddKey(args[2])
	a.tx.Begin(a.now, a.db, &both)
	defer a.tx.End()
	e := a.tx.Write(args[1])
	if !e.Exists() {
		e = a.tx.Write(args[2])
		e.Delete()
		return true
	}
	e.Rename(args[2])
	return true
}

func applyMove(a *applier, args [][]byte) bool {
	db, ok := decimal.Parse(args[2])
	if !ok || db < 0 || db >= int64(a.store.Databases()) || db == int64(a.db) {
		return false
	}
	return a.change(args[1], func(e store.Entry) { e.Move(int(db)) })
}

func applyFlush(a *applier, _ [][]byte) bool {
	a.tx.BeginAll(a.now, a.db)
	defer a.tx.End()
	a.tx.Flush()
	return true
}

// applySwap applies a SWAPDB of databases of clients. The server never swaps its own database.
func applySwap(a *applier, args [][]byte) bool {
	one, ok1 := decimal.Parse(args[1])
	other, ok2 := decimal.Parse(args[2])
	if n := int64(a.store.Databases()); a.db == store.Own || !ok1 || !ok2 || one < 0 || one >= n || other < 0 || other >= n {
		return false
	}
	a.tx.BeginAll(a.now, 0)
	defer a.tx.End()
	a.tx.Swap(int(one), int(other))
	return true
}
