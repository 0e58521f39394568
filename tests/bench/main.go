package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == contest.BareHandler { // started by a side: name --port number
		fmt.Fprintln(os.Stderr, contest.ServeBare(os.Args[3]))
		os.Exit(1)
	}
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := contest.NewProgram(ctx)
	contest.Pin(p, o.LoadCore)
	for _, found := range modeNamed(o.Mode).measure(p, o) {
		found.command, found.machine = commandLine(os.Args[1:], o), describeMachine()
		fmt.Println(found.text())
		if o.Write {
			require.NoError(p, found.write("docs"))
		}
	}
	p.End()
}

// parseOptions reads the command line. It writes help to out.
func parseOptions(args []string, out io.Writer) (contest.Options, error) {
	o := contest.Options{
		RedisCell: os.Getenv("REDIS_CELL"),
		Core:      cmp.Or(os.Getenv("SERVER_CORE"), "0"), LoadCore: cmp.Or(os.Getenv("LOAD_CORE"), "1"),
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, "tests/bench/run MODE [options]\n\nModes:\n")
		for _, m := range modes {
			fmt.Fprintf(out, "  %-12s %s\n", m.name, m.summary)
		}
		fmt.Fprint(out, "\nOptions:\n")
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.Write, "write", false, "keep the results in docs/performance.md")
	flags.IntVar(&o.Repeats, "repeats", 3, "measure each row so often, and give the median")
	const seconds = "let each measurement last about so long (default: the mode's own)"
	flags.Float64Var(&o.Seconds, "seconds", 0, seconds)
	flags.IntVar(&o.Keys, "keys", 1_000_000, "memory: so many keys")
	flags.IntVar(&o.Kills, "kills", 20, "cluster: kill the leader so often")
	flags.BoolVar(&o.Busy, "busy", false, "measure once, whatever else runs: compare only ratios of CPU")
	flags.StringVar(&o.Only, "only", "", "the rows whose name contains this, and what they are compared with")
	flags.StringVar(&o.Cellserver, "cellserver", "tests/.cache/bench/cellserver", "the program to measure")
	if len(args) > 0 {
		o.Mode, args = args[0], args[1:]
	}
	m := modeNamed(o.Mode)
	if m == nil {
		flags.Usage()
		if strings.TrimLeft(o.Mode, "-") == "help" {
			return o, flag.ErrHelp
		}
		return o, fmt.Errorf("%q is none of the modes", o.Mode)
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.Seconds = cmp.Or(o.Seconds, m.seconds)
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("what does %q mean?", flags.Arg(0))
	case o.Only != "" && o.Write:
		return o, errors.New("--write would replace a whole table by the rows of --only: leave one out")
	case o.Repeats < 1 || o.Keys < 1 || o.Kills < 1 || o.Seconds < 0:
		return o, errors.New("repeats, keys, kills and seconds are positive")
	}
	return o, nil
}

// commandLine returns the command to repeat the measurement.
func commandLine(args []string, o contest.Options) string {
	line := "tests/bench/run"
	if o.RedisCell != "" {
		line = "REDIS_CELL=" + filepath.Base(o.RedisCell) + " " + line
	}
	for _, arg := range args {
		line += " " + arg
	}
	return line
}

// mode is one kind of measurement.
type mode struct {
	name, summary string
	measure       func(testing.TB, contest.Options) []section
	seconds       float64 // length of one measurement, without --seconds
}

// modes are all modes, in the order of the help.
var modes = []mode{
	{"quick", "a minute: CL.THROTTLE, INCR, SET and GET, pipelines of 1, 16 and 64", throughput, 0.4},
	{"full", "every command, pipelines of 1, 16 and 64, of 1, 50 and 500 connections", throughput, 3},
	{"limiters", "the other limiters beside CL.THROTTLE, and the transaction of a sliding log", throughput, 3},
	{"memory", "resident bytes a throttle key takes, and a sorted set", memory, 0},
	{"cluster", "what several nodes cost beside Redis with a replica; a new leader", cluster, 1},
	{"adaptive", "a simulated service that changes, before each limiter of calls", compareAdaptive, 0},
	{"sidecar", "one hot key: clients of a hub, of sidecars, and with leases", measureSidecars, 1},
	{"targets", "the bounds that guard the lead: what was measured, and which are met", measureTargets, 1},
}

func modeNamed(name string) *mode {
	if i := slices.IndexFunc(modes, func(m mode) bool { return m.name == name }); i >= 0 {
		return &modes[i]
	}
	return nil
}
