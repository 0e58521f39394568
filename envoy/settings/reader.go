package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A reader reads variables, and keeps the errors.
type reader struct {
	lookup func(string) string
	errs   []error
}

// value returns a variable, and whether it has a value.
func (r *reader) value(name string) (string, bool) {
	v := r.lookup(name)
	return v, v != ""
}

// wrong keeps the error about a value.
func (r *reader) wrong(name, value, want string) {
	r.errs = append(r.errs, fmt.Errorf("%s=%s: the value must be %s", name, value, want))
}

func (r *reader) text(name, fallback string) string {
	if v, ok := r.value(name); ok {
		return v
	}
	return fallback
}

func (r *reader) flag(name string, fallback bool) bool {
	v, ok := r.value(name)
	if !ok {
		return fallback
	}
	on, err := strconv.ParseBool(v)
	if err != nil {
		r.wrong(name, v, "true or false")
	}
	return on
}

// number reads an integer from low to high.
func (r *reader) number(name string, fallback, low, high int) int {
	v, ok := r.value(name)
	if !ok {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		r.wrong(name, v, fmt.Sprintf("an integer from %d to %d", low, high))
	}
	return n
}

func (r *reader) port(name string, fallback int) int { return r.number(name, fallback, 0, 65535) }

// ratio reads a number from 0 to 1.
func (r *reader) ratio(name string, fallback float64) float64 {
	v, ok := r.value(name)
	if !ok {
		return fallback
	}
	f, err := strconv.ParseFloat(v, 32)
	if err != nil || !(f >= 0 && f <= 1) {
		r.wrong(name, v, "a number from 0 to 1")
	}
	return f
}

func (r *reader) duration(name string, fallback time.Duration) time.Duration {
	v, ok := r.value(name)
	if !ok {
		return fallback
	}
	d, err := time.ParseDuration(v)
	if v != "0" && err != nil || d < 0 {
		r.wrong(name, v, "a duration such as 250ms, 10s or 1h")
	}
	return d
}

// pairs reads a list such as "a:1,b:2" or "a=1,b=2". Its error does not show the value, which may be a token.
func (r *reader) pairs(name string) map[string]string {
	v, ok := r.value(name)
	if !ok {
		return nil
	}
	all := map[string]string{}
	for _, pair := range strings.Split(v, ",") {
		at := strings.IndexAny(pair, ":=")
		if at < 1 {
			r.wrong(name, "…", "a list such as key:value,key:value")
			return nil
		}
		all[strings.TrimSpace(pair[:at])] = strings.TrimSpace(pair[at+1:])
	}
	return all
}

// choice reads one of some words, in any case.
func (r *reader) choice(name, fallback string, words ...string) string {
	v, ok := r.value(name)
	if !ok {
		return fallback
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, v) }); i >= 0 {
		return words[i]
	}
	r.wrong(name, v, strings.Join(words, " or "))
	return fallback
}

func (r *reader) err() error { return errors.Join(r.errs...) }
