//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import "strings"

// debug returns f without the features that a value of GODEBUG switches off, as
// "cpu.avx2=off" does for the standard library too. It switches nothing on that
// f lacks.
func (f features) debug(godebug string) features {
	kept := f
	for setting := range strings.SplitSeq(godebug, ",") {
		key, value, _ := strings.Cut(setting, "=")
		name, ok := strings.CutPrefix(key, "cpu.")
		if !ok {
			continue
		}
		for _, c := range cpuFeatures {
			if name != c.name && name != "all" {
				continue
			}
			switch value {
			case "off":
				kept &^= c.feature
			case "on":
				kept |= f & c.feature
			}
		}
	}
	return kept
}
