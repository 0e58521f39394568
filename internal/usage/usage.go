package usage

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// The types of arguments, in the terms of COMMAND DOCS.
const (
	OneOf     = "oneof"      // one of Arguments
	Block     = "block"      // all of Arguments, in their order
	PureToken = "pure-token" // Token, and no value
	Key       = "key"
)

// Argument is one argument of a command.
type Argument struct {
	Name          string
	Type          string
	Token         string // the word before the value, or the word itself; "" for none
	Optional      bool
	Multiple      bool // it repeats
	MultipleToken bool // Token repeats with it
	KeySpec       int  // for a Key: which key specification of the command has it
	Arguments     []Argument
}

// Parse returns the arguments of a command by its usage line. Specs is the number of its key
// specifications: without any, an argument named "key" is a string.
func Parse(command, line string, specs int) ([]Argument, error) {
	line = strings.NewReplacer("[", " [ ", "]", " ] ", "<", " < ", ">", " > ", "|", " | ").Replace(line)
	p := &parser{command: command, specs: specs, words: strings.Fields(line)}
	args, _, err := p.sequence()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("unexpected %q", p.words[0])
	}
	if err != nil {
		return nil, fmt.Errorf("usage of %s: %w", command, err)
	}
	return args, nil
}

// parser holds the words that are still to be read.
type parser struct {
	command string
	specs   int
	keys    int // how many key arguments the line had so far
	words   []string
}

func (p *parser) next() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *parser) take() string {
	word := p.next()
	p.words = p.words[1:]
	return word
}

// sequence reads arguments up to the end of their group. Repeats says that "..." came last.
func (p *parser) sequence() (args []Argument, repeats bool, err error) {
	for {
		switch word := p.next(); word {
		case "", "]", ">", "|":
			return args, repeats, nil
		case "...":
			p.take()
			repeats = true
		case "<":
			var choice []Argument
			if choice, _, err = p.group(">"); err == nil {
				args = append(args, join(choice))
			}
		case "[":
			args, err = p.bracket(args)
		default:
			args = append(args, p.argument(p.take()))
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// bracket reads an optional group, or the repetition of the arguments before it.
func (p *parser) bracket(before []Argument) ([]Argument, error) {
	keys := p.keys
	inside, repeats, err := p.group("]")
	if err != nil {
		return nil, err
	}
	if repeats {
		p.keys = keys
		return repeat(before, inside)
	}
	option := join(inside)
	option.Optional = true
	return append(before, option), nil
}

// group reads "[…]" or "<…>", and returns the arguments inside: one oneof if there is a choice.
func (p *parser) group(end string) (args []Argument, repeats bool, err error) {
	p.take()
	args, repeats, err = p.sequence()
	if err != nil {
		return nil, false, err
	}
	if p.next() == "|" {
		choices := []Argument{join(args)}
		for p.next() == "|" {
			p.take()
			if args, repeats, err = p.sequence(); err != nil {
				return nil, false, err
			}
			choices = append(choices, join(args))
		}
		args = []Argument{{Name: groupName(choices), Type: OneOf, Arguments: choices}}
	}
	if p.next() != end {
		return nil, false, fmt.Errorf("%q is missing before %q", end, p.next())
	}
	p.take()
	if len(args) == 0 {
		return nil, false, fmt.Errorf("nothing before %q", end)
	}
	return args, repeats, nil
}

// argument returns the argument of one word.
func (p *parser) argument(word string) Argument {
	if word == strings.ToUpper(word) {
		return Argument{Name: tokenName(word), Type: PureToken, Token: word}
	}
	a := Argument{Name: word, Type: typeOf(p.command, word)}
	if a.Type != Key {
		return a
	}
	if p.specs == 0 {
		a.Type = "string"
		return a
	}
	a.KeySpec = min(p.keys, p.specs-1)
	p.keys++
	return a
}

// join makes one argument of a sequence. A token at the front belongs to what follows it.
func join(args []Argument) Argument {
	if len(args) == 1 {
		return args[0]
	}
	if len(args) == 0 {
		return Argument{}
	}
	first, token := args[0], ""
	if first.Type == PureToken && !first.Optional {
		args, token = args[1:], first.Token
	}
	joined := args[0]
	if len(args) > 1 || joined.Optional || joined.Token != "" {
		joined = Argument{Name: groupName(args), Type: Block, Arguments: args}
	}
	if token != "" && joined.Type == OneOf {
		joined.Name = choiceName(joined.Name, token)
	}
	joined.Token = token
	return joined
}

// repeat marks the last arguments before a repetition. They must equal what is inside.
func repeat(before, inside []Argument) ([]Argument, error) {
	if again := join(inside); again.Token != "" && same(join(before), again) {
		whole := join(before)
		whole.Multiple, whole.MultipleToken = true, true
		return []Argument{whole}, nil
	}
	at := len(before) - len(inside)
	if at < 0 || !slices.EqualFunc(before[at:], inside, same) {
		return nil, fmt.Errorf("a repetition of %q repeats nothing before it", join(inside).Name)
	}
	repeated := join(before[at:])
	repeated.Multiple = true
	return append(before[:at:at], repeated), nil
}

// same reports whether two arguments are equal but for the key specifications.
func same(a, b Argument) bool {
	inA, inB := a.Arguments, b.Arguments
	a.Arguments, a.KeySpec, b.Arguments, b.KeySpec = nil, 0, nil, 0
	return reflect.DeepEqual(a, b) && slices.EqualFunc(inA, inB, same)
}

// Flags returns the flags of the argument, in the terms of COMMAND DOCS.
func (a Argument) Flags() []string {
	var flags []string
	if a.Optional {
		flags = append(flags, "optional")
	}
	if a.Multiple {
		flags = append(flags, "multiple")
	}
	if a.MultipleToken {
		flags = append(flags, "multiple_token")
	}
	return flags
}
