package forensics_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/internal/vectors"
)

func ExampleAnalyze() {
	message := vectors.All()[0].Data // half of a published collision
	report, err := forensics.Analyze(bytes.NewReader(message), forensics.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for n := range report.Attacks {
		a := &report.Attacks[n]
		fmt.Printf("%v, %d bytes from byte %d\n", a.Kind(), a.Length(), a.Offset())
		var other bytes.Buffer
		if err := report.WriteOther(&other, a, bytes.NewReader(message)); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("the other message has %d bytes\n", other.Len())
	}
	// Output:
	// identical-prefix, 128 bytes from byte 192
	// the other message has 320 bytes
}
