package resp

import (
	"bytes"
	"slices"

	"cellserver/internal/decimal"
	"cellserver/internal/quote"
)

// parser finds a command that may arrive in many pieces. It remembers its position, so it reads each byte
// once. All positions are relative to the first byte of the command.
type parser struct {
	limits Limits
	begun  bool   // limits are set for the current command
	found  bool   // the current command is complete
	pos    int    // everything before it is parsed
	seen   int    // everything before it was searched for the end of the line at pos
	left   int    // arguments that are not parsed yet
	bulk   int    // length of the argument at pos, -1 before its header is parsed
	spans  []span // arguments parsed
}

// span is the place of an argument, relative to the first byte of its command.
type span struct{ start, end int }

// Sizes of an argument's bookkeeping, in bytes.
const (
	spanSize = 16
	argSize  = 24 // of a slice
)

// outcome is the result of parse.
type outcome int

const (
	incomplete outcome = iota // the command needs more bytes
	complete                  // spans hold a command of pos bytes
	empty                     // the pos bytes hold no command: an empty line, or *0
)

// reset prepares the parser for the next command.
func (p *parser) reset() {
	p.begun, p.found, p.pos, p.seen, p.left, p.bulk = false, false, 0, 0, 0, -1
	p.spans = p.spans[:0]
}

// arguments appends the arguments of the complete command in b.
func (p *parser) arguments(b []byte, into [][]byte) [][]byte {
	into = slices.Grow(into, len(p.spans)) // at once: append grows by a quarter, and copies each time
	for _, s := range p.spans {
		into = append(into, b[s.start:s.end:s.end])
	}
	return into
}

// parse continues the command that starts at b[0]. b is not empty, and starts with the bytes of earlier
// calls. parse decodes inline arguments in place. Once a command is complete, parse returns complete until
// reset.
func (p *parser) parse(b []byte) (outcome, error) {
	if p.found {
		return complete, nil
	}
	got, err := p.advance(b)
	p.found = got == complete
	return got, err
}

func (p *parser) advance(b []byte) (outcome, error) {
	if b[0] != '*' {
		return p.inline(b)
	}
	if p.left == 0 {
		n, ok, err := p.count(b)
		if !ok {
			return incomplete, err
		}
		if n <= 0 {
			return empty, nil
		}
		p.left = int(n)
	}
	for p.left > 0 {
		if p.bulk < 0 {
			if ok, err := p.bulkHeader(b); !ok {
				return incomplete, err
			}
		}
		if len(b)-p.pos < p.bulk+2 {
			return incomplete, nil
		}
		if len(p.spans) == cap(p.spans) {
			p.spans = slices.Grow(p.spans, min(p.left, max(len(p.spans), 8)))
		}
		p.spans = append(p.spans, span{p.pos, p.pos + p.bulk})
		p.pos += p.bulk + 2
		p.seen = p.pos
		p.bulk = -1
		p.left--
	}
	return complete, nil
}

// bookkeeping returns the memory, in bytes, that the parsed arguments take besides their bytes.
func (p *parser) bookkeeping() int { return len(p.spans) * (spanSize + argSize) }

// need returns the least size of the command, in bytes, by the headers parsed so far.
func (p *parser) need() int {
	if p.bulk < 0 {
		return 0
	}
	return p.pos + p.bulk + 2
}

// count parses the line "*n".
func (p *parser) count(b []byte) (int64, bool, error) {
	n, ok := p.shortHeader(b, '*')
	if !ok {
		line, found, err := p.header(b, errArgsLineTooBig)
		if !found {
			return 0, false, err
		}
		n, ok = decimal.Parse(line[1:])
	}
	switch {
	case !ok || n > int64(p.limits.MaxArgs):
		return 0, false, errArgs
	case n > unauthenticatedArgs && p.limits.Unauthenticated:
		return 0, false, errArgsUnauth
	}
	return n, true, nil
}

