package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress follows what a terminal gets while work goes on.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer // of standard output and standard error
		p := &Printer{Program: "sha1dcsum", Stdout: &screen, Stderr: &screen}
		var g Progress
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			if have := screen.String(); have != want {
				t.Errorf("after %q, want %q", have, want)
			}
			screen.Reset()
		}
		erased := func(line string) string { return "\r" + strings.Repeat(" ", len(line)) + "\r" }

		stop := g.start(p)
		g.Bytes.Add(3_000_000)
		time.Sleep(progressDelay - 1)
		expect("")
		time.Sleep(1)
		first := "0 files done, 3.0 MB, 3.0 MB/s"
		expect("\r" + first)

		g.Bytes.Add(2_000_000)
		g.Files.Add(1)
		time.Sleep(progressInterval)
		second := "1 file done, 5.0 MB, 4.0 MB/s " // as wide as the first
		expect("\r" + second)

		p.Print([]byte("a line\n"))
		expect(erased(second) + "a line\n")
		p.Warn("a %s", "message")
		expect("sha1dcsum: a message\n")
		time.Sleep(progressInterval)
		third := "1 file done, 5.0 MB, 3.3 MB/s"
		expect("\r" + third)
		p.Warn("another")
		expect(erased(third) + "sha1dcsum: another\n")
		time.Sleep(progressInterval)
		fourth := "1 file done, 5.0 MB, 2.9 MB/s"
		expect("\r" + fourth)

		stop()
		expect(erased(fourth))
		time.Sleep(time.Minute)
		expect("")
	})
}

// TestNoProgress checks that short work shows nothing.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		var g Progress
		stop := g.start(&Printer{Program: "sha1dcsum", Stdout: &screen, Stderr: &screen})
		time.Sleep(progressDelay / 2)
		stop()
		if screen.Len() > 0 {
			t.Errorf("%q", screen.String())
		}
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1: "1 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		12_345_678: "12 MB", 5e9: "5.0 GB", 7.25e14: "725 TB", 3e18: "3000 PB",
	} {
		if have := size(n); have != want {
			t.Errorf("%v: %q, want %q", n, have, want)
		}
	}
}

// TestIsTerminal checks that nothing but a terminal gets progress.
func TestIsTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, stream := range map[string]any{"the null device": null, "a pipe": w, "a file": file, "a buffer": new(bytes.Buffer), "nothing": nil} {
		if IsTerminal(stream) {
			t.Errorf("%s is taken for a terminal", name)
		}
	}
}
