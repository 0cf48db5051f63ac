package checksum

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

const digits = "55ca6286e3e4f4fba5d0448333fa99fc5a404a73"

var sum = [Size]byte(must(hex.DecodeString(digits)))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAppend(t *testing.T) {
	for _, test := range []struct {
		format Format
		name   string
		want   string
	}{
		{Format{}, "f", digits + "  f\n"},
		{Format{Binary: true}, "f", digits + " *f\n"},
		{Format{Tag: true}, "f", "SHA1 (f) = " + digits + "\n"},
		{Format{Tag: true, Binary: true}, "f", "SHA1 (f) = " + digits + "\n"},
		{Format{Zero: true}, "f", digits + "  f\x00"},
		{Format{Zero: true, Tag: true}, "a\nb", "SHA1 (a\nb) = " + digits + "\x00"},
		{Format{Zero: true}, "a\\b\rc\nd", digits + "  a\\b\rc\nd\x00"},
		{Format{}, "a\\b\rc\nd", "\\" + digits + "  a\\\\b\\rc\\nd\n"},
		{Format{Tag: true}, "\\", "\\SHA1 (\\\\) = " + digits + "\n"},
		{Format{}, " \xff'\t", digits + "   \xff'\t\n"},
		{Format{}, "", digits + "  \n"},
	} {
		if have := string(test.format.Append([]byte("x"), sum, test.name)); have != "x"+test.want {
			t.Errorf("%+v %q: %q, want %q", test.format, test.name, have, test.want)
		}
	}
}

func TestReport(t *testing.T) {
	for name, want := range map[string]string{
		"f": "f", "a\\b": "a\\b", "a\rb": "a\rb", "\xff": "\xff", "a\nb": "\\a\\nb", "a\\\r\n": "\\a\\\\\\r\\n",
	} {
		if have := Report(name); have != want {
			t.Errorf("%q: %q, want %q", name, have, want)
		}
	}
}

// TestParse gives single lines, D standing for the digest, to a fresh parser.
func TestParse(t *testing.T) {
	const bad = "(not properly formatted)"
	for line, want := range map[string]string{
		"D  f":                   "f",
		"D *f":                   "f",
		"D f":                    "f",
		"D\tf":                   "f",
		"D\t f":                  "f",
		"D\t\tf":                 "\tf",
		" \t D  f":               "f",
		"D   f ":                 " f ",
		"D  ":                    " ",
		"D *":                    "*",
		"D ":                     bad,
		"D":                      bad,
		"D0  f":                  bad,
		"Dx f":                   bad,
		"":                       bad,
		" ":                      bad,
		"\xef\xbb\xbfD  f":       bad,
		"D  a\\nb":               "a\\nb",
		"\\D  a\\nb\\r\\\\":      "a\nb\r\\",
		" \\D  f":                "f",
		"\\ D  f":                bad,
		"\\\\D  f":               bad,
		"\\D  \\q":               bad,
		"\\D  f\\":               bad,
		"\\D  f\x00":             bad,
		"D  f\x00g":              "f",
		"D\x00 f":                bad,
		"SHA1 (f) = D":           "f",
		"SHA1(f)= D":             "f",
		"SHA1(f)=D":              "f",
		" SHA1 (f) \t=\t D":      "f",
		"\\SHA1 (\\n) = D":       "\n",
		"\\SHA1 (\\) = D":        bad,
		"SHA1 (a) = (b) = D":     "a) = (b",
		"SHA1 () = D":            "",
		"SHA1 (f) = D\x00more":   "f",
		"SHA1 (f\x00g) = D":      "f",
		"\\SHA1 (f\x00g) = D":    bad,
		"SHA1 (f) = Dx":          bad,
		"SHA1 (f) = D ":          bad,
		"SHA1 (f) = 55ca":        bad,
		"SHA1 (f) D":             bad,
		"SHA1 (f = D":            bad,
		"SHA1 f) = D":            bad,
		"SHA1  (f) = D":          bad,
		"SHA1\t(f) = D":          bad,
		"MD5 (f) = D":            bad,
		"sha1 (f) = D":           bad,
		"SHA1":                   bad,
		"SHA1 (":                 bad,
		"SHA1 )":                 bad,
		"((":                     bad,
		"\\":                     bad,
		"SHA1 (f) = not base64=": bad,
	} {
		for _, digits := range []string{digits, strings.ToUpper(digits)} {
			var p Parser
			e, ok := p.Parse([]byte(strings.ReplaceAll(line, "D", digits)))
			have := e.Name
			switch {
			case !ok && e != (Entry{}):
				t.Errorf("%q: %+v without being properly formatted", line, e)
			case !ok:
				have = bad
			case e.Sum != sum:
				t.Errorf("%q: digest %x", line, e.Sum)
			}
			if have != want {
				t.Errorf("%q: %q, want %q", line, have, want)
			}
		}
	}
}

