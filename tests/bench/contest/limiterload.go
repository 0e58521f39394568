package contest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// Limiters returns the workloads of the limiters other than CL.THROTTLE. Every call is allowed and writes.
func Limiters() []Workload {
	logs := new(fullLogs)
	return []Workload{
		{Name: "CL.WINDOW", Command: strings.Fields("CL.WINDOW key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{Name: "CL.SLIDING", Command: strings.Fields("CL.SLIDING key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{Name: "CL.CHECK", Command: strings.Fields("CL.CHECK two key:" + random), throttle: true,
			prepare: makeRule, answered: decides(allowed)},
		{Name: "CL.LOG", Script: logs.script, throttle: true, heard: logs.hear, after: logs.check},
	}
}

// makeRule creates the rule for CL.CHECK, with two limits of the cheapest kind.
func makeRule(_ context.Context, s *server.Server) error {
	_, err := s.Do("CL.RULE", "SET", "two", "CL.THROTTLE", "1000000", "30", "60", "AND", "CL.THROTTLE", "1000000", "1000", "3600")
	return err
}

// fullLogs are logs that hold about logEntries at any time, at any speed of the server. Each connection has
// one log.
type fullLogs [logs]struct {
	sent             [logEntries]time.Time // the last actions
	holds            int64                 // entries, by the last reply
	replies, entries int64                 // the number of replies, and the sum of their entries
}

// The limit of a log is far above its size. The digits of remaining depend on how many entries the server
// has removed; their number does not.
const logLimit = 1_000_000

var oneLogged = strings.Replace(load.ThrottleReply(0, logLimit, 999_900, -1, 1), ":999900", ":??????", 1)

// script sends the actions of one connection. The period is the time since the action logEntries before, if
// the log holds that many entries. After a pause of the server the log holds fewer entries. Then the server
// removes none until the log is full again.
func (l *fullLogs) script(connection int) load.Script {
	const whole = 500 * time.Millisecond // the server removes nothing during this time
	key, log := load.Key("log:", connection), &l[connection]
	return func(request, expected []byte, i int) ([]byte, []byte) {
		now, before, period := time.Now(), &log.sent[i%logEntries], whole
		if log.holds >= logEntries {
			period = min(now.Sub(*before), whole)
		}
		*before = now
		seconds := strconv.FormatFloat(period.Seconds(), 'f', 9, 64)
		return load.Command(request, "CL.LOG", key, strconv.Itoa(logLimit), seconds), append(expected, oneLogged...)
	}
}

// hear reads the size of the log from the last reply of a pipeline.
func (l *fullLogs) hear(connection int, replies []byte) {
	at := len(replies) - len(oneLogged) + strings.IndexByte(oneLogged, '?')
	remaining, _ := strconv.ParseInt(string(replies[at:at+len("??????")]), 10, 64) // the reply matches the script, so these are digits
	log := &l[connection]
	log.holds = logLimit - remaining
	log.replies++
	log.entries += log.holds
}

// check returns an error if the logs did not hold about logEntries, and resets the counts. The server itself
// cannot tell later, because a log expires a period after its last entry.
func (l *fullLogs) check() error {
	replies, entries := int64(0), int64(0)
	for i := range l {
		log := &l[i]
		replies, entries = replies+log.replies, entries+log.entries
		log.replies, log.entries = 0, 0
	}
	if mean := float64(entries) / float64(max(replies, 1)); mean < logEntries/2 || mean > logEntries*2 {
		return fmt.Errorf("a log holds %.0f entries, not about %d", mean, logEntries)
	}
	return nil
}
