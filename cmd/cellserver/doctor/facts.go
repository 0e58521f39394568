package doctor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// facts are what the server says about itself.
type facts struct {
	took    time.Duration // of PING
	refused string        // the error reply to PING, such as LOADING; "" for PONG
	fields  map[string]string
	names   []string // of fields, in the order of INFO
	slowest slow
	entries int // of SLOWLOG that were read
}

// slow is an entry of SLOWLOG.
type slow struct {
	took time.Duration
	args []string
}

// ask asks the server for all facts.
func (c *conn) ask() (*facts, error) {
	f := &facts{fields: map[string]string{}}
	begin := time.Now()
	_, err := c.do("PING")
	f.took = time.Since(begin)
	no, refused := errors.AsType[refusal](err)
	if err != nil && !refused {
		return nil, err
	}
	f.refused = string(no)
	info, err := c.do("INFO", "everything")
	if err != nil {
		return nil, err
	}
	text, ok := info.(string)
	if !ok {
		return nil, errReply
	}
	f.readInfo(text)
	log, err := c.do("SLOWLOG", "GET", "128")
	if _, refused := errors.AsType[refusal](err); err != nil && !refused {
		return nil, err
	}
	f.readSlow(log)
	return f, nil
}

func (f *facts) readInfo(text string) {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			f.fields[name] = value
			f.names = append(f.names, name)
		}
	}
}

func (f *facts) readSlow(log any) {
	entries, _ := log.([]any)
	f.entries = len(entries)
	for _, entry := range entries {
		one, _ := entry.([]any)
		if len(one) < 4 {
			continue
		}
		micros, _ := one[2].(int64)
		took := time.Duration(micros) * time.Microsecond
		if took <= f.slowest.took {
			continue
		}
		f.slowest = slow{took: took}
		args, _ := one[3].([]any)
		for _, arg := range args {
			f.slowest.args = append(f.slowest.args, fmt.Sprint(arg))
		}
	}
}

// number returns a field as a number, 0 if it is not a number.
func (f *facts) number(name string) int64 {
	n, _ := strconv.ParseInt(f.fields[name], 10, 64)
	return n
}

// A member is a field such as rule_api:allowed=1,limited=2.
type member struct {
	name   string
	values map[string]string
}

func (m *member) number(name string) int64 {
	n, _ := strconv.ParseInt(m.values[name], 10, 64)
	return n
}

// members returns the fields whose names begin with a prefix.
func (f *facts) members(prefix string) (all []member) {
	for _, name := range f.names {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		m := member{rest, map[string]string{}}
		for text := f.fields[name]; text != ""; {
			var key, value string
			key, text, _ = strings.Cut(text, "=")
			if strings.HasPrefix(text, `"`) { // a key of a client: it is the last value, and may have any character
				value, text = text, ""
			} else {
				value, text, _ = strings.Cut(text, ",")
			}
			m.values[key] = value
		}
		all = append(all, m)
	}
	return all
}

// decisions counts the decisions of all limiters.
func (f *facts) decisions() (allowed, limited int64) {
	for _, l := range f.members("limiter_") {
		allowed += l.number("allowed")
		limited += l.number("limited")
	}
	return allowed, limited
}

// failures returns how often the server has answered with an error code.
func (f *facts) failures(code string) int64 {
	n, _ := strconv.ParseInt(strings.TrimPrefix(f.fields["errorstat_"+code], "count="), 10, 64)
	return n
}
