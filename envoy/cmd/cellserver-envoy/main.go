package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
)

// checker is the name under which the program only checks files.
const checker = "ratelimit_config_check"

const usage = `cellserver-envoy is a rate limit service for Envoy. Its settings are variables.

  cellserver-envoy                       serves
  cellserver-envoy --dir DIR             serves, and keeps the counters in DIR (without REDIS_URL only)
  cellserver-envoy --check-config DIR    checks the rules in DIR: the status is 1 after an error
  cellserver-envoy -- --directive VALUE  serves, with directives of cellserver (without REDIS_URL only)
                                         instead of --maxmemory 128mb --maxmemory-policy volatile-ttl
`

// garbage is how much a heap may grow before the collector runs, in percent. Requests leave little behind, so
// the collector would run all the time. The engine bounds the heap.
const garbage = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	signal.Ignore(syscall.SIGPIPE) // if nobody reads the log any more, its next line must not end the process
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(call(ctx, os.Args, os.Getenv, os.Stdout, os.Stderr))
}

// call runs the program, and returns its status.
func call(ctx context.Context, args []string, lookup func(string) string, out, errs io.Writer) int {
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage) }
	dir := flags.String("dir", "", "")
	check := flags.String("check-config", "", "")
	theirCheck := flags.String("config_dir", "", "")
	merge := flags.Bool("merge_domain_configs", false, "")
	switch err := flags.Parse(args[1:]); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	}
	if *check == "" {
		*check = *theirCheck
	}
	if *check != "" || filepath.Base(args[0]) == checker {
		merges, _ := strconv.ParseBool(lookup("MERGE_DOMAIN_CONFIG")) // as the service reads it
		return checkConfig(*check, lookup("RATELIMIT_EXTRA_FILE"), *merge || merges, out, errs)
	}
	if err := run(ctx, lookup, embedded{dir: *dir, directives: flags.Args()}, errs); err != nil {
		fmt.Fprintf(errs, "cellserver-envoy: %v\n", err)
		return 1
	}
	return 0
}
