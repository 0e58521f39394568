package config

import (
	"errors"
	"fmt"
	"strconv"

	"cellserver/internal/config/value"
)

// The largest numbers of auth-fail-limit: a million attempts, and a year.
const (
	mostFailures = 1_000_000
	mostSeconds  = 366 * 24 * 3600
)

// failLimit is the kind of the directive auth-fail-limit.
var failLimit = value.Kind[FailLimit]{
	Values: "count and seconds, or 0 0", Many: true,
	Parse: func(args []string) (FailLimit, error) {
		if len(args) != 2 {
			return FailLimit{}, errors.New("argument must be a count and a number of seconds, such as " +
				"10 60, or 0 0 for no limit")
		}
		count, err1 := strconv.ParseInt(args[0], 10, 64)
		seconds, err2 := strconv.ParseInt(args[1], 10, 64)
		switch {
		case err1 != nil || err2 != nil || count < 0 || seconds < 0 || count > 0 && seconds == 0:
			return FailLimit{}, errors.New("count and seconds must be positive integers, or 0 0 for no limit")
		case count > mostFailures || seconds > mostSeconds:
			return FailLimit{}, fmt.Errorf("count must be at most %d, and seconds at most %d",
				mostFailures, mostSeconds)
		}
		return FailLimit{count, seconds}, nil
	},
	Format: func(l FailLimit) string { return fmt.Sprintf("%d %d", l.Count, l.Seconds) },
}
