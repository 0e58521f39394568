package main

import (
	"context"
	"fmt"
	"strings"
)

// mode is something that can be measured.
type mode struct {
	name, summary string
	measure       func(context.Context, options) ([]section, error)
	seconds       float64 // that one measurement lasts, unless --seconds says otherwise
	keys          int     // unless --keys says otherwise
}

// modes are what can be measured, in the order of the help.
var modes = []mode{
	{"quick", "a minute: CL.THROTTLE, INCR, SET and GET, pipelines of 1, 16 and 64, 50 connections", throughput, 0.4, 0},
	{"full", "every command, pipelines of 1, 16 and 64, of 1, 50 and 500 connections", throughput, 3, 0},
	{"targets", "every target of this project: what was measured, and whether it is met", targets, 1, 10_000_000},
	{"cores", "unpipelined throughput of 50 connections where servers and clients have all cores", cores, 3, 0},
	{"hotkey", "8 clients on one key, and on a key each, with all cores", hotKey, 3, 0},
	{"limiters", "the other limiters beside CL.THROTTLE and the transaction that keeps a sliding log, 50 connections", besides, 3, 0},
	{"memory", "resident bytes a throttle key takes", memory, 0, 1_000_000},
	{"idle", "resident bytes an idle connection takes", idle, 0, 0},
	{"scale", "latency with many keys and with a hundred thousand, and the longest insert on the way there", scale, 3, 10_000_000},
	{"expiry", "latency while many keys expire within a second, and how soon their memory is back", expiry, 0, 1_000_000},
	{"persistence", "what it costs to log every change, to snapshot and to rewrite, and how soon keys are loaded", persistence, 2, 1_000_000},
}

func modeNamed(name string) *mode {
	for i := range modes {
		if modes[i].name == name {
			return &modes[i]
		}
	}
	return nil
}

// modesHelp lists them.
func modesHelp() string {
	var b strings.Builder
	for _, m := range modes {
		fmt.Fprintf(&b, "  %-12s %s\n", m.name, m.summary)
	}
	return b.String()
}
