package peers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// explainCommand builds the command sha1dc from the module above.
func explainCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sha1dc.exe")
	c := exec.Command("go", "build", "-o", path, "./cmd/sha1dc")
	c.Dir = ".."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// Each half of the public collisions must give the other half: all of it, or
// what follows the prefix that was chosen.
func TestExplainPublicFiles(t *testing.T) {
	command := explainCommand(t)
	for _, c := range []struct {
		one, other string
		from       int // byte from which the other file is known
	}{
		{"shattered-1.pdf", "shattered-2.pdf", 0},
		{"shattered-2.pdf", "shattered-1.pdf", 0},
		{"sha-mbles-1.bin", "sha-mbles-2.bin", 64},
		{"sha-mbles-2.bin", "sha-mbles-1.bin", 64},
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.WriteFile(in, publicFile(t, c.one), 0o666); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(command, "explain", "--twin", out, in)
		report, err := run.Output()
		if run.ProcessState.ExitCode() != 3 {
			t.Fatalf("%s: %v, want exit status 3", c.one, err)
		}
		twin, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		want := publicFile(t, c.other)[c.from:]
		if !bytes.Equal(twin, want) {
			t.Errorf("%s: the other file has %d bytes, wanted are the %d of %s", c.one, len(twin), len(want), c.other)
		}
		if s := string(report); !strings.Contains(s, "COLLISION ATTACK") {
			t.Errorf("%s: %s", c.one, s)
		}
	}
}

// explainSchema compiles the schema that describes explain's JSON.
func explainSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	schema, err := compiler.Compile("../docs/explain.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every line of JSON must be what the schema says.
func TestExplainSchema(t *testing.T) {
	command, schema := explainCommand(t), explainSchema(t)
	dir := t.TempDir()
	names := []string{"gone", "not UTF-8 \xff", "clean"}
	for _, name := range []string{"shattered-1.pdf", "sha-mbles-2.bin", "valid-file.txt"} {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), publicFile(t, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "clean"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, options := range [][]string{nil, {"--reduced-round"}, {"--window=1"}, {"--window=4", "--reduced-round"}} {
		run := exec.Command(command, append(append([]string{"explain", "--json"}, options...), names...)...)
		run.Dir = dir
		out, err := run.Output()
		if run.ProcessState.ExitCode() != 3 {
			t.Fatalf("%q: %v, want exit status 3", options, err)
		}
		checkLines(t, schema, out, len(names))
	}
	golden, err := filepath.Glob("../cmd/sha1dc/testdata/*.json")
	if err != nil || len(golden) < 4 {
		t.Fatalf("%d golden files, %v", len(golden), err)
	}
	for _, path := range golden {
		line, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkLines(t, schema, line, 1)
	}
}

func checkLines(t *testing.T, schema *jsonschema.Schema, out []byte, want int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%.200s: %v", line, err)
		}
	}
}

// The schema must not accept anything else.
func TestExplainSchemaRefuses(t *testing.T) {
	schema := explainSchema(t)
	line, err := os.ReadFile("../cmd/sha1dc/testdata/shattered-1.json")
	if err != nil {
		t.Fatal(err)
	}
	good := string(line)
	for _, change := range [][2]string{
		{`"version":1`, `"version":2`}, {`"file":`, `"name":`}, {`"size":320,`, ``}, {`"size":320`, `"size":-1`}, {`"size":320`, `"size":"320"`},
		{`"sha1":"`, `"sha1":"0`}, {`"identical-prefix"`, `"other"`}, {`"chaining-values-meet"`, `""`}, {`"blocks":[`, `"blocks":[],"more":[`},
		{`"II(52,0)"`, `"III(52,0)"`}, {`"flagged_offset":256,`, ``}, {`"attacks":[`, `"attacks":[{},`}, {`"data":"73`, `"data":"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Errorf("%q is not in the line", change[0])
			continue
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(fmt.Errorf("%q: %w", change, err))
		}
		if schema.Validate(value) == nil {
			t.Errorf("accepted with %q for %q", change[1], change[0])
		}
	}
}
