package main

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/sha1dc"
)

// jsonPack is what --json prints about a pack.
type jsonPack struct {
	Version    int                   `json:"version"`
	Pack       string                `json:"pack"`
	OK         bool                  `json:"ok"`
	Checksum   string                `json:"checksum,omitempty"`
	Index      string                `json:"index_checksum,omitempty"`
	Size       uint64                `json:"size,omitempty"`
	Objects    int                   `json:"objects"`
	Added      int                   `json:"added"`
	Deltas     int                   `json:"deltas"`
	MaxDepth   int                   `json:"max_depth"`
	Types      map[string]jsonObject `json:"types,omitempty"`
	Collisions []jsonCollision       `json:"collisions"`
	Error      *jsonPackError        `json:"error,omitempty"`
}

type jsonObject struct {
	Objects int    `json:"objects"`
	Bytes   uint64 `json:"bytes"`
}

type jsonCollision struct {
	Object      string `json:"object"`
	Mitigated   string `json:"mitigated"`
	Type        string `json:"type"`
	Offset      uint64 `json:"offset"`
	BlockOffset int64  `json:"block_offset"`
	DV          string `json:"dv"`
}

type jsonPackError struct {
	Text   string  `json:"text"`
	Reason string  `json:"reason,omitempty"`
	Offset *uint64 `json:"offset,omitempty"`
	Object string  `json:"object,omitempty"`
}

// packJSON returns a line of JSON about a pack.
func packJSON(name string, r *gitpack.Report, attacks []*gitpack.CollisionError, err error) []byte {
	p := jsonPack{Version: 1, Pack: name, OK: err == nil && len(attacks) == 0, Collisions: []jsonCollision{}}
	if r != nil {
		p.Checksum, p.Index, p.Size = r.PackChecksum.String(), r.IndexChecksum.String(), r.PackSize
		p.Objects, p.Added, p.Deltas, p.MaxDepth = r.Objects, r.Added, r.Deltas, r.MaxDepth
		p.Types = make(map[string]jsonObject)
		for t, c := range r.Types {
			if c.Objects > 0 {
				p.Types[gitpack.ObjectType(t).String()] = jsonObject{c.Objects, c.Bytes}
			}
		}
	}
	for _, a := range attacks {
		p.Collisions = append(p.Collisions, jsonCollision{
			a.Object.String(), a.Mitigated.String(), a.Type.String(), a.Offset, a.BlockOffset, a.DV.String(),
		})
	}
	if err != nil {
		p.Error = packErrorJSON(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		panic(err) // nothing in it can fail
	}
	return b.Bytes()
}

func packErrorJSON(err error) *jsonPackError {
	j := &jsonPackError{Text: packReason(err)}
	at := func(reason error, offset uint64, object gitpack.ID) {
		j.Reason, j.Offset = reason.Error(), &offset
		if object != (gitpack.ID{}) {
			j.Object = object.String()
		}
	}
	var (
		pack      *gitpack.PackError
		index     *gitpack.IndexError
		limit     *gitpack.LimitError
		collision *gitpack.CollisionError
	)
	switch {
	case errors.As(err, &pack):
		at(pack.Reason, pack.Offset, pack.Object)
	case errors.As(err, &index):
		at(index.Reason, index.Offset, index.Object)
	case errors.As(err, &limit):
		at(gitpack.ErrLimit, limit.Offset, gitpack.ID{})
	case errors.As(err, &collision):
		at(sha1dc.ErrCollision, collision.Offset, collision.Object)
	}
	return j
}
