// Command bench measures cellserver beside redis-server, one at a time on one core, with the load on another.
// tests/bench/run builds both, pins this program, and says how it is used.
package main

import (
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
	keys       int     // of memory and expiry
	clients    int     // of idle
	only       string  // part of the names of the workloads to measure
	cellserver string  // the program
	redisCell  string  // the module, or nothing
	core       string  // of the servers
}

// modes are what can be measured; each returns its section of the report.
var modes = map[string]func(context.Context, options) (section, error){
	"quick": throughput, "full": throughput, "memory": memory, "idle": idle, "expiry": expiry,
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
	found, err := modes[o.mode](ctx, o)
	if err != nil {
		return err
	}
	found.command = commandLine(args, o)
	found.machine = describeMachine()
	fmt.Println(found.text())
	if o.write {
		return found.write("docs")
	}
	return nil
}

// parseOptions reads the command line; out is for help.
func parseOptions(args []string, out io.Writer) (options, error) {
	o := options{redisCell: os.Getenv("REDIS_CELL"), core: "0"}
	if core := os.Getenv("SERVER_CORE"); core != "" {
		o.core = core
	}
	flags := flag.NewFlagSet("tests/bench/run quick|full|memory|idle|expiry", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.BoolVar(&o.write, "write", false, "keep the results in docs/performance.md")
	flags.IntVar(&o.repeats, "repeats", 3, "measure each row so often, and give the median")
	flags.Float64Var(&o.seconds, "seconds", 0, "let each measurement last about so long (quick: 0.4, else 3)")
	flags.IntVar(&o.keys, "keys", 1_000_000, "memory, expiry: so many keys")
	flags.IntVar(&o.clients, "clients", 10_000, "idle: so many connections")
	flags.StringVar(&o.only, "only", "", "quick, full: the rows whose name contains this, and INCR")
	flags.StringVar(&o.cellserver, "cellserver", "tests/.cache/bench/cellserver", "the program to measure")
	if len(args) > 0 {
		o.mode, args = args[0], args[1:]
	}
	if modes[o.mode] == nil {
		flags.Usage()
		if strings.TrimLeft(o.mode, "-") == "help" {
			return o, flag.ErrHelp
		}
		return o, fmt.Errorf("%q is none of quick, full, memory, idle and expiry", o.mode)
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("what does %q mean?", flags.Arg(0))
	}
	if o.repeats < 1 || o.keys < 1 || o.clients < 1 || o.seconds < 0 {
		return o, errors.New("repeats, keys and clients are positive")
	}
	if o.seconds == 0 {
		o.seconds = map[bool]float64{true: 0.4, false: 3}[o.mode == "quick"]
	}
	return o, nil
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
