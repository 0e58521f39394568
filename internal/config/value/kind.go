package value

import (
	"errors"
	"slices"
	"strings"
)

// Kind is a sort of value: how its arguments are parsed, and how CONFIG GET shows it.
type Kind[T any] struct {
	Values string // the accepted values, in words, for the reference
	Many   bool   // it accepts several arguments
	Parse  func(args []string) (T, error)
	Format func(T) string
}

// ErrArgs says that a directive got too few or too many arguments.
var ErrArgs = errors.New("wrong number of arguments")

// one is a kind of exactly one argument.
func one[T any](values string, parse func(string) (T, error), format func(T) string) Kind[T] {
	return Kind[T]{Values: values, Format: format, Parse: func(args []string) (T, error) {
		if len(args) != 1 {
			var zero T
			return zero, ErrArgs
		}
		return parse(args[0])
	}}
}

// Then adds a correction: the kind accepts the same values, and replaces each by correct(value).
func Then[T any](k Kind[T], correct func(T) T) Kind[T] {
	parse := k.Parse
	k.Parse = func(args []string) (T, error) {
		v, err := parse(args)
		if err == nil {
			v = correct(v)
		}
		return v, err
	}
	return k
}

// Checked accepts the texts for which fault returns "". Any other result of fault is the error.
func Checked(values string, fault func(string) string) Kind[string] {
	return one(values, func(s string) (string, error) {
		if why := fault(s); why != "" {
			return "", errors.New(why)
		}
		return s, nil
	}, same)
}

func same(s string) string { return s }

// Join formats each element, and joins the results by spaces.
func Join[T any](list []T, format func(T) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = format(v)
	}
	return strings.Join(words, " ")
}

// Several is a kind of several arguments. One empty argument is an empty list.
func Several[T any](values string, parse func(args []string) ([]T, error), format func(T) string) Kind[[]T] {
	return Kind[[]T]{
		Values: values, Many: true,
		Parse: func(args []string) ([]T, error) {
			if len(args) == 1 && args[0] == "" {
				return nil, nil
			}
			return parse(args)
		},
		Format: func(list []T) string { return Join(list, format) },
	}
}

// Texts is [Several] for arguments that stay as they are, if check finds no fault.
func Texts(values string, check func(args []string) error) Kind[[]string] {
	clone := func(args []string) ([]string, error) { return slices.Clone(args), check(args) }
	return Several(values, clone, same)
}
