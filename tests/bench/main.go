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
	"strings"
	"syscall"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args, os.Stderr)
	if err != nil {
		return err
	}
	if err := server.Pin(ctx, o.LoadCore); err != nil {
		return err
	}
	sections, err := modeNamed(o.Mode).measure(ctx, o)
	if err != nil {
		return err
	}
	for _, found := range sections {
		found.Command = commandLine(args, o)
		found.Machine = report.DescribeMachine()
		fmt.Println(found.Text())
		if !o.Write {
			continue
		}
		if err := found.Write("docs"); err != nil {
			return err
		}
	}
	return nil
}

// parseOptions reads the command line. It writes help to out.
func parseOptions(args []string, out io.Writer) (contest.Options, error) {
	o := contest.Options{RedisCell: os.Getenv("REDIS_CELL"), Core: cmp.Or(os.Getenv("SERVER_CORE"), "0"), LoadCore: cmp.Or(os.Getenv("LOAD_CORE"), "1")}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(out, "tests/bench/run MODE [options]\n\nModes:\n%s\nOptions:\n", modesHelp())
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.Write, "write", false, "keep the results in docs/performance.md")
	flags.IntVar(&o.Repeats, "repeats", 3, "measure each row so often, and give the median")
	flags.Float64Var(&o.Seconds, "seconds", 0, "let each measurement last about so long (default: the mode's own)")
	flags.IntVar(&o.Keys, "keys", 0, "types, memory, scale, expiry, persistence, cluster: so many keys (default: the mode's own)")
	flags.IntVar(&o.Clients, "clients", 10_000, "idle: so many connections")
	flags.IntVar(&o.Kills, "kills", 20, "cluster: kill the leader so often")
	flags.BoolVar(&o.Busy, "busy", false, "measure once, and do not wait for other processes to end; only ratios of processor time mean something then")
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
	return o, complete(&o, m, flags.Args())
}

// complete takes missing options from the mode, and returns an error if an option is wrong.
func complete(o *contest.Options, m *mode, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("what does %q mean?", rest[0])
	}
	if o.Repeats < 1 || o.Keys < 0 || o.Clients < 1 || o.Kills < 1 || o.Seconds < 0 {
		return errors.New("repeats, keys, clients, kills and seconds are positive")
	}
	o.Seconds, o.Keys = cmp.Or(o.Seconds, m.seconds), cmp.Or(o.Keys, m.keys)
	return nil
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
	measure       func(context.Context, contest.Options) ([]report.Section, error)
	seconds       float64 // length of one measurement, without --seconds
	keys          int     // number of keys, without --keys
}

// modes are all modes, in the order of the help.
var modes = []mode{
	{"quick", "a minute: CL.THROTTLE, INCR, SET and GET, pipelines of 1, 16 and 64, 50 connections", throughput, 0.4, 0},
	{"full", "every command, pipelines of 1, 16 and 64, of 1, 50 and 500 connections", throughput, 3, 0},
	{"targets", "every target of this project: what was measured, and whether it is met", targets, 1, 10_000_000},
	{"cores", "unpipelined throughput of 50 connections where servers and clients have all cores", cores, 3, 0},
	{"hotkey", "8 clients on one key, and on a key each, with all cores", hotKey, 3, 0},
	{"limiters", "the other limiters beside CL.THROTTLE and the transaction that keeps a sliding log, 50 connections", besides, 3, 0},
	{"types", "scripts of libraries, hashes, sets and lists beside Redis, with the log on: processor time and memory", types, 0.4, 1_000_000},
	{"memory", "resident bytes a throttle key takes", memory, 0, 1_000_000},
	{"idle", "resident bytes an idle connection takes", idle, 0, 0},
	{"scale", "latency with many keys and with a hundred thousand, and the longest insert on the way there", scale, 3, 10_000_000},
	{"expiry", "latency while many keys expire within a second, and how soon their memory is back", expiry, 0, 1_000_000},
	{"cluster", "what several nodes cost, and how long clients wait when one dies, beside Redis with a replica", clusterMode, 1, 1_000_000},
	{"http", "processor time of a limit over HTTP, beside a handler that answers a constant", webLimits, 3, 0},
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

// modesHelp lists the modes.
func modesHelp() string {
	var b strings.Builder
	for _, m := range modes {
		fmt.Fprintf(&b, "  %-12s %s\n", m.name, m.summary)
	}
	return b.String()
}