// TestParseForms checks that the form of the first line binds the others.
func TestParseForms(t *testing.T) {
	for _, test := range []struct{ lines, want string }{
		{"D  f|D f|D  g|D *h", "f,!,g,h"},
		{"D f|D  f|D *f", "f, f,*f"},
		{"SHA1 (f) = D|D f|SHA1 (g) = D|D  h", "f,f,g, h"},
		{"D  f|SHA1 (g) = D|D h", "f,g,!"},
		{"junk|D f|D  g", "!,f, g"},
		{"\\D  \\q|D f|D  g", "!,!,g"}, // the form counts, the name does not
	} {
		var p Parser
		var have []string
		for line := range strings.SplitSeq(strings.ReplaceAll(test.lines, "D", digits), "|") {
			e, ok := p.Parse([]byte(line))
			if !ok {
				e.Name = "!"
			}
			have = append(have, e.Name)
		}
		if have := strings.Join(have, ","); have != test.want {
			t.Errorf("%q: %q, want %q", test.lines, have, test.want)
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("n", MaxLine)
	text := strings.ReplaceAll("# comment\nD  f\r\n\n\r\nD  g\r\r\njunk\n#"+long+"\nD  "+long+"\nD  "+long[:MaxLine-50]+"\n \nD  last", "D", digits)
	want := []Line{
		{2, Entry{sum, "f"}, true},
		{5, Entry{sum, "g\r"}, true},
		{6, Entry{}, false},
		{8, Entry{}, false}, // too long
		{9, Entry{sum, long[:MaxLine-50]}, true},
		{10, Entry{}, false},
		{11, Entry{sum, "last"}, true},
	}
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		var p Parser
		n := 0
		for line, err := range p.Lines(r) {
			if err != nil || n == len(want) || line != want[n] {
				t.Fatalf("line %d: error %v, number %d, ok %v, name %.20q", n, err, line.Number, line.OK, line.Name)
			}
			n++
		}
		if n != len(want) {
			t.Errorf("%d lines, want %d", n, len(want))
		}
	}
}

func TestLinesReadError(t *testing.T) {
	broken := errors.New("broken")
	var p Parser
	var have []string
	for line, err := range p.Lines(io.MultiReader(strings.NewReader(digits+"  f\n"+digits+"  g"), iotest.ErrReader(broken))) {
		if err != nil {
			have = append(have, err.Error())
		} else {
			have = append(have, line.Name)
		}
	}
	if have := strings.Join(have, " "); have != "f g broken" {
		t.Errorf("have %q", have)
	}
	for range p.Lines(strings.NewReader("a\nb\n")) {
		break // must not go on after that
	}
}

// endless gives n bytes without a newline.
type endless int

func (r *endless) Read(p []byte) (int, error) {
	if *r <= 0 {
		return 0, io.EOF
	}
	*r -= endless(len(p))
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestLinesBounded checks that a line that never ends costs no more memory
// than one of MaxLine bytes.
func TestLinesBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := endless(64 << 20)
	var p Parser
	for line := range p.Lines(&r) {
		if line.OK {
			t.Error("it is properly formatted")
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8*MaxLine {
		t.Errorf("%d bytes allocated", n)
	}
}

// FuzzLines checks that any bytes are parsed without a panic and into entries
// that make sense.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "((", "#\n\n\r\n", digits + "  f\n" + digits + " f", "SHA1 (f) = " + digits, "\\SHA1(a\\nb)= " + digits + "\r\n",
		"\\" + digits + " *\\\\\\r", digits + "  f\x00g", "SHA1 (", "SHA1 )", "SHA1 ()", "\\", " \t\\\n", digits,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Parser
		number := 0
		for line, err := range p.Lines(bytes.NewReader(data)) {
			switch {
			case err != nil:
				t.Fatal(err)
			case line.Number <= number:
				t.Fatalf("line %d after line %d", line.Number, number)
			case !line.OK && line.Entry != (Entry{}):
				t.Fatalf("line %d: %+v without being properly formatted", line.Number, line.Entry)
			case strings.Contains(line.Name, "\x00"):
				t.Fatalf("line %d: NUL in %q", line.Number, line.Name)
			case line.OK:
				roundTrip(t, line.Name, line.Sum)
			}
			number = line.Number
		}
		if lines := bytes.Count(data, []byte("\n")) + 1; number > lines {
			t.Fatalf("line %d of %d", number, lines)
		}
	})
}

// FuzzRoundTrip checks that every name survives in every form.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{"f", " ", "*", "\\", "\r", "\n", "\xff", "#", ") = " + digits, "a\\nb", "SHA1 (f) = "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !strings.Contains(name, "\x00") {
			roundTrip(t, name, sum)
		}
	})
}

func roundTrip(t *testing.T, name string, sum [Size]byte) {
	for _, format := range []Format{{}, {Binary: true}, {Tag: true}} {
		text := format.Append(nil, sum, name)
		if len(text) > MaxLine || name == "" && !format.Tag {
			continue // an empty name needs the BSD form
		}
		n := 0
		var p Parser
		for line, err := range p.Lines(bytes.NewReader(text)) {
			n++
			if err != nil || line != (Line{1, Entry{sum, name}, true}) {
				t.Fatalf("%q in form %+v is read as %+v (error %v)", name, format, line, err)
			}
		}
		if n != 1 {
			t.Fatalf("%q in form %+v makes %d lines", name, format, n)
		}
	}
}
