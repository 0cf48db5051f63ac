// Package cli holds what the commands have in common: options as GNU has them,
// messages in coreutils' words, progress on a terminal and exit statuses.
package cli

import "runtime/debug"

// The exit statuses.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitAttack  = 3
)

// Status returns the exit status of a run that met an attack or failed. An
// attack outranks a failure: a script must not miss it.
func Status(attacked, failed bool) int {
	switch {
	case attacked:
		return ExitAttack
	case failed:
		return ExitFailure
	}
	return ExitOK
}

// StdinName is the operand that stands for standard input.
const StdinName = "-"

// TryHelp returns the line that ends a complaint about usage. Command is what
// has the option --help.
func TryHelp(command string) string {
	return "Try '" + command + " --help' for more information."
}

// Version returns what the option --version prints.
func Version(program string) string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = info.Main.Version
	}
	return program + " (sha1dc) " + v + "\n"
}
