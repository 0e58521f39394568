package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestBGRewriteAOF(t *testing.T) {
	h := servertest.New(t)
	h.Want("BGREWRITEAOF", servertest.TypeOf("Background append only file rewriting started"))
	h.Want("MULTI", ok)
	h.Want("BGREWRITEAOF", servertest.TypeOf("QUEUED"))
	h.Want("EXEC", []any{servertest.TypeOf("Background append only file rewriting scheduled")})
	h.Disk.Busy = "rdb"
	h.Want("BGREWRITEAOF", servertest.TypeOf("Background append only file rewriting scheduled"))
	h.Disk.Busy = "aof"
	h.Want("BGREWRITEAOF", errRewriting)
	h.Disk.Busy, h.Disk.Err = "", servertest.ErrDisk
	h.Want("BGREWRITEAOF", commands.Error("ERR Can't execute an AOF background rewriting. Please check the server logs for more information."))
	h.Want("BGREWRITEAOF now", commands.WrongArity("bgrewriteaof").(commands.Error))
	if h.Disk.Rewrites != 2 || h.Disk.Scheduled != 2 {
		t.Fatalf("%d begun and %d scheduled", h.Disk.Rewrites, h.Disk.Scheduled)
	}
}
