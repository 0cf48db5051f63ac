package gitpack_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/sha1dc/go/gitpack"
)

func ExampleReceive() {
	receive := func(ctx context.Context, conn net.Conn) error {
		report, err := gitpack.Receive(ctx, conn, gitpack.Files{Dir: "objects/pack"}, nil, gitpack.Options{
			Limits:        gitpack.Limits{PackSize: 1 << 30, InflatedTotal: 100 << 30},
			StopAtTrailer: true, // the sender waits for an answer
		})
		var attack *gitpack.CollisionError
		if errors.As(err, &attack) {
			return fmt.Errorf("refused object %v: %w", attack.Object, err)
		}
		if err != nil {
			return err
		}
		fmt.Println("received", report.Objects, "objects in pack", report.PackChecksum)
		return nil
	}
	_ = receive
}
