package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// An Option is one that Getopt knows.
type Option struct {
	Long  string
	Short byte // 0 if there is none
	Arg   bool // an argument must follow
	Set   func(value string) error
}

// Flag returns the Set function of an option that only has to be given.
func Flag(given *bool) func(string) error {
	return func(string) error { *given = true; return nil }
}

// Posix reports whether the environment asks for options to end at the first
// operand.
func Posix() bool {
	_, posix := os.LookupEnv("POSIXLY_CORRECT")
	return posix
}

// Getopt parses args as GNU getopt_long does and returns the operands: options
// may follow operands, unless posix is set; "--" ends them; long options may
// be shortened while they stay unambiguous; short ones may be clustered. It
// calls set for each option in turn and stops at the first error, with GNU's
// words, or as soon as done reports true.
func Getopt(args []string, options []Option, posix bool, done func() bool) (operands []string, err error) {
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
func longOption(arg string, rest []string, options []Option) ([]string, error) {
	name, value, hasValue := strings.Cut(arg[2:], "=")
	var matches []Option
	for _, o := range options {
		if o.Long == name {
			matches = []Option{o}
			break
		}
		if strings.HasPrefix(o.Long, name) {
			matches = append(matches, o)
		}
	}
	switch {
	case len(matches) == 0:
		return nil, fmt.Errorf("unrecognized option '%s'", arg)
	case len(matches) > 1:
		var list strings.Builder
		for _, o := range matches {
			list.WriteString(" '--" + o.Long + "'")
		}
		return nil, fmt.Errorf("option '%s' is ambiguous; possibilities:%s", arg, list.String())
	}
	o := matches[0]
	switch {
	case hasValue && !o.Arg:
		return nil, fmt.Errorf("option '--%s' doesn't allow an argument", o.Long)
	case o.Arg && !hasValue && len(rest) == 0:
		return nil, fmt.Errorf("option '--%s' requires an argument", o.Long)
	case o.Arg && !hasValue:
		value, rest = rest[0], rest[1:]
	}
	return rest, o.Set(value)
}

// shortOptions handles the letters of a cluster, and returns the arguments
// that they leave of rest.
func shortOptions(letters string, rest []string, options []Option, done func() bool) ([]string, error) {
	for letters != "" && !done() {
		letter := letters[0]
		letters = letters[1:]
		o := byLetter(options, letter)
		if o == nil {
			return nil, errors.New("invalid option -- '" + string([]byte{letter}) + "'")
		}
		value := ""
		if o.Arg {
			switch {
			case letters != "":
				value, letters = letters, ""
			case len(rest) > 0:
				value, rest = rest[0], rest[1:]
			default:
				return nil, fmt.Errorf("option requires an argument -- '%c'", letter)
			}
		}
		if err := o.Set(value); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// byLetter returns the option with a short name, or nil.
func byLetter(options []Option, letter byte) *Option {
	for i := range options {
		if options[i].Short == letter {
			return &options[i]
		}
	}
	return nil
}
