package commands

import "testing"

func TestBGRewriteAOF(t *testing.T) {
	h := newHarness(t)
	h.want("BGREWRITEAOF", typeOf("Background append only file rewriting started"))
	h.want("MULTI", ok)
	h.want("BGREWRITEAOF", typeOf("QUEUED"))
	h.want("EXEC", []any{typeOf("Background append only file rewriting scheduled")})
	h.disk.writing = "rdb"
	h.want("BGREWRITEAOF", typeOf("Background append only file rewriting scheduled"))
	h.disk.writing = "aof"
	h.want("BGREWRITEAOF", errRewriting)
	h.disk.writing, h.disk.err = "", errDisk
	h.want("BGREWRITEAOF", Error("ERR Can't execute an AOF background rewriting. Please check the server logs for more information."))
	h.want("BGREWRITEAOF now", wrongArity("bgrewriteaof").(Error))
	if h.disk.rewrites != 2 || h.disk.scheduled != 2 {
		t.Fatalf("%d begun and %d scheduled", h.disk.rewrites, h.disk.scheduled)
	}
}
