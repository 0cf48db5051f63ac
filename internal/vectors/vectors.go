// Package vectors loads the published collision blocks from the module's
// testdata directory, for tests.
package vectors

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// File is the head of a published message: enough of it to hold the attack.
type File struct {
	Name      string // as "shattered-1"
	Data      []byte
	Plain     [20]byte // SHA-1
	Mitigated [20]byte // digest with mitigation; Plain if no attack is found
	Reduced   [20]byte // the same when reduced rounds are looked for too
}

// Attacked reports whether an attack on full SHA-1 is found in the message.
func (f *File) Attacked() bool { return f.Mitigated != f.Plain }

// names lists the files in testdata.
var names = []string{"shattered-1", "shattered-2", "sha-mbles-1", "sha-mbles-2", "reduced-round"}

// All returns the published messages. It panics if testdata is not found above
// the working directory or is damaged.
func All() []File {
	dir, err := find("testdata/shattered-1.hex")
	if err != nil {
		panic(err)
	}
	var files []File
	for _, name := range names {
		path := filepath.Join(dir, "testdata", name+".hex")
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		f, err := parse(name, string(text))
		if err != nil {
			panic(fmt.Errorf("%s:%w", path, err))
		}
		files = append(files, f)
	}
	return files
}

// find returns the closest directory upwards that holds the file name.
func find(name string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no %s above %s", name, start)
		}
	}
}

// parse reads a file of "key: digest" lines and lines of hex; # starts a
// comment.
func parse(name, text string) (File, error) {
	f := File{Name: name}
	digests := map[string]*[20]byte{"plain": &f.Plain, "mitigated": &f.Mitigated, "reduced": &f.Reduced}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if key, value, ok := strings.Cut(line, ":"); ok {
			sum, err := hex.DecodeString(strings.TrimSpace(value))
			if err != nil || digests[key] == nil || len(sum) != 20 {
				return f, fmt.Errorf("%d: want a digest as plain, mitigated or reduced, have %q", n+1, line)
			}
			copy(digests[key][:], sum)
			delete(digests, key)
			continue
		}
		data, err := hex.DecodeString(line)
		if err != nil {
			return f, fmt.Errorf("%d: %w", n+1, err)
		}
		f.Data = append(f.Data, data...)
	}
	for key := range digests {
		return f, fmt.Errorf("1: no digest %q", key)
	}
	return f, nil
}
