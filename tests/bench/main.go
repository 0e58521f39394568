// Command bench measures cellserver beside redis-server, one at a time on one core, with the load on another.
// tests/bench/run builds both and says how it is used.
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
	"time"
)

// options are what the command line says.
type options struct {
	mode       string
	write      bool
	repeats    int
	seconds    float64 // that one measurement is to last
	keys       int     // of memory, scale, expiry, persistence
	clients    int     // of idle
	only       string  // part of the names of what is to be measured
	cellserver string  // the program
	redisCell  string  // the module, or nothing
	core       string  // of the servers
	loadCore   string  // of the clients
}

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
	if err := place(ctx, o.loadCore); err != nil {
		return err
	}
	sections, err := modeNamed(o.mode).measure(ctx, o)
	if err != nil {
		return err
	}
	for _, found := range sections {
		found.command = commandLine(args, o)
		found.machine = describeMachine()
		fmt.Println(found.text())
		if !o.write {
			continue
		}
		if err := found.write("docs"); err != nil {
			return err
		}
	}
	return nil
}

// parseOptions reads the command line; out is for help.
func parseOptions(args []string, out io.Writer) (options, error) {
	o := options{redisCell: os.Getenv("REDIS_CELL"), core: cmp.Or(os.Getenv("SERVER_CORE"), "0"), loadCore: cmp.Or(os.Getenv("LOAD_CORE"), "1")}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(out, "tests/bench/run MODE [options]\n\nModes:\n%s\nOptions:\n", modesHelp())
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.write, "write", false, "keep the results in docs/performance.md")
	flags.IntVar(&o.repeats, "repeats", 3, "measure each row so often, and give the median")
	flags.Float64Var(&o.seconds, "seconds", 0, "let each measurement last about so long (default: the mode's own)")
	flags.IntVar(&o.keys, "keys", 0, "memory, scale, expiry, persistence: so many keys (default: the mode's own)")
	flags.IntVar(&o.clients, "clients", 10_000, "idle: so many connections")
	flags.StringVar(&o.only, "only", "", "the rows whose name contains this, and what they are compared with")
	flags.StringVar(&o.cellserver, "cellserver", "tests/.cache/bench/cellserver", "the program to measure")
	if len(args) > 0 {
		o.mode, args = args[0], args[1:]
	}
	m := modeNamed(o.mode)
	if m == nil {
		flags.Usage()
		if strings.TrimLeft(o.mode, "-") == "help" {
			return o, flag.ErrHelp
		}
		return o, fmt.Errorf("%q is none of the modes", o.mode)
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	return o, o.check(m, flags.Args())
}

// check completes options by the mode's own, and says what is wrong with them.
func (o *options) check(m *mode, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("what does %q mean?", rest[0])
	}
	if o.repeats < 1 || o.keys < 0 || o.clients < 1 || o.seconds < 0 {
		return errors.New("repeats, keys, clients and seconds are positive")
	}
	o.seconds, o.keys = cmp.Or(o.seconds, m.seconds), cmp.Or(o.keys, m.keys)
	return nil
}

// commandLine is what to type to measure again.
func commandLine(args []string, o options) string {
	line := "tests/bench/run"
	if o.redisCell != "" {
		line = "REDIS_CELL=" + filepath.Base(o.redisCell) + " " + line
	}
	for _, arg := range args {
		line += " " + arg
	}
	return line
}

// say tells whoever waits what is being done.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}
