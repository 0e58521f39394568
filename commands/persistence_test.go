package commands

import (
	"errors"
	"testing"
)

// disk is persistence that only counts.
type disk struct {
	saves, rewrites, scheduled, flushed, reloads int
	writing                                      string
	err                                          error
}

func (d *disk) Save() error {
	d.saves++
	return d.err
}

func (d *disk) BackgroundSave() error { return d.Save() }
func (d *disk) ScheduleSave()         { d.scheduled++ }

func (d *disk) BackgroundRewrite() error {
	d.rewrites++
	return d.err
}

func (d *disk) ScheduleRewrite() { d.scheduled++ }

func (d *disk) Writing() string { return d.writing }
func (d *disk) LastSave() int64 { return start / 1e9 }
func (d *disk) Flushed()        { d.flushed++ }

func (d *disk) Reload() error {
	d.reloads++
	return d.err
}

func (d *disk) Info(add func(name string, value any)) {
	add("loading", 0)
}

func TestCondition(t *testing.T) {
	h := newHarness(t)
	h.want("SET k 1", ok)
	h.server.SetCondition(Condition{Loading: true})
	h.want("GET k", errLoading)
	h.want("CL.THROTTLE k 1 1 1", errLoading)
	h.want("PING", errLoading)
	h.want("LASTSAVE", int(start/1e9))
	h.want("MULTI", ok)
	h.want("EXEC", []any{})
	h.server.SetCondition(Condition{SaveFailed: true})
	h.want("GET k", "1")
	h.want("SET k 2", errSaveFailed)
	h.want("PING", errSaveFailed)
	h.want("CL.THROTTLE k 1 1 1", errSaveFailed)
	h.want("CL.PROBE other 1 1 1", []any{0, 2, 1, -1, 1})
	h.server.SetCondition(Condition{})
	h.want("SET k 3", ok)
}

func TestConditionOfTheLog(t *testing.T) {
	h := newHarness(t)
	h.want("SET k 1", ok)
	misconf := errLogFailed("no space left on device").(Error)
	h.server.SetCondition(Condition{LogFailed: "no space left on device"})
	h.want("GET k", "1")
	h.want("PING", typeOf("PONG"))
	h.want("SET k 2", misconf)
	h.want("DEL k", misconf)
	h.want("CL.THROTTLE u 1 1 1", []any{0, 2, 1, -1, 1})
	h.want("MULTI", ok)
	h.want("CL.THROTTLE u 1 1 1", typeOf("QUEUED"))
	h.want("GET k", typeOf("QUEUED"))
	h.want("EXEC", []any{[]any{0, 2, 0, -1, 2}, "1"})
	h.server.SetCondition(Condition{})
	h.want("MULTI", ok)
	h.want("SET k 2", typeOf("QUEUED"))
	h.want("CL.THROTTLE u 1 1 1", typeOf("QUEUED"))
	h.server.SetCondition(Condition{LogFailed: "no space left on device"})
	h.want("EXEC", Error("EXECABORT Transaction discarded because of: "+string(misconf)))

	h.server.SetCondition(Condition{LogFailed: "no space left on device", LogStrict: true})
	h.want("CL.THROTTLE u 1 1 1", misconf)
	h.want("GET k", misconf)
	h.want("PING", typeOf("PONG"))
}

func TestConditionMeetsTransactions(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("SET k 1", typeOf("QUEUED"))
	h.server.SetCondition(Condition{SaveFailed: true})
	h.want("EXEC", Error("EXECABORT Transaction discarded because of: "+string(errSaveFailed)))
	h.server.SetCondition(Condition{})
	h.want("MULTI", ok)
	h.want("GET k", typeOf("QUEUED"))
	h.server.SetCondition(Condition{Loading: true})
	h.want("EXEC", Error("EXECABORT Transaction discarded because of: "+string(errLoading)))
}

func TestNothingIsEvictedWhileLoading(t *testing.T) {
	h := newHarness(t, "--maxmemory", "1", "--maxmemory-policy", "allkeys-random")
	h.sortedSet("z", "a")
	h.server.SetCondition(Condition{Loading: true})
	h.want("TIME", h.do("TIME"))
	h.server.SetCondition(Condition{})
	h.want("DBSIZE", 0)
}

var errDisk = errors.New("no space left on device")