// bulkHeader parses the line "$n".
func (p *parser) bulkHeader(b []byte) (bool, error) {
	start := p.pos
	n, ok := p.shortHeader(b, '$')
	if !ok {
		line, found, err := p.header(b, errBulkLineTooBig)
		if !found {
			return false, err
		}
		if b[start] != '$' {
			return false, errNoBulk(b[start])
		}
		n, ok = decimal.Parse(line[1:])
	}
	switch {
	case !ok || n < 0 || n > p.limits.MaxBulk:
		return false, errBulk
	case n > unauthenticatedBulk && p.limits.Unauthenticated:
		return false, errBulkUnauth
	}
	p.bulk = int(n)
	return true, nil
}

// shortHeader parses the line at pos in the usual form: the sign, one to four digits that do not start with
// 0, and CR. It reports false for every other line, also for one that is not complete.
func (p *parser) shortHeader(b []byte, sign byte) (int64, bool) {
	line := b[p.pos:min(len(b), p.pos+7)]
	if len(line) < 4 || line[0] != sign || line[1] == '0' {
		return 0, false
	}
	n := int64(0)
	for i, c := range line[1 : len(line)-1] {
		if digit := c - '0'; digit <= 9 {
			n = n*10 + int64(digit)
			continue
		}
		if c != '\r' || i == 0 {
			break
		}
		p.pos += i + 3
		p.seen = p.pos
		return n, true
	}
	return 0, false
}

// header returns the line at pos up to its CR, and skips the byte behind the CR.
func (p *parser) header(b []byte, tooBig ProtocolError) ([]byte, bool, error) {
	end, err := p.lineEnd(b, '\r', tooBig)
	if err != nil || end < 0 || end+2 > len(b) {
		return nil, false, err
	}
	line := b[p.pos:end]
	p.pos = end + 2
	p.seen = p.pos
	return line, true, nil
}

// inline parses a line of words.
func (p *parser) inline(b []byte) (outcome, error) {
	end, err := p.lineEnd(b, '\n', errInlineTooBig)
	if err != nil || end < 0 {
		return incomplete, err
	}
	p.pos = end + 1
	if end > 0 && b[end-1] == '\r' {
		end--
	}
	var ok bool
	if p.spans, ok = splitInline(b[:end], p.spans); !ok {
		return incomplete, errUnbalancedQuotes
	}
	if len(p.spans) == 0 {
		return empty, nil
	}
	return complete, nil
}

// splitInline splits a line into arguments, as a line of redis.conf, and appends their spans. It writes the
// arguments into the line, one behind the other: together they are not longer. It reports false if the quotes
// are not balanced.
func splitInline(line []byte, spans []span) ([]span, bool) {
	args, err := quote.Split(string(line))
	at := 0
	for _, arg := range args {
		end := at + copy(line[at:], arg)
		spans = append(spans, span{at, end})
		at = end
	}
	return spans, err == nil
}

// lineEnd returns the position of the byte that ends the line at pos, or -1 if it has not arrived. As in
// Redis, a NUL byte hides the rest of its line: such a line never ends, and becomes too big.
func (p *parser) lineEnd(b []byte, delim byte, tooBig ProtocolError) (int, error) {
	window := b[p.seen:min(len(b), p.pos+p.limits.MaxInline+1)]
	end := bytes.IndexByte(window, delim)
	line := window
	if end >= 0 {
		line = window[:end]
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		return p.hidden(b, p.seen+nul, tooBig)
	}
	if end >= 0 {
		return p.seen + end, nil
	}
	p.seen += len(window)
	if p.seen > p.pos+p.limits.MaxInline {
		return -1, tooBig
	}
	return -1, nil
}

// hidden stops the search at a NUL byte.
func (p *parser) hidden(b []byte, nul int, tooBig ProtocolError) (int, error) {
	p.seen = nul
	if len(b) > p.pos+p.limits.MaxInline {
		return -1, tooBig
	}
	return -1, nil
}
