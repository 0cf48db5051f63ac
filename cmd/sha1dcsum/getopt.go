package main

import (
	"errors"
	"fmt"
	"strings"
)

// An option is one that getopt knows.
type option struct {
	long  string
	short byte // 0 if there is none
	arg   bool // an argument must follow
	set   func(value string) error
}

// getopt parses args as GNU getopt_long does and returns the operands: options
// may follow operands, unless posix is set; "--" ends them; long options may
// be shortened while they stay unambiguous; short ones may be clustered. It
// calls set for each option in turn and stops at the first error, with GNU's
// words, or as soon as done reports true.
func getopt(args []string, options []option, posix bool, done func() bool) (operands []string, err error) {
	for len(args) > 0 && !done() {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(operands, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = longOption(arg, args, options)
		case len(arg) > 1 && arg[0] == '-':
			args, err = shortOptions(arg[1:], args, options, done)
		case posix:
			return append(append(operands, arg), args...), nil
		default:
			operands = append(operands, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return operands, nil
}

// longOption handles arg, which starts with "--", and returns the arguments
// that it leaves of rest.
func longOption(arg string, rest []string, options []option) ([]string, error) {
	name, value, hasValue := strings.Cut(arg[2:], "=")
	var matches []option
	for _, o := range options {
		if o.long == name {
			matches = []option{o}
			break
		}
		if strings.HasPrefix(o.long, name) {
			matches = append(matches, o)
		}
	}
	switch {
	case len(matches) == 0:
		return nil, fmt.Errorf("unrecognized option '%s'", arg)
	case len(matches) > 1:
		var list strings.Builder
		for _, o := range matches {
			list.WriteString(" '--" + o.long + "'")
		}
		return nil, fmt.Errorf("option '%s' is ambiguous; possibilities:%s", arg, list.String())
	}
	o := matches[0]
	switch {
	case hasValue && !o.arg:
		return nil, fmt.Errorf("option '--%s' doesn't allow an argument", o.long)
	case o.arg && !hasValue && len(rest) == 0:
		return nil, fmt.Errorf("option '--%s' requires an argument", o.long)
	case o.arg && !hasValue:
		value, rest = rest[0], rest[1:]
	}
	return rest, o.set(value)
}

// shortOptions handles the letters of a cluster, and returns the arguments
// that they leave of rest.
func shortOptions(letters string, rest []string, options []option, done func() bool) ([]string, error) {
	for letters != "" && !done() {
		letter := letters[0]
		letters = letters[1:]
		o := byLetter(options, letter)
		if o == nil {
			return nil, errors.New("invalid option -- '" + string([]byte{letter}) + "'")
		}
		value := ""
		if o.arg {
			switch {
			case letters != "":
				value, letters = letters, ""
			case len(rest) > 0:
				value, rest = rest[0], rest[1:]
			default:
				return nil, fmt.Errorf("option requires an argument -- '%c'", letter)
			}
		}
		if err := o.set(value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// byLetter returns the option with a short name, or nil.
func byLetter(options []option, letter byte) *option {
	for i := range options {
		if options[i].short == letter {
			return &options[i]
		}
	}
	return nil
}
