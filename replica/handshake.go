package replica

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// greet says what a replica says first.
func (s *session) greet() error {
	if s.o.Auth != nil {
		if user, password := s.o.Auth(); password != "" {
			words := []string{"AUTH", user, password}
			if user == "" {
				words = []string{"AUTH", password}
			}
			if _, err := s.ask(words...); err != nil {
				return fmt.Errorf("the master refuses masteruser and masterauth: %w", err)
			}
		}
	}
	for _, words := range [][]string{
		{"PING"},
		{"REPLCONF", "listening-port", strconv.Itoa(s.o.ListeningPort)},
		{"REPLCONF", "capa", "eof", "capa", "psync2"},
	} {
		if _, err := s.ask(words...); err != nil {
			return fmt.Errorf("the master refuses %s: %w%s", words[0], err, advice(err))
		}
	}
	s.compareClocks()
	s.countKeys()
	return nil
}

// clocksMayDiffer is by how many seconds the time of the master may differ without a warning.
const clocksMayDiffer = 2

// compareClocks asks what time the master has, and warns if this server has another one. The master removes its
// keys by its own clock. After the move the clock of this server decides, about keys with times of the master. A
// user for replicas may lack the right to ask.
func (s *session) compareClocks() {
	before := s.o.Clock.Now() / 1e9
	b, err := s.ask("TIME")
	if err != nil || string(b) != "*2" {
		return
	}
	var lines [4]string
	for i := range lines {
		line, err := s.r.line()
		if err != nil {
			return // the next read fails, too
		}
		lines[i] = string(line)
	}
	now := s.o.Clock.Now() / 1e9
	second, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || before-clocksMayDiffer <= second && second <= now+clocksMayDiffer || s.l.differs {
		return
	}
	s.l.differs = true
	s.o.Log.Warn("the master has another time than this server: after REPLICAOF NO ONE limits and expiries end "+
		"too early or too late by the difference; set both clocks by NTP, and see clock-step-limit",
		"master", second, "here", now)
}

// rightsAdvice says what to do about a user without rights.
func rightsAdvice(err error) string {
	if text := err.Error(); strings.Contains(text, "NOAUTH") || strings.Contains(text, "NOPERM") {
		return ": set masterauth, and masteruser if the master has users"
	}
	return ""
}

// advice says what to do about a connection that does not begin: the first row whose words the error has.
func advice(err error) string {
	for _, row := range [][2]string{
		{"remote error: tls", "set tls-cert-file and tls-key-file to a certificate that the master trusts"},
		{"x509: ", "set tls-ca-cert-file to the authority of the master's certificate"},
		{"context deadline exceeded", "set tls-replication no if this port of the master has no TLS"},
		{"TLS handshake", "set tls-replication no if this port of the master has no TLS"},
		{"EOF", "set tls-replication yes if this port of the master has TLS"},
		{"reset by peer", "set tls-replication yes if this port of the master has TLS"},
	} {
		if strings.Contains(err.Error(), row[0]) {
			return ": " + row[1]
		}
	}
	return rightsAdvice(err)
}

// ask sends a command, and returns its reply of one line.
func (s *session) ask(words ...string) ([]byte, error) {
	if err := s.send(words...); err != nil {
		return nil, err
	}
	b, err := s.r.reply()
	if err == nil && b[0] == '-' {
		return nil, fmt.Errorf("it replies %.200q", b[1:])
	}
	return b, err
}

// countKeys asks how many keys the master has, so that the progress of a copy has an end. A user for replicas
// may lack the right to ask.
func (s *session) countKeys() {
	b, err := s.ask("INFO", "keyspace")
	if err != nil || b[0] != '$' {
		return
	}
	size, err := strconv.Atoi(string(b[1:]))
	if err != nil || size < 0 || size > maxLine {
		return
	}
	var keys int64
	for size >= 0 {
		line, err := s.r.line()
		if err != nil {
			return // the next read fails, too
		}
		size -= len(line) + 2
		_, after, _ := strings.Cut(string(line), ":keys=")
		digits, _, _ := strings.Cut(after, ",")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
			keys += n
		}
	}
	s.l.note(func(st *State) { st.Copy.Of = keys })
}

// psync asks the master to continue at the position. It reports whether the master sends a full copy instead.
func (s *session) psync() (full bool, err error) {
	at, id, next := s.l.State().Position, "?", int64(-1)
	if at.ID != "" {
		id, next = at.ID, at.Offset+1
	}
	b, err := s.ask("PSYNC", id, strconv.FormatInt(next, 10))
	if err != nil {
		return false, fmt.Errorf("the master refuses PSYNC: %w%s", err, rightsAdvice(err))
	}
	words := bytes.Fields(b)
	switch {
	case len(words) == 3 && string(words[0]) == "+FULLRESYNC" && len(words[1]) == markSize:
		offset, err := strconv.ParseInt(string(words[2]), 10, 64)
		if err != nil || offset < 0 {
			break
		}
		s.begin = Position{ID: string(words[1]), Offset: offset}
		return true, nil
	case len(words) >= 1 && string(words[0]) == "+CONTINUE" && at.ID != "":
		if len(words) == 2 && len(words[1]) == markSize {
			at.ID = string(words[1])
		}
		s.begin = at
		return false, nil
	}
	return false, fmt.Errorf("%.100q is no reply to PSYNC, which is +FULLRESYNC or +CONTINUE", b)
}
