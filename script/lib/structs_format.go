package lib

import (
	"strings"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// The sizes of C on 64 bits.
const (
	charSize, shortSize, intSize, longSize = 1, 2, 4, 8
	floatSize, doubleSize                  = 4, 8
	maxIntegral                            = 32
	defaultAlignment                       = 8
	maxFormatNumber                        = 1<<31 - 1
)

// A layout reads the format of a structure, option by option.
type layout struct {
	m      *machine.Machine
	L      *lua.LState
	format string
	at     int
	big    bool
	align  int
}

func (s *layout) next() (option byte) {
	s.m.Step(1)
	s.at++
	return s.format[s.at-1]
}

func (s *layout) more() bool { return s.at < len(s.format) }

// number reads digits. If there are no digits, it returns otherwise.
func (s *layout) number(otherwise int) int {
	if !s.more() || s.format[s.at] < '0' || s.format[s.at] > '9' {
		return otherwise
	}
	n := 0
	for ; s.more() && s.format[s.at] >= '0' && s.format[s.at] <= '9'; s.at++ {
		digit := int(s.format[s.at] - '0')
		if n > maxFormatNumber/10 || n*10 > maxFormatNumber-digit {
			s.m.Raise(s.L, "integral size overflow")
		}
		n = n*10 + digit
	}
	return n
}

// size returns the size in bytes of the value of an option.
func (s *layout) size(option byte) int {
	switch option {
	case 'b', 'B', 'x':
		return charSize
	case 'h', 'H':
		return shortSize
	case 'l', 'L', 'T':
		return longSize
	case 'f':
		return floatSize
	case 'd':
		return doubleSize
	case 'c':
		return s.number(1)
	case 'i', 'I':
		n := s.number(intSize)
		if n > maxIntegral {
			s.m.Raise(s.L, "integral size %d is larger than limit of %d", n, maxIntegral)
		}
		return n
	}
	return 0
}

// padding returns how many bytes must come before a value, so that it is aligned.
func (s *layout) padding(at, size int, option byte) int {
	if size == 0 || option == 'c' {
		return 0
	}
	size = min(size, s.align)
	if size > 1 {
		return (size - at&(size-1)) & (size - 1)
	}
	return 0
}

// control reads an option that stands for no value.
func (s *layout) control(option byte) {
	switch option {
	case ' ':
	case '>':
		s.big = true
	case '<':
		s.big = false
	case '!':
		s.align = s.number(defaultAlignment)
		if s.align == 0 || s.align&(s.align-1) != 0 {
			s.m.Raise(s.L, "alignment %d is not a power of 2", s.align)
		}
	default:
		s.m.ArgError(s.L, 1, "invalid format option '"+string([]byte{option})+"'")
	}
}

func isAlphanumeric(c byte) bool { return c-'0' < 10 || (c|0x20)-'a' < 26 }

func isValue(option byte) bool { return strings.IndexByte("bBhHlLTiIcsfdx", option) >= 0 }
